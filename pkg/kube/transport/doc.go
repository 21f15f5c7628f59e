// Package transport is between hcctl and the network. It retries reads, bounds what a server may send and how long it
// may take, and reports outages of the server.
package transport
