// Package transport is between hcctl and the network: it retries what may be asked twice, bounds what a server may
// send and how long it may take, and keeps in mind whether the server answers.
package transport
