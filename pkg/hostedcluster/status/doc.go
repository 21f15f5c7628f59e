// Package status reads the state of existing hosted clusters: lists of them and of their node pools, changes as they
// happen, and the problems of one cluster or of all. It only reads.
package status
