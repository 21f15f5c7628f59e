// Package adminkubeconfig reads the admin kubeconfig of a hosted cluster from a Secret. Any user who can write Secrets
// may have written it.
//
// A kubeconfig can name commands to run, files to read and servers not to verify. Parse accepts only what the
// HyperShift operator writes (one https server, its CA, and a client certificate or a token, all inline) and names the
// field that it refuses. Callers use the Access, never the bytes.
package adminkubeconfig
