// Package get has the commands get clusters, get nodepools, get machines and get services.
package get
