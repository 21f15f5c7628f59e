// Package kubeconfig has the command kubeconfig.
package kubeconfig
