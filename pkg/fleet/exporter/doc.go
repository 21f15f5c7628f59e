// Package exporter serves the states of hosted clusters as metrics for Prometheus. It only reads, with two
// watches.
//
// Label values come from the cluster, so they are limited. Names of conditions, reasons and versions must have a
// valid form, or the label is "other"; the number of distinct reasons is limited. Clusters beyond a limit are
// counted, but have no series of their own.
package exporter
