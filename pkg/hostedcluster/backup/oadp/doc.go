// Package oadp renders what a backup and a restore of a hosted cluster take where OADP is installed with the HyperShift
// plugin: Velero's Backup and Restore. Nothing is written to the cluster. docs/backup.md has the vendor's sources.
package oadp
