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
	// Feature is a choice of bootstrap's, uninstall's or create's that needs rules of its own.
	Feature = access.Feature
	// Rule is some verbs on some resources.
	Rule = access.Rule
)

// The features beside those of bootstrap.
const (
	// These two are options of create cluster that write more than every create does.
	OwnAddresses         = access.OwnAddresses
	OwnIngress   Feature = "ingress"
	// GitOps is bootstrap's optional group of that name.
	GitOps = access.GitOps
	// ManifestWorks are what the hub has sent to a cluster: they may hold Secrets of others.
	ManifestWorks Feature = "manifestworks"
	// Placement is the view of a whole infrastructure cluster.
	Placement = access.Placement
	// InfraSecret is the kubeconfig of the infrastructure cluster, for who looks at VMs there (purpose login).
	InfraSecret Feature = "infra"
	// Consoles are the serial consoles of worker VMs.
	Consoles = access.Consoles
)

// cluster stands for the hosted cluster's name in the names of a access.
const cluster = access.Cluster

// Options are what a role is to be for.
type Options struct {
	Purposes []Purpose
	// Features that are wanted; nil means all.
	Features []Feature
	// Namespace of the hosted clusters, to which rules are limited where a role can be; empty for all namespaces.
	Namespace string
	// ClusterNames limits the rules about hosted clusters to these where a role can; empty for any.
	ClusterNames []string
	// ClusterSets are ManagedClusterSets that a tenant's cluster may join beside defaultSet.
	ClusterSets []string
	// Policy adds a ValidatingAdmissionPolicy that holds the subjects to what Kubernetes' rules cannot say; without it
	// rules that are guarded by one are left out.
	Policy bool
	// MetalLBNamespace is where MetalLB runs; metallb-system if empty.
	MetalLBNamespace string
}

// limited reports whether the options limit a role so.
func (o Options) limited(by Limit) bool {
	return by == ByNamespace && o.Namespace != "" || by == ByName && len(o.ClusterNames) > 0
}

// Rules are the rules of the table for these options, names filled in.
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

// defaultSet is the ManagedClusterSet of each cluster that is in no other: the hypershift addon puts a cluster there,
// and leaving it takes the right to join it.
const defaultSet = "default"

// fill puts the clusters of the options into names; empty if they name none.
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

// groupResource splits "deployments.apps".
func groupResource(resource string) schema.GroupResource { return schema.ParseGroupResource(resource) }
