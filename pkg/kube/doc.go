// Package kube is hcctl's Kubernetes client: the kinds it knows, reads that become watches while a step waits,
// server-side apply, and classes of API errors.
//
// It needs no discovery: one table lists every kind that hcctl uses. A CRD that is not registered yet is "not found",
// costs no request, and no cache of kinds gets stale.
package kube
