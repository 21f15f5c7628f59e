// Package kubeconfig implements hcctl kubeconfig.
package kubeconfig
