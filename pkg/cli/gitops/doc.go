// Package gitops implements hcctl gitops: init, status, approve and register.
package gitops
