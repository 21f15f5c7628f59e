// Package deletion finds everything that belongs to a hosted cluster, and returns the steps that delete it.
package deletion
