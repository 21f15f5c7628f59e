// Package kube is hcctl's client: the kinds it knows, reads that turn into watches while a step waits, server-side
// apply, and what an error of the API server means.
//
// It asks for no discovery: every kind hcctl touches stands in one table, so a CRD that is not registered yet is simply
// "not found", costs no request, and there is no cache of kinds to go stale.
package kube
