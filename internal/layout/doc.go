// Package layout finds the command lines in documents, and live reads in checks. Its tests compare documents, workflows
// and examples with this repository: links, make targets, names of files and tests.
package layout
