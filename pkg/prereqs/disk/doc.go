// Package disk decides which disks of the nodes Data Foundation or LVM Storage takes. It is pure: its input is the
// reports of the Local Storage Operator's discovery and a selection, its output is a plan with a digest. It reads and
// writes nothing.
package disk
