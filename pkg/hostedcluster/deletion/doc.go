// Package deletion finds everything that belongs to a hosted cluster, and has the steps that delete it.
package deletion
