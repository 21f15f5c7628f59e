package rbac

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

// localCluster is the default name of the hub's own ManagedCluster.
const localCluster = "local-cluster"

// Found has the objects of a management cluster that names in a role could match.
type Found struct {
	HostedClusters []hostedcluster.Identity
	// ManagedClusters are the ManagedClusters of the hub; the value is true for those of hosted clusters.
	ManagedClusters map[string]bool
	// Namespaces are the namespaces of Reaches that exist.
	Namespaces []corev1.Namespace
}

// Reaches returns the namespaces of the role that are derived from cluster names, sorted.
func (o Options) Reaches() []string {
	var out []string
	for _, r := range Rules(o) {
		if r.At != Clusters && r.At.Namespace() == "" {
			out = append(out, o.namespaces(r.At)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Reserved returns an error if the role would reach a platform namespace instead of one of a hosted cluster, or names
// the hub itself.
func (o Options) Reserved() error {
	// An operator's Subscription may be anywhere.
	if o.Namespace != "" && o.AboutClusters() && !slices.Contains(o.Purposes, GitOpsApprove) {
		if err := hostedcluster.CheckNamespace(o.Namespace); err != nil {
			return fmt.Errorf("%s %s: %w", hint.Flag("namespace"), o.Namespace, err)
		}
	}
	for _, name := range o.ClusterNames {
		if name == localCluster {
			return fmt.Errorf("%s %s: that is the hub itself, not a hosted cluster", hint.Flag("cluster-name"), name)
		}
		if err := hostedcluster.CheckNamespace(name); err != nil {
			return fmt.Errorf("%s %s: the namespace of its ManagedCluster: %w", hint.Flag("cluster-name"), name, err)
		}
		if o.Namespace == "" {
			continue
		}
		for _, at := range []string{hostedcluster.ControlPlaneNamespace(o.Namespace, name),
			hostedcluster.ServicesNamespace(o.Namespace, name)} {
			if err := hostedcluster.CheckNamespace(at); err != nil {
				return fmt.Errorf("%s %s %s %s: %w", hint.Flag("namespace"), o.Namespace, hint.Flag("cluster-name"), name, err)
			}
		}
	}
	return nil
}

// Refuse returns an error if names in the role also match other objects: the control plane or services of another
// hosted cluster, a managed cluster that is not hosted, or a foreign namespace.
func (o Options) Refuse(found Found) error {
	for _, name := range o.ClusterNames {
		if hosted, is := found.ManagedClusters[name]; is && !hosted {
			return fmt.Errorf("%s %s: ManagedCluster %s is not that of a hosted cluster", hint.Flag("cluster-name"), name,
				name)
		}
	}
	if hosted, is := found.ManagedClusters[o.Namespace]; is && !hosted && o.AboutClusters() {
		return fmt.Errorf("%s %s: it is the namespace of ManagedCluster %s, which is not that of a hosted cluster",
			hint.Flag("namespace"), o.Namespace, o.Namespace)
	}
	reaches := o.Reaches()
	existing := map[string]bool{}
	for _, hc := range found.HostedClusters {
		existing[hc.Key()] = true
		plane := hostedcluster.ControlPlaneNamespace(hc.Namespace, hc.Name)
		services := hostedcluster.ServicesNamespace(hc.Namespace, hc.Name)
		for at, what := range map[string]string{plane: "the control plane", services: "the services"} {
			if at == o.Namespace && o.AboutClusters() {
				return fmt.Errorf("%s %s: that is the namespace of %s of HostedCluster %s", hint.Flag("namespace"), at, what,
					hc.Key())
			}
			if slices.Contains(reaches, at) && !o.isNamed(hc) {
				return fmt.Errorf("namespace %s, which the role would reach, is that of %s of HostedCluster %s", at, what, hc.Key())
			}
		}
		if slices.Contains(reaches, hc.Namespace) {
			return fmt.Errorf("namespace %s, which the role would reach, has HostedCluster %s", hc.Namespace, hc.Key())
		}
	}
	for name := range found.ManagedClusters {
		if slices.Contains(reaches, name) && !slices.Contains(o.ClusterNames, name) {
			return fmt.Errorf("namespace %s, which the role would reach, is that of ManagedCluster %s", name, name)
		}
	}
	return o.refuseNamespaces(found, existing)
}

// refuseNamespaces is Refuse for namespaces that exist before their cluster, or that are not marked as its.
func (o Options) refuseNamespaces(found Found, existing map[string]bool) error {
	for _, name := range o.ClusterNames {
		key := o.Namespace + "/" + name
		plane := hostedcluster.ControlPlaneNamespace(o.Namespace, name)
		services := hostedcluster.ServicesNamespace(o.Namespace, name)
		for i := range found.Namespaces {
			ns := &found.Namespaces[i]
			if hostedcluster.MarkOf(ns).Cluster == key {
				continue
			}
			if ns.Name == services || ns.Name == plane && !existing[key] {
				return fmt.Errorf("namespace %s, which the role would reach, is there, and nothing says that it is of "+
					"HostedCluster %s", ns.Name, key)
			}
		}
	}
	return nil
}

// isNamed reports whether the role names the hosted cluster.
func (o Options) isNamed(hc hostedcluster.Identity) bool {
	return hc.Namespace == o.Namespace && slices.Contains(o.ClusterNames, hc.Name)
}

// Readings returns the other hosted clusters, as NAMESPACE/NAME, whose control planes would be in namespaces that the
// role reaches. The name of a namespace can be split in several ways.
func (o Options) Readings() []string {
	var out []string
	for _, at := range o.Reaches() {
		if slices.Contains(o.ClusterNames, at) || strings.HasPrefix(at, klusterletPrefix) {
			continue
		}
		for i, c := range at {
			namespace, name := at[:i], strings.TrimPrefix(at[i:], "-")
			if c != '-' || namespace == "" || name == "" || strings.HasSuffix(namespace, "-") || strings.HasPrefix(name, "-") ||
				o.isNamed(hostedcluster.Identity{Namespace: namespace, Name: name}) {
				continue
			}
			out = append(out, namespace+"/"+name)
		}
	}
	return out
}
