// Package oadp renders Velero's Backup and Restore for a hosted cluster, for management clusters with OADP and its
// HyperShift plugin. It writes nothing to the cluster. docs/backup.md has the vendor's sources.
package oadp
