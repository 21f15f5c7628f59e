// Package design is the layout of a new StorageCluster of OpenShift Data Foundation: the settings, the releases that
// support them, and the requests of its daemons.
package design
