package world

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/hcctl/hcctl/sandbox/profile"
)

// installed is the installation time of the cluster, long before any sandbox starts.
const installed = "2026-01-15T09:30:00Z"

// facts are the values for the templates in birth.
type facts struct {
	profile.Profile
	BaseDomain string
	// Since is the installation time, in RFC 3339.
	Since string
	// Operators are the names of the ClusterOperators.
	Operators []string
	// Known and Enabled are the capabilities in ClusterVersion.
	Known, Enabled []string
	// Namespaces are those at birth.
	Namespaces []string
	// Pools is the number of machines in each MachineConfigPool.
	Pools map[string]int
	// Topology is that of the control plane and of the infrastructure.
	Topology string
}

func factsOf(p profile.Profile) facts {
	f := facts{
		Profile: p, BaseDomain: BaseDomain, Since: installed, Known: capabilities(p), Namespaces: namespaces,
		Pools: map[string]int{"master": p.Nodes.Masters, "worker": p.Nodes.Workers}, Topology: "HighlyAvailable",
	}
	if p.Nodes.Single() {
		f.Topology = "SingleReplica"
	}
	f.Operators, f.Enabled = clusterOperators, f.Known
	if p.Y() >= 18 { // OpenShift contains OLM v1 since 4.18
		f.Operators = append(slices.Clone(f.Operators), "olm")
	}
	if p.NoOLM {
		f.Operators = slices.DeleteFunc(slices.Clone(f.Operators), func(name string) bool {
			return name == "marketplace" || name == "olm" || strings.HasPrefix(name, "operator-lifecycle-manager")
		})
		f.Enabled = slices.DeleteFunc(slices.Clone(f.Known), func(name string) bool {
			return name == "marketplace" || strings.HasPrefix(name, "OperatorLifecycleManager")
		})
		f.Namespaces = slices.DeleteFunc(slices.Clone(namespaces), func(name string) bool {
			return name == "openshift-marketplace" || strings.HasPrefix(name, "openshift-operator")
		})
	}
	return f
}

// capabilities returns the capabilities that an OpenShift knows, from its own table, which ends with 4.18; later
// releases have the same here. 4.12 and 4.13 have MachineAPI, but not yet as a capability.
func capabilities(p profile.Profile) []string {
	set := configv1.ClusterVersionCapabilitySets[configv1.ClusterVersionCapabilitySet(
		fmt.Sprintf("v4.%d", min(p.Y(), 18)))]
	var out []string
	for _, c := range set {
		if c != configv1.ClusterVersionCapabilityMachineAPI || p.Y() >= 14 {
			out = append(out, string(c))
		}
	}
	slices.Sort(out)
	return out
}

// kubelet returns the Kubernetes version of that OpenShift's nodes: its minor is OpenShift's plus 13. The API server
// reports its real version, 1.36. The patch version is made up.
func kubelet(p profile.Profile) string { return fmt.Sprintf("v1.%d.5", p.Y()+13) }

// namespaces are the few of OpenShift's sixty that the sandbox uses. OLM lists every namespace, so more would cost
// time.
var namespaces = []string{
	"openshift-config", "openshift-config-managed", "openshift-dns", "openshift-etcd", "openshift-ingress",
	"openshift-ingress-operator", "openshift-kube-apiserver", "openshift-machine-api", "openshift-marketplace",
	"openshift-monitoring", "openshift-operator-lifecycle-manager", "openshift-operators",
}

// clusterOperators are those of every bare-metal OpenShift from 4.12 on.
var clusterOperators = []string{
	"authentication", "baremetal", "cloud-controller-manager", "cloud-credential", "cluster-autoscaler", "config-operator",
	"console", "control-plane-machine-set", "csi-snapshot-controller", "dns", "etcd", "image-registry", "ingress",
	"insights",
	"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-storage-version-migrator", "machine-api",
	"machine-approver", "machine-config", "marketplace", "monitoring", "network", "node-tuning", "openshift-apiserver",
	"openshift-controller-manager", "openshift-samples", "operator-lifecycle-manager",
	"operator-lifecycle-manager-catalog",
	"operator-lifecycle-manager-packageserver", "service-ca", "storage",
}

// Defines reports whether the profile's OpenShift has the CRD of that name at birth.
func Defines(p profile.Profile, crd string) bool {
	switch crd {
	case "userdefinednetworks.k8s.ovn.org", "clusteruserdefinednetworks.k8s.ovn.org":
		return p.Y() >= 18
	case "imagedigestmirrorsets.config.openshift.io", "imagetagmirrorsets.config.openshift.io":
		return p.Y() >= 13 // earlier releases have ImageContentSourcePolicy only
	case "operatorhubs.config.openshift.io":
		return !p.NoOLM
	}
	return !p.NoOLM || !strings.HasSuffix(crd, ".operators.coreos.com")
}

func encode(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
