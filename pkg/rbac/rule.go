package rbac

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/metallb"
	"github.com/hcctl/hcctl/pkg/rbac/rule"
)

type (
	// Feature is a choice of bootstrap's, uninstall's or create's that needs rules of its own.
	Feature = rule.Feature
	// Rule is some verbs on some resources.
	Rule = rule.Rule
)

// The features beside those of bootstrap.
const (
	// These two are options of create cluster that write more than every create does.
	OwnAddresses         = rule.OwnAddresses
	OwnIngress   Feature = "ingress"
	// GitOps is bootstrap's optional group of that name.
	GitOps = rule.GitOps
	// TokenPolicy adds a ValidatingAdmissionPolicy that refuses the subjects Secrets that hold tokens. It has to be wanted
	// by name.
	TokenPolicy Feature = "token-policy"
)

// cluster stands for the hosted cluster's name in the names of a rule.
const cluster = rule.Cluster

// Options are what a role is to be for.
type Options struct {
	Purposes []Purpose
	// Features that are wanted; nil means all.
	Features []Feature
	// Namespace of the hosted clusters, to which rules are limited where a role can be; empty for all namespaces.
	Namespace string
	// ClusterNames limits the rules about hosted clusters to these where a role can; empty for any.
	ClusterNames []string
	// MetalLBNamespace is where MetalLB runs; metallb-system if empty.
	MetalLBNamespace string
}

// limited tells whether the options limit a role so.
func (o Options) limited(by Limit) bool {
	return by == ByNamespace && o.Namespace != "" || by == ByName && len(o.ClusterNames) > 0
}

// Rules are the rules of the table for these options, names filled in.
func Rules(o Options) []Rule {
	var out []Rule
	for _, r := range table() {
		if !slices.ContainsFunc(r.For, func(p Purpose) bool { return within(o.Purposes, p) }) || !r.Wanted(o.Features) ||
			o.limited(r.Unless) {
			continue
		}
		r.Names = namesFor(r, o)
		if r.At == rule.In(metallb.DefaultNamespace) && o.MetalLBNamespace != "" {
			r.At = rule.In(o.MetalLBNamespace)
		}
		out = append(out, r)
	}
	return out
}

// namesFor are the rule's names for these hosted clusters.
func namesFor(r Rule, o Options) string {
	if !strings.Contains(r.Names, "{") {
		return r.Names
	}
	if strings.Contains(r.Names, rule.ServicesNamespace) && o.Namespace == "" {
		return ""
	}
	var names []string
	for _, c := range o.ClusterNames {
		services := hostedcluster.ServicesNamespace(o.Namespace, c)
		names = append(names, strings.NewReplacer(cluster, c, rule.ServicesNamespace, services).Replace(r.Names))
	}
	return strings.Join(names, " ")
}

// groupResource splits "deployments.apps".
func groupResource(resource string) schema.GroupResource { return schema.ParseGroupResource(resource) }
