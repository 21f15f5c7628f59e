// Package kubeconfig has the commands that access a hosted cluster: kubeconfig, password, exec, and the topic
// environment.
package kubeconfig
