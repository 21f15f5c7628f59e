// Package docs holds the pages that hcctl carries with it, so that explain and docs work without a network.
package docs

import "embed"

// Checks are the pages of the checks, such as checks/hypershift-operator.md.
//
//go:embed checks/*.md
var Checks embed.FS

// Pages are the pages for users.
//
//go:embed README.md backup.md bugs.md changes.md ci.md cluster.md comparison.md configuration.md day-two.md
//go:embed delete.md density.md disconnected.md disks.md dump.md environments.md events.md first-cluster.md fleets.md
//go:embed gitops.md glossary.md hcp.md identity.md install.md machines.md output.md pictures.md preflight.md probes.md
//go:embed monitoring.md external-infrastructure.md
//go:embed dev/reliability.md rotation.md runbook.md scale.md security.md services.md stability.md support.md
//go:embed troubleshooting.md upgrades.md words.md
var Pages embed.FS

// Keywords are what people call what a page is about, for a search: "PAGE: WORD..." a line.
//
//go:embed keywords.txt
var Keywords string

// Elsewhere are the pages that are not built in, since the program would grow by half a megabyte: the file of a page
// about how hcctl is made, empty where a command of that name says the same.
var Elsewhere = map[string]string{
	"architecture": "dev/architecture.md", "demo": "demo.md", "licences": "dev/licences.md",
	"licences-sandbox": "dev/licences-sandbox.md",
	"performance":      "dev/performance.md", "sandbox": "dev/sandbox.md", "testing": "dev/testing.md",
	"diagnosis": "dev/diagnosis.md", "feasibility": "dev/feasibility.md", "scripts": "dev/scripts.md",
	"operators": "dev/operators.md", "journeys": "dev/journeys.md", "recordings": "recordings.md",
	"rbac": "",
}
