// Package layout reads the folders of this repository and the linter's import rules. Its tests hold the rules of
// docs/architecture.md: small packages, plain file names, a doc comment and an import rule for each package.
package layout
