// Package density finds out how many hosted clusters a management cluster carries and how fast they come and go: it
// creates many of one template, notes when each reached which milestone, watches the management cluster for signs of
// harm, and deletes them again. The record is on disk, so that a run that was killed goes on.
package density
