// Package placement decides where the worker VMs of hosted clusters may run: how they spread over hosts, racks and
// zones, and which clusters share no hosts. It writes that into the JSON patch of the VirtualMachines, parses it from
// there, and counts whether all VMs can be placed. It knows no flags, and reads no cluster.
package placement
