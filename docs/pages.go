// Package docs holds the pages that hcctl carries with it, so that explain works without a network.
package docs

import "embed"

// Checks are the pages of the checks, such as checks/hypershift-operator.md.
//
//go:embed checks/*.md
var Checks embed.FS
