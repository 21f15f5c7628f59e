// Package ssh finds the worker nodes of a hosted cluster that a user logs in to, and says how the user's own ssh gets
// there: through the API server, by KubeVirt's portforward subresource.
package ssh
