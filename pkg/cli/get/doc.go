// Package get implements hcctl get clusters, get nodepools, get machines and get services.
package get
