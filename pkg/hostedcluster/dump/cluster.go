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

// cluster collects the HostedCluster, its NodePools, the objects that were made for it, and their events.
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
		{"hostedclusters.hypershift.openshift.io", ns, withName(name)},
		{"nodepools.hypershift.openshift.io", ns, func(u *unstructured.Unstructured) bool {
			return kube.Text(u, "spec", "clusterName") == name
		}},
		{"secrets", ns, own},
		{"configmaps", ns, own},
		{"events", ns, about},
		{"managedclusters.cluster.open-cluster-management.io", "", withName(name)},
		{"managedclusteraddons.addon.open-cluster-management.io", name, nil},
		{"namespaces", "", withName(ns, d.controlPlane(), name, "klusterlet-"+name)},
		{"persistentvolumes", "", func(u *unstructured.Unstructured) bool {
			return kube.Text(u, "spec", "claimRef", "namespace") == d.controlPlane()
		}},
		{"deployments.apps", "klusterlet-" + name, nil},
		{"pods", "klusterlet-" + name, nil},
		{"events", "klusterlet-" + name, nil},
	}
	if d.options.ManifestWorks {
		queries = append(queries, query{"manifestworks.work.open-cluster-management.io", name, nil})
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
		return d.client.EachPage(ctx, kind, d.options.Namespace, func(items []unstructured.Unstructured) error {
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

// controlPlaneObjects collects objects of every kind in the control plane's namespace.
func (d *Dump) controlPlaneObjects(ctx context.Context) string {
	var kinds []kube.ServedKind
	d.request(ctx, "the kinds the API server has", func(ctx context.Context) error {
		served, gaps, err := d.client.ServedKinds(ctx)
		kinds = served
		for _, gap := range gaps {
			what, why, _ := strings.Cut(gap, ": ")
			d.mu.Lock()
			d.gaps = append(d.gaps, Gap{"the kinds of " + what, why})
			d.mu.Unlock()
		}
		return err
	})
	var mu sync.Mutex
	var wg sync.WaitGroup
	n, files := 0, 0
	for _, k := range kinds {
		// A kind that cannot be deleted is a view, and Events exist in two groups.
		if !k.Namespaced || !k.Can("list") || !k.Can("delete") || k.Group == "events.k8s.io" {
			continue
		}
		wg.Go(func() {
			one := d.gatherKind(ctx, d.managementSource(), k.Kind, d.controlPlane(), nil)
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
