// Package aggregated serves API groups beside the API server. One HTTPS server on loopback serves all of them; the API
// server reaches it through APIServices whose Services are of type ExternalName localhost.
package aggregated
