// Package transport is the HTTP transport of hcctl's clients. It retries reads, limits the size and duration of
// answers, and reports outages of the server.
package transport
