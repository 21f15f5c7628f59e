// Package gitops has the commands about Argo CD: gitops init, status, approve and register.
package gitops
