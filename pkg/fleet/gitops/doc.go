// Package gitops writes a Git repository from which Argo CD keeps hosted clusters and what is in them, and tells how
// far Argo CD is. The repository has no Secret. It asks no server to write the repository.
package gitops
