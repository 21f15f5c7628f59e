// Package workload has the components of a hosted control plane and makes their Deployments and StatefulSets.
package workload

import (
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
)

// Component is one workload of a hosted control plane and what must be available before it starts.
type Component struct {
	Name string
	// needs are other components by name.
	needs []string
	// Replicas says how many pods it has.
	Replicas func(hyperv1.AvailabilityPolicy) int32
	// Kind is what carries it; empty means a Deployment.
	Kind componentKind
	// priority is the PriorityClass of its pods; empty means hypershift-control-plane.
	priority string
	// labels are put on its pods besides app=<name>.
	labels map[string]string
	// modernOnly components came with later operators.
	modernOnly bool
}

type componentKind string

// Kinds of a component that is no Deployment.
const (
	KindStatefulSet componentKind = "StatefulSet"
	KindJob         componentKind = "Job"
)

const (
	priorityControlPlane = "hypershift-control-plane"
	priorityEtcd         = "hypershift-etcd"
	priorityAPI          = "hypershift-api-critical"
)

// Always is the same number of pods for every availability policy.
func Always(n int32) func(hyperv1.AvailabilityPolicy) int32 {
	return func(hyperv1.AvailabilityPolicy) int32 { return n }
}

// ha is three pods for a highly available control plane, else one.
func ha(p hyperv1.AvailabilityPolicy) int32 {
	if p == hyperv1.SingleReplica {
		return 1
	}
	return 3
}

// allComponents of a control plane, in the order they come up (recorded): etcd and ignition first, then the
// feature gates, the API server, openshift-apiserver with those that need the API server alone, and the rest.
//
// Simplified: the real operator gives most of the others two pods when highly available, here one; and in place of the
// pods of a Job the feature gates take a moment.
func allComponents() []Component {
	kas := []string{"kube-apiserver"}
	oapi := []string{"kube-apiserver", "openshift-apiserver"}
	list := []Component{
		{Name: "etcd", Replicas: ha, Kind: KindStatefulSet, priority: priorityEtcd},
		{Name: "ignition-server", Replicas: Always(1)},
		{Name: "ignition-server-proxy", Replicas: Always(1)},
		{Name: "featuregate-generator", Kind: KindJob, needs: []string{"etcd"}, Replicas: Always(0), modernOnly: true},
		{Name: "kube-apiserver", Replicas: ha, needs: []string{"etcd", "featuregate-generator"}, priority: priorityAPI},
		{Name: "openshift-apiserver", Replicas: ha, needs: kas, priority: priorityAPI},
		{Name: "openshift-oauth-apiserver", Replicas: ha, needs: kas, priority: priorityAPI},
		{
			Name: "kubevirt-cloud-controller-manager", Replicas: Always(1), needs: kas,
			labels: map[string]string{"app": "cloud-controller-manager"},
		},
		{Name: "oauth-openshift", Replicas: ha, needs: oapi, priority: priorityAPI},
	}
	for _, name := range []string{
		"cluster-autoscaler", "cluster-policy-controller", "cluster-version-operator", "control-plane-pki-operator",
		"hosted-cluster-config-operator", "konnectivity-agent", "kube-controller-manager", "kube-scheduler",
		"machine-approver", "kubevirt-csi-controller",
	} {
		list = append(list, Component{Name: name, needs: kas, Replicas: Always(1)})
	}
	for _, name := range []string{
		"catalog-operator", "certified-operators-catalog", "cluster-image-registry-operator", "cluster-network-operator",
		"cluster-node-tuning-operator", "cluster-storage-operator", "community-operators-catalog",
		"csi-snapshot-controller-operator", "dns-operator", "ingress-operator", "kube-storage-version-migrator",
		"olm-operator", "openshift-controller-manager", "openshift-route-controller-manager", "packageserver",
		"redhat-marketplace-catalog", "redhat-operators-catalog",
	} {
		list = append(list, Component{Name: name, needs: oapi, Replicas: Always(1)})
	}
	return list
}

// Unmet lists what of a component's needs is not available.
func (c Component) Unmet(available map[string]bool) []string {
	var names []string
	for _, need := range c.needs {
		if !available[need] {
			names = append(names, need)
		}
	}
	return names
}

// Components leaves out what older operators do not have: a modern one has all.
func Components(modern bool) []Component {
	var list []Component
	for _, c := range allComponents() {
		if c.modernOnly && !modern {
			continue
		}
		if !modern {
			c.needs = without(c.needs, "featuregate-generator")
		}
		list = append(list, c)
	}
	return list
}

func without(names []string, name string) []string {
	var kept []string
	for _, n := range names {
		if n != name {
			kept = append(kept, n)
		}
	}
	return kept
}

// leanComponents keep their pods when nobody else does.
var leanComponents = []string{"etcd", "kube-apiserver", "control-plane-operator"}

// Omitted tells whether nothing of the component is written in a lean sandbox. Most components of a fleet are: their
// objects would be three hundred writes for each control plane. ignition-server stays, without pods: a condition of
// the HostedCluster rests on it.
func (c Component) Omitted(lean bool) bool {
	return lean && c.Name != "ignition-server" && !slices.Contains(leanComponents, c.Name)
}

// Sized says how many pods a component really gets.
func (c Component) Sized(lean bool) Component {
	if !lean {
		return c
	}
	n := int32(0)
	if slices.Contains(leanComponents, c.Name) {
		n = 1
	}
	c.Replicas = Always(n)
	return c
}
