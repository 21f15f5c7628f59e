package rbac

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/metallb"
)

type (
	// Feature is an option of bootstrap, uninstall or create that needs additional rules.
	Feature = access.Feature
	// Rule allows verbs on resources.
	Rule = access.Rule
)

// The features other than those of bootstrap.
const (
	// OwnAddresses and OwnIngress are options of create cluster that need additional writes.
	OwnAddresses         = access.OwnAddresses
	OwnIngress   Feature = "ingress"
	// GitOps is the optional group gitops of bootstrap.
	GitOps = access.GitOps
	// ManifestWorks is read access to the ManifestWorks for a cluster, which may contain Secrets of others.
	ManifestWorks Feature = "manifestworks"
	// Placement is read access to a whole infrastructure cluster.
	Placement = access.Placement
	// InfraSecret is the kubeconfig of the infrastructure cluster, for users who look at VMs there (purpose login).
	InfraSecret Feature = "infra"
	// Consoles is access to the serial consoles of worker VMs.
	Consoles = access.Consoles
)

// cluster is the placeholder for the hosted cluster's name in the names of a rule.
const cluster = access.Cluster

// Options select and limit the rules of a role.
type Options struct {
	Purposes []Purpose
	// Features are the selected features; nil means all.
	Features []Feature
	// Namespace is the namespace of the hosted clusters, to which rules are limited if a role can be; empty for all
	// namespaces.
	Namespace string
	// ClusterNames limits the rules about hosted clusters to these, if a role can be; empty for any.
	ClusterNames []string
	// ClusterSets are the ManagedClusterSets that a tenant's cluster may join besides defaultSet.
	ClusterSets []string
	// Policy adds a ValidatingAdmissionPolicy with limits that RBAC cannot express. Without it guarded rules are left out.
	Policy bool
	// MetalLBNamespace is the namespace of MetalLB, by default metallb-system.
	MetalLBNamespace string
}

// limited reports whether the options set this limit.
func (o Options) limited(by Limit) bool {
	return by == ByNamespace && o.Namespace != "" || by == ByName && len(o.ClusterNames) > 0
}

// Rules returns the rules of the table for these options, with placeholders replaced.
func Rules(o Options) []Rule {
	var out []Rule
	for _, r := range table() {
		if !slices.ContainsFunc(r.For, func(p Purpose) bool { return within(o.Purposes, p) }) || !r.Wanted(o.Features) ||
			o.limited(r.Unless) || r.Guarded && !o.Policy {
			continue
		}
		r.Names, r.Only = o.fill(r.Names), o.fill(r.Only)
		if r.At == access.In(metallb.DefaultNamespace) && o.MetalLBNamespace != "" {
			r.At = access.In(o.MetalLBNamespace)
		}
		out = append(out, r)
	}
	return out
}

// defaultSet is the default ManagedClusterSet. The hypershift addon adds a cluster to it, and leaving it needs the
// right to join it.
const defaultSet = "default"

// fill replaces the placeholders in names; it returns "" if the options do not have the values.
func (o Options) fill(names string) string {
	if !strings.Contains(names, "{") {
		return names
	}
	if strings.Contains(names, access.ClusterSets) {
		return joined(append([]string{defaultSet}, o.ClusterSets...))
	}
	if o.Namespace == "" && (strings.Contains(names, access.ServicesNamespace) ||
		strings.Contains(names, access.Namespace)) {
		return ""
	}
	var out []string
	for _, c := range o.ClusterNames {
		services := hostedcluster.ServicesNamespace(o.Namespace, c)
		out = append(out, strings.NewReplacer(cluster, c, access.ServicesNamespace, services, access.Namespace,
			o.Namespace).Replace(names))
	}
	return strings.Join(out, " ")
}

func groupResource(resource string) schema.GroupResource { return schema.ParseGroupResource(resource) }
