package rbac

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/kube"
)

// Feature is a choice of bootstrap's, uninstall's or create's that needs rules of its own.
type Feature string

// The features.
const (
	DataFoundation Feature = "Data Foundation"
	LVMStorage     Feature = "LVM Storage"
	DefaultClass   Feature = "a default StorageClass"
	MetalLB        Feature = "MetalLB"
	Community      Feature = "the community catalog"
	Manifests      Feature = "virtualization by manifests"
	// These two are options of create cluster that write more than every create does.
	OwnAddresses Feature = "addresses"
	OwnIngress   Feature = "ingress"
	// TokenPolicy adds a ValidatingAdmissionPolicy that refuses the subjects Secrets that hold tokens. It has to be wanted
	// by name.
	TokenPolicy Feature = "token-policy"
)

// cluster stands for the hosted cluster's name in the names of a rule.
const cluster = "{cluster}"

// Rule is some verbs on some resources.
type Rule struct {
	// For are the purposes that have it, apart from those that include one of them.
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
	// Why is what it is for.
	Why string
}

// Options are what a role is to be for.
type Options struct {
	Purposes []Purpose
	// Features that are wanted; nil means all.
	Features []Feature
	// Namespace of the hosted clusters, to which rules are limited where a role can be; empty for all namespaces.
	Namespace string
	// ClusterNames limits the rules about hosted clusters to these where a role can; empty for any.
	ClusterNames []string
}

// limited tells whether the options limit a role so.
func (o Options) limited(by Limit) bool {
	return by == ByNamespace && o.Namespace != "" || by == ByName && len(o.ClusterNames) > 0
}

// Rules are the rules of the table for these options, names filled in.
func Rules(o Options) []Rule {
	var out []Rule
	for _, r := range table() {
		if !slices.ContainsFunc(r.For, func(p Purpose) bool { return within(o.Purposes, p) }) || !r.wanted(o.Features) ||
			o.limited(r.Unless) {
			continue
		}
		r.Names = r.named(o.ClusterNames)
		out = append(out, r)
	}
	return out
}

func (r Rule) wanted(features []Feature) bool {
	return features == nil || len(r.Features) == 0 ||
		slices.ContainsFunc(r.Features, func(f Feature) bool { return slices.Contains(features, f) })
}

// named are the rule's names for these hosted clusters.
func (r Rule) named(clusters []string) string {
	if !strings.Contains(r.Names, cluster) {
		return r.Names
	}
	var names []string
	for _, c := range clusters {
		names = append(names, strings.ReplaceAll(r.Names, cluster, c))
	}
	return strings.Join(names, " ")
}

// Access are the rules as questions to the API server.
func Access(rules []Rule) []kube.Access {
	var out []kube.Access
	for _, r := range rules {
		for _, resource := range strings.Fields(r.Resources) {
			a := kube.AccessTo(r.Verbs, resource)
			a.Names, a.Namespace = strings.Fields(r.Names), r.At.fixed()
			out = append(out, a)
		}
	}
	return out
}

// groupResource splits "deployments.apps".
func groupResource(resource string) schema.GroupResource { return schema.ParseGroupResource(resource) }
