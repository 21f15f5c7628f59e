package access

import (
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
)

// Purpose is what a role is for. pkg/rbac has the purposes.
type Purpose string

// Limit is a flag of hcctl rbac that limits a role.
type Limit = hint.Flag

// The limits.
const (
	ByNamespace Limit = "namespace"
	ByName      Limit = "cluster-name"
)

// Feature is a choice of bootstrap's, uninstall's or create's that needs rules of its own.
type Feature string

// The features that options of bootstrap choose.
const (
	DataFoundation Feature = "Data Foundation"
	LVMStorage     Feature = "LVM Storage"
	HostPath       Feature = "the hostpath provisioner"
	DefaultClass   Feature = "a default StorageClass"
	MetalLB        Feature = "MetalLB"
	Community      Feature = "the community catalog"
	Manifests      Feature = "virtualization by manifests"
	GitOps         Feature = "gitops"
	Mirrors        Feature = "mirrors"
	Certificates   Feature = "certificates of registries"
	PullSecret     Feature = "the pull secret"
	// ControlPlaneNodes is work on the nodes of the control plane.
	ControlPlaneNodes Feature = "control plane nodes"
	Settings          Feature = "settings of operators"
)

// Placement is what counts whether worker VMs find places on an infrastructure cluster: it takes a view of all of it.
const Placement Feature = "placement"

// Consoles are the serial consoles of worker VMs: whoever opens one ends the session of another, and may log in. On an
// infrastructure cluster they are the VMs' SSH servers, too.
const Consoles Feature = "consoles"

// OwnAddresses is the option of create that gives a cluster addresses of its own.
const OwnAddresses Feature = "addresses"

// Rule is some verbs on some resources.
type Rule struct {
	// For are the purposes that have it, apart from those that include one of them. A prerequisite's rules have none yet.
	For []Purpose
	// Verbs and Resources are apart by spaces, resources written as "deployments.apps", "pods/log".
	Verbs, Resources string
	// Names limits it to these objects, apart by spaces; empty for all. A {cluster} in it is the hosted cluster's name,
	// and stands for any where that is not known.
	Names string
	// Only are the names that are meant where Kubernetes' rules have none: of what is created, of the pods of pods/exec
	// (etcd-* is every name with that beginning), and of the clusters whose NodePools are written. An admission policy
	// holds users to them.
	Only string
	// Within begins the names of the namespaces that are meant, held by an admission policy.
	Within string
	// Guarded rights need an admission policy, which limits their content. A role without policy does not have them.
	Guarded bool
	At      Place
	// Unless leaves the rule out of roles that are limited so.
	Unless Limit
	// Features are those of which one has to be wanted; none means always.
	Features []Feature
	// Unwatched is set where nothing waits for a change of what is read.
	Unwatched bool
	// Why is what it is for.
	Why string
}

// Writes reports whether the rule has a verb that changes something.
func (r Rule) Writes() bool {
	return slices.ContainsFunc(strings.Fields(r.Verbs), func(v string) bool {
		return !slices.Contains([]string{"get", "list", "watch"}, v)
	})
}

// Wanted reports whether the rule is needed with these features; nil means all features.
func (r Rule) Wanted(features []Feature) bool {
	return features == nil || len(r.Features) == 0 ||
		slices.ContainsFunc(r.Features, func(f Feature) bool { return slices.Contains(features, f) })
}

// Access are the rules as questions to the API server.
func Access(rules []Rule) []kube.Access {
	var out []kube.Access
	for _, r := range rules {
		for _, resource := range strings.Fields(r.Resources) {
			a := kube.AccessTo(r.Verbs, resource)
			a.Names, a.Namespace = strings.Fields(r.Names), r.At.Namespace()
			out = append(out, a)
		}
	}
	return out
}
