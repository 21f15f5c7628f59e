// Package kubetest is an API server in memory for tests of what reads and writes through a kube.Client.
package kubetest
