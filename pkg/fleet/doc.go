// Package fleet does to many hosted clusters what pkg/hostedcluster does to one. The steps of all clusters make one
// graph, in which each cluster is a subject with its own time limit: one that fails stops none of the others.
package fleet
