// Package workload has the components of a hosted control plane and makes their Deployments and StatefulSets.
package workload

import (
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
)

// Component is one workload of a hosted control plane, with its dependencies.
type Component struct {
	Name string
	// needs names the components that must be available first.
	needs []string
	// Replicas returns the number of its pods.
	Replicas func(hyperv1.AvailabilityPolicy) int32
	// Kind is its kind of object; empty means a Deployment.
	Kind componentKind
	// priority is the PriorityClass of its pods; empty means hypershift-control-plane.
	priority string
	// labels are put on its pods besides app=<name>.
	labels map[string]string
	// ownLabels are put on its Deployment.
	ownLabels map[string]string
	// feature is what an operator needs to have the component; empty means that all have it.
	feature reconciler.Feature
}

type componentKind string

// Kinds of components other than a Deployment.
const (
	KindStatefulSet componentKind = "StatefulSet"
	KindJob         componentKind = "Job"
	KindCronJob     componentKind = "CronJob"
)

// IgnitionServer is the component that gives machines their configuration.
const IgnitionServer = "ignition-server"

// ControlPlaneOperator is the operator of a control plane, and what it calls itself in labels.
const ControlPlaneOperator = "control-plane-operator"

const (
	priorityControlPlane = "hypershift-control-plane"
	priorityEtcd         = "hypershift-etcd"
	priorityAPI          = "hypershift-api-critical"
)

// Always returns the same number of pods for every availability policy.
func Always(n int32) func(hyperv1.AvailabilityPolicy) int32 {
	return func(hyperv1.AvailabilityPolicy) int32 { return n }
}

// ha returns three pods for a highly available control plane, else one.
func ha(p hyperv1.AvailabilityPolicy) int32 {
	if p == hyperv1.SingleReplica {
		return 1
	}
	return 3
}

// allComponents lists the components, each after those that it needs: etcd, the feature gates, the API server,
// openshift-apiserver with those that need the API server alone, and the rest. Source: WithDependencies in
// control-plane-operator/controllers/hostedcontrolplane/v2, and checkDependencies in support/controlplane-component.
//
// Simplified: the real operator gives most of the others two pods when highly available, here one. In place of the pods
// of a Job the feature gates take a moment.
func allComponents() []Component {
	kas := []string{"kube-apiserver"}
	oapi := []string{"kube-apiserver", "openshift-apiserver"}
	list := []Component{
		{Name: "etcd", Replicas: ha, Kind: KindStatefulSet, priority: priorityEtcd},
		{Name: "featuregate-generator", Kind: KindJob, needs: []string{"etcd"}, Replicas: Always(0),
			feature: reconciler.Components},
		{Name: "kube-apiserver", Replicas: ha, needs: []string{"etcd", "featuregate-generator"}, priority: priorityAPI},
		{Name: IgnitionServer, Replicas: Always(1)},
		{Name: "ignition-server-proxy", Replicas: Always(1), needs: []string{IgnitionServer}},
		{Name: "openshift-apiserver", Replicas: ha, needs: kas, priority: priorityAPI},
		{Name: "openshift-oauth-apiserver", Replicas: ha, needs: oapi, priority: priorityAPI},
		{
			Name: "kubevirt-cloud-controller-manager", Replicas: Always(1), needs: kas,
			labels: map[string]string{"app": "cloud-controller-manager"},
		},
		{Name: "oauth-openshift", Replicas: ha, needs: oapi, priority: priorityAPI},
	}
	for _, name := range []string{
		"catalog-operator", "cluster-autoscaler", "control-plane-pki-operator", "hosted-cluster-config-operator",
		"konnectivity-agent", "kube-controller-manager", "kube-scheduler", "kubevirt-csi-controller", "machine-approver",
		"olm-operator", "packageserver",
	} {
		list = append(list, Component{Name: name, needs: kas, Replicas: Always(1)})
	}
	for _, name := range []string{
		"certified-operators-catalog", "cluster-image-registry-operator", "cluster-network-operator",
		"cluster-node-tuning-operator", "cluster-policy-controller", "cluster-storage-operator", "cluster-version-operator",
		"community-operators-catalog", "dns-operator", "ingress-operator",
		"openshift-controller-manager", "openshift-route-controller-manager", "redhat-operators-catalog",
	} {
		list = append(list, Component{Name: name, needs: oapi, Replicas: Always(1)})
	}
	return append(list,
		Component{Name: "csi-snapshot-controller-operator", needs: oapi, Replicas: Always(1),
			ownLabels: map[string]string{"app": "csi-snapshot-controller-operator"}},
		Component{Name: "kube-storage-version-migrator", needs: oapi, Replicas: Always(1), feature: reconciler.Migrator},
		Component{Name: "redhat-marketplace-catalog", needs: oapi, Replicas: Always(1), feature: reconciler.Marketplace},
		Component{Name: "olm-collect-profiles", Kind: KindCronJob, needs: kas, Replicas: Always(0)},
	)
}

// OperatorDeployments are those that the HyperShift operator itself makes in the namespace.
func OperatorDeployments() []Component {
	var list []Component
	for _, name := range []string{"cluster-api", "capi-provider", ControlPlaneOperator} {
		list = append(list, Component{Name: name, Replicas: Always(1)})
	}
	return list
}

// Unmet returns the dependencies of a component that are not available.
func (c Component) Unmet(available map[string]bool) []string {
	var names []string
	for _, need := range c.needs {
		if !available[need] {
			names = append(names, need)
		}
	}
	return names
}

// Components returns the components of an operator.
func Components(g reconciler.Features) []Component {
	all := allComponents()
	missing := map[string]bool{}
	list := slices.DeleteFunc(all, func(c Component) bool {
		missing[c.Name] = c.feature != "" && !g.Has(c.feature)
		return missing[c.Name]
	})
	for i := range list {
		if list[i].Name == IgnitionServer && g.Has(reconciler.IgnitionLate) {
			list[i].needs = []string{"kube-apiserver"}
		}
		list[i].needs = slices.DeleteFunc(list[i].needs, func(n string) bool { return missing[n] })
	}
	return list
}

// Runs reports whether the component's pods end, as those of a Job.
func (c Component) Runs() bool { return c.Kind == KindJob || c.Kind == KindCronJob }

// leanComponents keep their pods in a lean sandbox.
var leanComponents = []string{"etcd", "kube-apiserver", "control-plane-operator"}

// Omitted reports whether a lean sandbox writes no object of the component, which saves three hundred writes for each
// control plane. ignition-server keeps its Deployment, without pods: a condition of the HostedCluster needs it.
func (c Component) Omitted(lean bool) bool {
	return lean && c.Name != IgnitionServer && !slices.Contains(leanComponents, c.Name)
}

// Sized returns the component with the number of pods that it has in this sandbox. A lean one leaves the others' pods
// out; one for a fleet has one pod of each, also of a highly available control plane.
func (c Component) Sized(lean, fleet bool) Component {
	switch {
	case !lean:
	case !slices.Contains(leanComponents, c.Name):
		c.Replicas = Always(0)
	case fleet:
		c.Replicas = Always(1)
	}
	return c
}
