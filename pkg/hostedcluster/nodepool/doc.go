// Package nodepool changes the workers of hosted clusters that exist: it scales, updates, creates and deletes
// NodePools, stops and starts a cluster's workers, and pauses and resumes clusters.
//
// Fields are written one by one with a precondition on the object as it was read, so that no concurrent change is lost.
// If another client has changed the same field, nothing is written and the error says so.
//
// What has to be kept, such as the size of a stopped pool, is an annotation in the same write.
package nodepool
