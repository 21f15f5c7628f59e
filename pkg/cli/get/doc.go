// Package get has what looks at hosted clusters: get, status, wait, dump.
package get
