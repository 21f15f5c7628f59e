// Package exporter has the command exporter.
package exporter
