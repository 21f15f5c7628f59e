// Package profile says which OpenShift a sandbox plays: its version, what its catalogs offer, and how its operators
// of that generation behave. Facts come from the vendors' documents and source, never from hcctl.
package profile

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// Profile is one management cluster at birth. The zero value is of no use; take one from Get.
type Profile struct {
	// Name is what --profile takes.
	Name string
	// About is one line for people: what the profile is for.
	About string
	// OpenShift is the version in ClusterVersion, such as 4.20.3.
	OpenShift string
	// ReleaseImage is the payload ClusterVersion names, by digest.
	ReleaseImage string
	// MCEChannels are the multicluster-engine channels on offer, oldest first; the last is the default channel.
	MCEChannels []MCEChannel
	// KubeVirt is the version OpenShift Virtualization of this OpenShift deploys (its version endpoint, with "v").
	KubeVirt string
	// Nodes are its machines.
	Nodes Nodes
	// Birth names what is installed at birth: a folder of package world. "" is a bare OpenShift.
	Birth string
	// Mirror is set for a cluster without a way to the vendors' registries.
	Mirror *Mirror
	// NoOLM means that the Operator Lifecycle Manager and the marketplace are not part of this cluster.
	NoOLM bool
}

// Provisioned says whether everything hosted clusters need is in place at birth.
func (p Profile) Provisioned() bool { return p.Birth == Ready }

// What Birth may name.
const (
	// Ready is everything hosted clusters need.
	Ready = "ready"
	// ACM is Advanced Cluster Management with its MultiClusterHub, and what that brings.
	ACM = "acm"
)

// Nodes says how many machines of which kind there are.
type Nodes struct {
	// Masters is the number of control-plane nodes, Workers that of all others. Without workers the masters are both.
	Masters, Workers int
}

// Compact says whether the control-plane nodes are the workers.
func (n Nodes) Compact() bool { return n.Workers == 0 }

// Single says whether there is one node only.
func (n Nodes) Single() bool { return n.Masters+n.Workers == 1 }

// Disks is the number of empty disks for storage: three on each node that takes workloads.
func (n Nodes) Disks() int {
	if n.Compact() {
		return 3 * n.Masters
	}
	return 3 * n.Workers
}

// Mirror is the registry of a disconnected cluster.
type Mirror struct {
	// Registry is its host and port.
	Registry string
	// Catalog is the CatalogSource oc-mirror wrote; the default ones are switched off.
	Catalog string
	// Lacks are packages of redhat-operators nobody mirrored.
	Lacks []string
}

// Minor is the OpenShift minor, such as 4.20.
func (p Profile) Minor() string {
	parts := strings.SplitN(p.OpenShift, ".", 3)
	return parts[0] + "." + parts[1]
}

// Y is the 20 of 4.20.
func (p Profile) Y() int {
	y, err := strconv.Atoi(strings.TrimPrefix(p.Minor(), "4."))
	if err != nil {
		return 0 // every profile in the table has one; a test holds that
	}
	return y
}

// Get returns the named profile, or an error that lists the names there are.
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

func minor(x, y int) string { return fmt.Sprintf("%d.%d", x, y) }
