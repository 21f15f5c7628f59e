// Package ssh finds the worker nodes of a hosted cluster for a login, and builds the arguments for the user's own ssh.
// It connects through the API server, by KubeVirt's portforward subresource.
package ssh
