// Package exporter serves the states of hosted clusters as metrics of Prometheus. It only reads, by two watches.
//
// Labels come from the cluster, so they are bounded: names of conditions, reasons and versions have to look like such,
// reasons have a limit of distinct values, and clusters beyond a limit are counted but have no series of their own. A
// label that does not look as it should is "other".
package exporter
