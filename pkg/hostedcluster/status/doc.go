// Package status is what can be seen of hosted clusters that exist: lists of them and of their node pools, changes
// while they happen, and what is not as it should be with one or with all. It only reads.
package status
