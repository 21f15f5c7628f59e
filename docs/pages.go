// Package docs holds the pages that hcctl carries with it, so that explain and docs work without a network.
package docs

import "embed"

// Checks are the pages of the checks, such as checks/hypershift-operator.md.
//
//go:embed checks/*.md
var Checks embed.FS

// Pages are all other pages but commands.md, which hcctl help tells as well: it is the largest by far.
//
//go:embed [^c]*.md c[^o]*.md co[^m]*.md comparison.md
var Pages embed.FS
