// Package fleet does for many hosted clusters what pkg/hostedcluster does for one. Their steps form one graph in which
// each cluster is a subject, so that a failed cluster does not stop the others.
package fleet
