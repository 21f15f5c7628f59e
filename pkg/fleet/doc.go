// Package fleet does to many hosted clusters what pkg/hostedcluster does to one: their steps make one graph, in which
// each cluster is a subject of its own, so that one that fails stops none of the others.
package fleet
