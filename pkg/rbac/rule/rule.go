package rule

import (
	"slices"
	"strings"

	"github.com/hcctl/hcctl/pkg/kube"
)

// Purpose is what a role is for. pkg/rbac has the purposes.
type Purpose string

// Limit is a flag of hcctl rbac that limits a role. pkg/rbac has the limits.
type Limit string

// Feature is a choice of bootstrap's, uninstall's or create's that needs rules of its own.
type Feature string

// The features that options of bootstrap choose.
const (
	DataFoundation Feature = "Data Foundation"
	LVMStorage     Feature = "LVM Storage"
	DefaultClass   Feature = "a default StorageClass"
	MetalLB        Feature = "MetalLB"
	Community      Feature = "the community catalog"
	Manifests      Feature = "virtualization by manifests"
	GitOps         Feature = "gitops"
)

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
	At    Place
	// Unless leaves the rule out of roles that are limited so.
	Unless Limit
	// Features are those of which one has to be wanted; none means always.
	Features []Feature
	// Unwatched is set where nothing waits for a change of what is read.
	Unwatched bool
	// Why is what it is for.
	Why string
}

// Wanted tells whether the rule is needed with these features; nil means all features.
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
