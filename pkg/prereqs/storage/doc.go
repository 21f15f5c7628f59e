// Package storage holds the prerequisites of storage: a default StorageClass, from OpenShift Data Foundation, LVM
// Storage or what is there, that virtual machines and etcd can use. source.go decides where it comes from.
package storage
