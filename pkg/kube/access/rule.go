package access

import (
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
)

// Purpose is the purpose of a role. pkg/rbac has the purposes.
type Purpose string

// Limit is a flag of hcctl rbac that narrows a role.
type Limit = hint.Flag

// The limits of roles.
const (
	ByNamespace Limit = "namespace"
	ByName      Limit = "cluster-name"
)

// Feature is an option of bootstrap, uninstall or create that needs additional rules.
type Feature string

// Features that options of bootstrap select.
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
	// ControlPlaneNodes runs workloads on the control plane nodes.
	ControlPlaneNodes Feature = "control plane nodes"
	Settings          Feature = "settings of operators"
)

// Placement checks whether worker VMs fit on an infrastructure cluster. It needs read access to the whole cluster.
const Placement Feature = "placement"

// Consoles is access to the serial consoles of worker VMs, and on an infrastructure cluster to the VMs' SSH servers.
// Opening a console ends another user's session and may allow a login.
const Consoles Feature = "consoles"

// OwnAddresses is the option of create that gives a cluster its own addresses.
const OwnAddresses Feature = "addresses"

// Rule allows verbs on resources.
type Rule struct {
	// For has the purposes with this rule; purposes that include one of them get it, too. It is empty in a prerequisite's
	// rules.
	For []Purpose
	// Verbs and Resources are separated by spaces. Resources are written as "deployments.apps" or "pods/log".
	Verbs, Resources string
	// Names limits the rule to these objects, separated by spaces; empty for all. {cluster} is the hosted cluster's name,
	// or any name if it is not known.
	Names string
	// Only limits names where RBAC cannot: of created objects, of the pods of pods/exec (etcd-* is a name prefix), and of
	// the clusters whose NodePools are written. An admission policy enforces it.
	Only string
	// Within is the name prefix of the allowed namespaces. An admission policy enforces it.
	Within string
	// Guarded rules need an admission policy that limits the content of the objects. A role without the policy does not
	// get them.
	Guarded bool
	At      Place
	// Unless excludes the rule from roles with this limit.
	Unless Limit
	// Features lists alternatives: the rule is needed if one of them is selected. Empty means always.
	Features []Feature
	// Unwatched is set if no step waits for a change of the objects.
	Unwatched bool
	// Why is the reason for the rule, for the user.
	Why string
}

// Writes reports whether the rule has a verb that changes something.
func (r Rule) Writes() bool {
	return slices.ContainsFunc(strings.Fields(r.Verbs), func(v string) bool {
		return !slices.Contains([]string{"get", "list", "watch"}, v)
	})
}

// Wanted reports whether the rule is needed for these features; nil means all features.
func (r Rule) Wanted(features []Feature) bool {
	return features == nil || len(r.Features) == 0 ||
		slices.ContainsFunc(r.Features, func(f Feature) bool { return slices.Contains(features, f) })
}

// Access returns the permissions that the rules allow, for access reviews.
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
