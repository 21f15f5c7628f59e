// Package aggregated serves API groups beside the API server: one HTTPS server on loopback for all of them, reached
// through the API server's aggregation layer by an APIService whose Service is of type ExternalName localhost.
package aggregated
