// Package get has the commands that only read hosted clusters: get, status, wait, dump.
package get
