// Package gitops has the commands about Argo CD: gitops init, status and approve.
package gitops
