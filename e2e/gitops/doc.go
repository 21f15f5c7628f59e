// Package gitops runs hcctl against the vendor's own Argo CD in a sandbox: make test-gitops.
package gitops
