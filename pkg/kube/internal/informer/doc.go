// Package informer keeps watch-backed copies of what steps read while they wait, and what was read once for a whole
// run.
package informer
