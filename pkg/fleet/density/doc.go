// Package density measures how many hosted clusters a management cluster can carry, and how fast they are created and
// deleted.
//
// It creates many clusters of one template, records their milestones, stops by rules when the management cluster
// suffers, and deletes the clusters again. The record is on disk, so that a killed run can continue.
package density
