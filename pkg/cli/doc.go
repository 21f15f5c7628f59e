// Package cli is the command line of hcctl: one file per command, flags -> options -> library call -> print. It is the
// only room that prints, and the only one that knows cobra.
package cli
