// Package program runs the user's own programs, with hcctl's streams and signals.
package program
