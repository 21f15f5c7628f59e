package dump

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/kube"
)

// source is a cluster to collect objects from, with the directory for them.
type source struct {
	client *kube.Client
	base   string
	// slots limits its parallel requests. limit is the time limit for the objects of one kind.
	slots chan struct{}
	limit time.Duration
}

// managementSource returns the management cluster as a source.
func (d *Dump) managementSource() source { return source{d.client, "", d.requestSlots, pagesTimeout} }

// summarized lists the kinds in the summaries.
var summarized = []string{
	"HostedCluster", "NodePool", "HostedControlPlane", "ManagedCluster", "VirtualMachine", "VirtualMachineInstance",
	"DataVolume",
	"PersistentVolumeClaim", "Machine", "Event", "ClusterVersion", "ClusterOperator", "Node",
}

// gatherKind collects the objects of a kind that a query selects, and returns their number.
func (d *Dump) gatherKind(ctx context.Context, s source, k kube.Kind, q query) int {
	n, namespace := 0, q.namespace
	where := k.Resource().GroupResource().String()
	if namespace != "" {
		where += " in namespace " + namespace
	}
	d.requestIn(ctx, s.slots, s.limit, s.base+where, func(ctx context.Context) error {
		out := &list{dump: d, path: s.base + objectsFile(k, namespace)}
		err := d.eachPage(ctx, s.client, k, q, func(items []unstructured.Unstructured) error {
			items = slices.DeleteFunc(items, func(u unstructured.Unstructured) bool { return q.only != nil && !q.only(&u) })
			for i := range items {
				items[i].SetGroupVersionKind(k.GroupVersionKind)
				if q.trim != nil {
					q.trim(&items[i])
				}
			}
			if slices.Contains(summarized, k.Kind) {
				d.keepForSummary(s.base, k.Kind, items)
			}
			return out.add(items)
		})
		n = out.count
		return errors.Join(err, out.close())
	})
	return n
}

// objectsFile returns the path of the file for a kind's objects.
func objectsFile(k kube.Kind, namespace string) string {
	group := cmp.Or(k.Group, "core")
	switch {
	case namespace != "":
		return fmt.Sprintf("namespaces/%s/%s/%s.yaml", namespace, group, k.Plural)
	case k.Namespaced:
		return fmt.Sprintf("all-namespaces/%s/%s.yaml", group, k.Plural)
	}
	return fmt.Sprintf("cluster-scoped/%s/%s.yaml", group, k.Plural)
}

// query selects a resource to collect, and its namespace.
type query struct {
	resource, namespace string
	// only selects objects; nil selects all.
	only func(*unstructured.Unstructured) bool
	// selector is a label selector that the server applies.
	selector string
	// trim removes large fields that do not describe the state; nil removes nothing.
	trim func(*unstructured.Unstructured)
}

// gather collects several resources in parallel and returns the number of objects.
func (d *Dump) gather(ctx context.Context, s source, list []query) int {
	var mu sync.Mutex
	var wg sync.WaitGroup
	total := 0
	for _, w := range list {
		wg.Go(func() {
			var k kube.Kind
			gr := schema.ParseGroupResource(w.resource)
			d.requestIn(ctx, s.slots, requestTimeout, s.base+"the kind of "+w.resource, func(ctx context.Context) (err error) {
				k, err = s.client.DiscoverResource(ctx, gr)
				return err
			})
			if k.Kind == "" {
				return
			}
			n := d.gatherKind(ctx, s, k, w)
			mu.Lock()
			defer mu.Unlock()
			total += n
		})
	}
	wg.Wait()
	return total
}

// withName selects objects with these names.
func withName(names ...string) func(*unstructured.Unstructured) bool {
	return func(u *unstructured.Unstructured) bool { return slices.Contains(names, u.GetName()) }
}
