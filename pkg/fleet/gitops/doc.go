// Package gitops writes a Git repository from which Argo CD manages hosted clusters and their content, and
// reports the progress of Argo CD. The repository has no Secret, and writing it contacts no server.
package gitops
