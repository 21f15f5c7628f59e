// Package disk decides which disks of the nodes Data Foundation or LVM Storage takes. It is pure: reports of the Local
// Storage Operator's discovery and a selection in, a plan with its digest out. Nothing is read or written here.
package disk
