// Package multicluster holds the prerequisites of multicluster engine and of HyperShift, which its addon installs.
package multicluster
