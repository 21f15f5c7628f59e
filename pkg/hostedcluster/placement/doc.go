// Package placement says where the worker VMs of hosted clusters may stand: how they spread over hosts, racks and
// zones, and which clusters share no hosts. It writes that into the JSON patch of the VirtualMachines, reads it back
// from there, and counts whether it can hold. It knows nothing of flags, and reads no cluster.
package placement
