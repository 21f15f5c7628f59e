// Package report shows runs of the engine: live on a terminal, as plain lines elsewhere, and checks as text or JSON. It
// does not depend on Kubernetes and writes only to the given writers.
//
// The live display uses golang.org/x/term for the size of the terminal and golang.org/x/text/width for wide characters,
// which hcctl links or requires anyway. rivo/uniseg and charmbracelet/x/ansi also join characters to clusters, but
// package sanitize escapes the joiners. Redrawing needs three escape sequences, which type block writes itself.
package report
