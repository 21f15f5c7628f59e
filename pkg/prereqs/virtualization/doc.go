// Package virtualization holds the prerequisites of OpenShift Virtualization: its operator, from a catalog or a
// directory of manifests, HyperConverged, and nodes with KVM.
package virtualization
