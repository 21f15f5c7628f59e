// Package layout finds the command lines in documents, and the reads in checks that would be live. Its tests hold what
// documents, workflows and examples say of this repository: links, make targets, names of files and tests.
package layout
