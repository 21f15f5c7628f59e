// Package kubeconfig has the ways into a hosted cluster: kubeconfig, password, exec, environment.
package kubeconfig
