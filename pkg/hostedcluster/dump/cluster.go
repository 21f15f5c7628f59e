package dump

import (
	"context"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
)

// cluster collects the HostedCluster, its NodePools, the objects that were created for it, and their events.
func (d *Dump) cluster(ctx context.Context) string {
	ns, name := d.options.Namespace, d.options.Name
	pools := d.poolNames(ctx)
	infraID := ""
	if d.hc != nil {
		infraID = d.hc.Spec.InfraID
	}
	own := func(u *unstructured.Unstructured) bool {
		return infraID != "" && u.GetLabels()[hostedcluster.InfraLabel] == infraID ||
			strings.HasPrefix(u.GetName(), name+"-") || d.references(u.GetName())
	}
	about := func(u *unstructured.Unstructured) bool {
		object := kube.Text(u, "involvedObject", "name")
		return object == name || pools[object]
	}
	queries := []query{
		{resource: "hostedclusters.hypershift.openshift.io", namespace: ns, only: withName(name)},
		{resource: "nodepools.hypershift.openshift.io", namespace: ns, only: func(u *unstructured.Unstructured) bool {
			return kube.Text(u, "spec", "clusterName") == name
		}},
		{resource: "secrets", namespace: ns, only: own},
		{resource: "configmaps", namespace: ns, only: own},
		{resource: "events", namespace: ns, only: about},
		{resource: "managedclusters.cluster.open-cluster-management.io", only: withName(name)},
		{resource: "managedclusteraddons.addon.open-cluster-management.io", namespace: name},
		{resource: "namespaces", only: withName(ns, d.controlPlane(), name, "klusterlet-"+name)},
		{resource: "persistentvolumes", only: func(u *unstructured.Unstructured) bool {
			return kube.Text(u, "spec", "claimRef", "namespace") == d.controlPlane()
		}},
		{resource: "deployments.apps", namespace: "klusterlet-" + name},
		{resource: "pods", namespace: "klusterlet-" + name},
		{resource: "events", namespace: "klusterlet-" + name},
	}
	if d.options.ManifestWorks {
		queries = append(queries, query{resource: "manifestworks.work.open-cluster-management.io", namespace: name})
	}
	n := d.gather(ctx, d.managementSource(), queries)
	return plural.Count(n, "object")
}

// poolNames returns the names of the NodePools, to select their events.
func (d *Dump) poolNames(ctx context.Context) map[string]bool {
	pools := map[string]bool{}
	d.request(ctx, "the names of nodepools in namespace "+d.options.Namespace, func(ctx context.Context) error {
		kind, err := d.client.DiscoverResource(ctx, schema.GroupResource{Group: "hypershift.openshift.io",
			Resource: "nodepools"})
		if err != nil {
			return err
		}
		return d.client.EachPage(ctx, kind, d.options.Namespace, "", func(items []unstructured.Unstructured) error {
			for i := range items {
				if kube.Text(&items[i], "spec", "clusterName") == d.options.Name {
					pools[items[i].GetName()] = true
				}
			}
			return nil
		})
	})
	return pools
}

// references reports whether the HostedCluster refers to this Secret or ConfigMap.
func (d *Dump) references(object string) bool {
	if d.hc == nil {
		return false
	}
	spec := &d.hc.Spec
	return object == spec.PullSecret.Name || object == spec.SSHKey.Name || spec.AdditionalTrustBundle != nil &&
		object == spec.AdditionalTrustBundle.Name
}

// KnownKinds lists the kinds in a control plane namespace that show its state, without Secrets. A role for future
// clusters can name them.
var KnownKinds = []string{
	"configmaps", "endpoints", "events", "persistentvolumeclaims", "pods", "resourcequotas", "serviceaccounts",
	"services", "daemonsets.apps", "deployments.apps", "replicasets.apps", "statefulsets.apps", "cronjobs.batch",
	"jobs.batch", "poddisruptionbudgets.policy", "networkpolicies.networking.k8s.io", "endpointslices.discovery.k8s.io",
	"leases.coordination.k8s.io", "roles.rbac.authorization.k8s.io", "rolebindings.rbac.authorization.k8s.io",
	"routes.route.openshift.io", "hostedcontrolplanes.hypershift.openshift.io",
	"controlplanecomponents.hypershift.openshift.io", "clusters.cluster.x-k8s.io", "machines.cluster.x-k8s.io",
	"machinesets.cluster.x-k8s.io", "machinedeployments.cluster.x-k8s.io", "machinehealthchecks.cluster.x-k8s.io",
	"kubevirtclusters.infrastructure.cluster.x-k8s.io", "kubevirtmachines.infrastructure.cluster.x-k8s.io",
	"kubevirtmachinetemplates.infrastructure.cluster.x-k8s.io", "virtualmachines.kubevirt.io",
	"virtualmachineinstances.kubevirt.io", "virtualmachineinstancemigrations.kubevirt.io", "datavolumes.cdi.kubevirt.io",
	"volumesnapshots.snapshot.storage.k8s.io", "network-attachment-definitions.k8s.cni.cncf.io",
}

// controlPlaneObjects collects the objects of all kinds in the control plane namespace, or of KnownKinds without the
// right to read Secrets.
func (d *Dump) controlPlaneObjects(ctx context.Context) string {
	if !d.options.Secrets {
		var queries []query
		for _, resource := range KnownKinds {
			queries = append(queries, query{resource: resource, namespace: d.controlPlane()})
		}
		return plural.Count(d.gather(ctx, d.managementSource(), queries), "object") + " of the kinds that a role can name"
	}
	var kinds []kube.ServedKind
	d.request(ctx, "the kinds the API server has", func(ctx context.Context) error {
		served, gaps, err := d.client.ServedKinds(ctx)
		kinds = served
		for _, gap := range gaps {
			what, why, _ := strings.Cut(gap, ": ")
			d.mu.Lock()
			d.gaps = append(d.gaps, Gap{What: "the kinds of " + what, Why: why})
			d.mu.Unlock()
		}
		return err
	})
	var mu sync.Mutex
	var wg sync.WaitGroup
	n, files := 0, 0
	for _, k := range kinds {
		// A kind that cannot be deleted is only a view, and Events exist in two groups.
		if !k.Namespaced || !k.Can("list") || !k.Can("delete") || k.Group == "events.k8s.io" {
			continue
		}
		wg.Go(func() {
			one := d.gatherKind(ctx, d.managementSource(), k.Kind, query{namespace: d.controlPlane()})
			mu.Lock()
			defer mu.Unlock()
			n += one
			if one > 0 {
				files++
			}
		})
	}
	wg.Wait()
	return plural.Count(n, "object") + " of " + plural.Count(files, "kind")
}
