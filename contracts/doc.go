// Package contracts has facts of the operators that hcctl talks to: the words that they write and read, and the fields
// of their kinds, by version. README.md has the form of the files and where each fact comes from. Only tests, and the
// program that makes the sandbox's CRDs, import it: hcctl itself must not change with it.
package contracts

import "embed"

// files are the facts: one YAML file for each component, and one table for each kind.
//
//go:embed *.yaml schemas/*.tsv
var files embed.FS
