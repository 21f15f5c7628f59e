// Package adminkubeconfig reads the admin kubeconfig of a hosted cluster, which comes out of a Secret and may be
// anybody's who can write one.
//
// A kubeconfig can name commands to run, files to read and servers not to verify. Parse takes only what the HyperShift
// operator writes (one https server, its CA, and a client certificate or a token, all inline) and refuses the rest by
// name. Whatever uses such a kubeconfig uses an Access, never the bytes.
package adminkubeconfig
