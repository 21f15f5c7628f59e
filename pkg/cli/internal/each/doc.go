// Package each runs one command on several hosted clusters, which are named or have labels: prepared and changed
// several at a time, each failing for itself, with one question and one line of results for each.
package each
