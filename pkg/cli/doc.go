// Package cli is the command line of hcctl: flags -> options -> library call -> print. Only it and the packages below
// it print and know cobra.
package cli
