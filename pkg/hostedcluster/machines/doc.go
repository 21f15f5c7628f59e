// Package machines lists the worker VMs of a hosted cluster with their hosts.
package machines
