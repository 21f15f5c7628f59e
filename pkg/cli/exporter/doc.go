// Package exporter implements hcctl exporter.
package exporter
