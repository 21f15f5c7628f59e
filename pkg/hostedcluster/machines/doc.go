// Package machines lists the worker VMs of a hosted cluster with the hosts that they stand on, and labels the hosted
// cluster's nodes with their hosts, racks and zones.
package machines
