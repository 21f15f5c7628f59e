// Package deletion finds everything of a hosted cluster and has the steps that delete it until nothing is left.
package deletion
