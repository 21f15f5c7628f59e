// Package profile describes the OpenShift that a sandbox simulates: its version, its catalogs, and the behaviour of its
// operators. Facts come from the vendors' documents and source, never from hcctl.
package profile

import (
	"fmt"
	"sort"
	"strings"
)

// Profile is one management cluster at birth. Use Get to make one; the zero value is not valid.
type Profile struct {
	// Name is the value of --profile.
	Name string
	// About is one line for users: the purpose of the profile.
	About string
	// OpenShift is the version in ClusterVersion, such as 4.20.3.
	OpenShift string
	// ReleaseImage is the payload in ClusterVersion, by digest.
	ReleaseImage string
	// MCEChannels are the available multicluster-engine channels, oldest first. The last is the default channel.
	MCEChannels []MCEChannel
	// KubeVirt is the version that this OpenShift's OpenShift Virtualization deploys, with "v" as in its version
	// endpoint.
	KubeVirt string
	// Nodes are its machines.
	Nodes Nodes
	// Birth names the operators that are installed at birth, a directory of package world. "" is an OpenShift without any.
	Birth string
	// Mirror is set for a cluster without access to the vendors' registries.
	Mirror *Mirror
	// VendorHyperShift is true if HyperShift is the vendor's own, not the simulated one.
	VendorHyperShift bool
	// ArgoCD is true if the vendor's own Argo CD runs, as OpenShift GitOps has it.
	ArgoCD bool
	// NoOLM means that this cluster has neither the Operator Lifecycle Manager nor the marketplace.
	NoOLM bool
}

// Provisioned reports whether everything that hosted clusters need is installed at birth.
func (p Profile) Provisioned() bool { return p.Birth == Ready }

// World is the name of the profile whose recording fits: HyperShift of each form and version starts from the same
// state.
func (p Profile) World() string {
	if p.Birth == Ready {
		return Ready
	}
	return p.Name
}

// The values of Birth.
const (
	// Ready is everything that hosted clusters need.
	Ready = "ready"
	// ACM is Advanced Cluster Management with its MultiClusterHub and the operators that it installs.
	ACM = "acm"
)

// Nodes is the number of machines of each kind.
type Nodes struct {
	// Masters is the number of control-plane nodes, Workers that of the others. Without workers, the masters are both.
	Masters, Workers int
}

// Compact reports whether the control-plane nodes are the workers.
func (n Nodes) Compact() bool { return n.Workers == 0 }

// Single reports whether there is only one node.
func (n Nodes) Single() bool { return n.Masters+n.Workers == 1 }

// Disks returns the number of empty disks for storage: three on each node that takes workloads.
func (n Nodes) Disks() int {
	if n.Compact() {
		return 3 * n.Masters
	}
	return 3 * n.Workers
}

// Mirror is the registry of a disconnected cluster.
type Mirror struct {
	// Registry is the mirror's host and port.
	Registry string
	// Catalog is the CatalogSource that oc-mirror wrote. The default ones are off.
	Catalog string
	// Lacks lists the packages of redhat-operators that are not mirrored.
	Lacks []string
}

// Minor returns the OpenShift minor, such as 4.20.
func (p Profile) Minor() string {
	parts := strings.SplitN(p.OpenShift, ".", 3)
	return parts[0] + "." + parts[1]
}

// Y returns the 20 of 4.20; it is 23 for 4.23 and 5.0, and 24 for 5.1.
func (p Profile) Y() int { return MinorNumber(p.OpenShift) }

// Get returns the named profile, or an error that lists all names.
func Get(name string) (Profile, error) {
	p, ok := profiles()[name]
	if !ok {
		return Profile{}, fmt.Errorf("no profile %q: there are %s", name, strings.Join(Names(), ", "))
	}
	p.Name = name
	return p, nil
}

// Names lists the profiles, sorted.
func Names() []string {
	all := profiles()
	names := make([]string, 0, len(all))
	for n := range all {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}
