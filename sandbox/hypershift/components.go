package hypershift

import (
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
)

// component is one workload of a hosted control plane and what must be available before it starts.
type component struct {
	name string
	// needs are other components by name.
	needs []string
	// replicas says how many pods it has.
	replicas func(hyperv1.AvailabilityPolicy) int32
	// kind is what carries it; empty means a Deployment.
	kind componentKind
	// priority is the PriorityClass of its pods; empty means hypershift-control-plane.
	priority string
	// labels are put on its pods besides app=<name>.
	labels map[string]string
	// modernOnly components came with later operators.
	modernOnly bool
}

type componentKind string

const (
	kindStatefulSet componentKind = "StatefulSet"
	kindJob         componentKind = "Job"
)

const (
	priorityControlPlane = "hypershift-control-plane"
	priorityEtcd         = "hypershift-etcd"
	priorityAPI          = "hypershift-api-critical"
)

func always(n int32) func(hyperv1.AvailabilityPolicy) int32 {
	return func(hyperv1.AvailabilityPolicy) int32 { return n }
}

// ha is three pods for a highly available control plane, else one.
func ha(p hyperv1.AvailabilityPolicy) int32 {
	if p == hyperv1.SingleReplica {
		return 1
	}
	return 3
}

// components of a control plane, in the order they come up (recorded): etcd and ignition first, then the
// feature gates, the API server, openshift-apiserver with those that need the API server alone, and the rest.
//
// Simplified: the real operator gives most of the others two pods when highly available, here one; and in place of the
// pods of a Job the feature gates take a moment.
func components() []component {
	kas := []string{"kube-apiserver"}
	oapi := []string{"kube-apiserver", "openshift-apiserver"}
	list := []component{
		{name: "etcd", replicas: ha, kind: kindStatefulSet, priority: priorityEtcd},
		{name: "ignition-server", replicas: always(1)},
		{name: "ignition-server-proxy", replicas: always(1)},
		{name: "featuregate-generator", kind: kindJob, needs: []string{"etcd"}, replicas: always(0), modernOnly: true},
		{name: "kube-apiserver", replicas: ha, needs: []string{"etcd", "featuregate-generator"}, priority: priorityAPI},
		{name: "openshift-apiserver", replicas: ha, needs: kas, priority: priorityAPI},
		{name: "openshift-oauth-apiserver", replicas: ha, needs: kas, priority: priorityAPI},
		{
			name: "kubevirt-cloud-controller-manager", replicas: always(1), needs: kas,
			labels: map[string]string{"app": "cloud-controller-manager"},
		},
		{name: "oauth-openshift", replicas: ha, needs: oapi, priority: priorityAPI},
	}
	for _, name := range []string{
		"cluster-autoscaler", "cluster-policy-controller", "cluster-version-operator", "control-plane-pki-operator",
		"hosted-cluster-config-operator", "konnectivity-agent", "kube-controller-manager", "kube-scheduler",
		"machine-approver", "kubevirt-csi-controller",
	} {
		list = append(list, component{name: name, needs: kas, replicas: always(1)})
	}
	for _, name := range []string{
		"catalog-operator", "certified-operators-catalog", "cluster-image-registry-operator", "cluster-network-operator",
		"cluster-node-tuning-operator", "cluster-storage-operator", "community-operators-catalog",
		"csi-snapshot-controller-operator", "dns-operator", "ingress-operator", "kube-storage-version-migrator",
		"olm-operator", "openshift-controller-manager", "openshift-route-controller-manager", "packageserver",
		"redhat-marketplace-catalog", "redhat-operators-catalog",
	} {
		list = append(list, component{name: name, needs: oapi, replicas: always(1)})
	}
	return list
}

// unmet lists what of a component's needs is not available.
func (c component) unmet(available map[string]bool) []string {
	var names []string
	for _, need := range c.needs {
		if !available[need] {
			names = append(names, need)
		}
	}
	return names
}

// componentsOf leaves out what older operators do not have: a modern one has all.
func componentsOf(modern bool) []component {
	var list []component
	for _, c := range components() {
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

// imagined: nothing of the component is written. In a fleet that is most of them: their objects, and what the controllers make of those,
// would be three hundred writes for each control plane. ignition-server stays, without pods: what it says is a condition of the HostedCluster.
func (c component) imagined(lean bool) bool {
	return lean && c.name != "ignition-server" && !slices.Contains(leanComponents, c.name)
}

// sized says how many pods a component really gets.
func (c component) sized(lean bool) component {
	if !lean {
		return c
	}
	n := int32(0)
	if slices.Contains(leanComponents, c.name) {
		n = 1
	}
	c.replicas = always(n)
	return c
}
