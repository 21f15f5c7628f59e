// Package nodepool changes the workers of existing hosted clusters: it scales, updates, creates and deletes NodePools,
// stops and starts a cluster's workers, and pauses and resumes clusters.
//
// Each field is written with a precondition on the object as it was read, so that no concurrent change is lost. If
// another client has changed the same field, nothing is written and the error reports it.
//
// State that must be kept, such as the size of a stopped pool, is written into an annotation in the same request.
package nodepool
