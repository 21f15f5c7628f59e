// Package expiry reads when that ends by which a hosted cluster is entered and served: its administrator's kubeconfig,
// certificates and tokens. health judges the dates; no content of a Secret leaves this package.
package expiry
