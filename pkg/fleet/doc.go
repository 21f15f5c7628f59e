// Package fleet works on many hosted clusters as pkg/hostedcluster works on one. The steps of all clusters make
// one graph, in which each cluster is a subject with its own time limit. A cluster that fails does not stop the
// others.
package fleet
