package dump

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/kube"
)

// source is a cluster whose objects are gathered, under a folder of their own.
type source struct {
	client *kube.Client
	base   string
	// places are for its questions, limit is the time for the objects of one kind.
	places chan struct{}
	limit  time.Duration
}

// here is the management cluster.
func (d *Dump) here() source { return source{d.client, "", d.places, pagesTimeout} }

// summarized are the kinds that the summaries are made of.
var summarized = []string{
	"HostedCluster", "NodePool", "HostedControlPlane", "ManagedCluster", "VirtualMachine", "VirtualMachineInstance",
	"DataVolume",
	"PersistentVolumeClaim", "Machine", "Event", "ClusterVersion", "ClusterOperator", "Node",
}

// kind gathers the objects of a kind that are wanted, in one namespace or (empty) in all, and returns how many there
// are. wanted may be nil for all of them.
func (d *Dump) kind(ctx context.Context, s source, k kube.Kind, namespace string,
	wanted func(*unstructured.Unstructured) bool) int {
	n := 0
	where := k.Resource().GroupResource().String()
	if namespace != "" {
		where += " in namespace " + namespace
	}
	d.requestIn(ctx, s.places, s.limit, s.base+where, func(ctx context.Context) error {
		out := &list{dump: d, path: s.base + place(k, namespace)}
		err := d.each(ctx, s.client, k, namespace, func(items []unstructured.Unstructured) error {
			items = slices.DeleteFunc(items, func(u unstructured.Unstructured) bool { return wanted != nil && !wanted(&u) })
			for i := range items {
				items[i].SetGroupVersionKind(k.GroupVersionKind)
			}
			if slices.Contains(summarized, k.Kind) {
				d.remember(s.base, k.Kind, items)
			}
			return out.add(items)
		})
		n = out.count
		return errors.Join(err, out.close())
	})
	return n
}

// place is the file of a kind's objects.
func place(k kube.Kind, namespace string) string {
	group := k.Group
	if group == "" {
		group = "core"
	}
	switch {
	case namespace != "":
		return fmt.Sprintf("namespaces/%s/%s/%s.yaml", namespace, group, k.Plural)
	case k.Namespaced:
		return fmt.Sprintf("all-namespaces/%s/%s.yaml", group, k.Plural)
	}
	return fmt.Sprintf("cluster-scoped/%s/%s.yaml", group, k.Plural)
}

// wanted is a resource to be gathered, and where.
type wanted struct {
	resource, namespace string
	// only may leave objects out; nil takes all.
	only func(*unstructured.Unstructured) bool
}

// gather takes several resources side by side, and returns how many objects there are.
func (d *Dump) gather(ctx context.Context, s source, list []wanted) int {
	var mu sync.Mutex
	var wg sync.WaitGroup
	total := 0
	for _, w := range list {
		wg.Go(func() {
			var k kube.Kind
			gr := schema.ParseGroupResource(w.resource)
			d.requestIn(ctx, s.places, requestTimeout, s.base+"the kind of "+w.resource, func(ctx context.Context) (err error) {
				k, err = s.client.DiscoverResource(ctx, gr)
				return err
			})
			if k.Kind == "" {
				return
			}
			n := d.kind(ctx, s, k, w.namespace, w.only)
			mu.Lock()
			defer mu.Unlock()
			total += n
		})
	}
	wg.Wait()
	return total
}

// counted is "1 object" or "2 objects".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// named takes objects of these names only.
func withName(names ...string) func(*unstructured.Unstructured) bool {
	return func(u *unstructured.Unstructured) bool { return slices.Contains(names, u.GetName()) }
}

// file is a name as part of a path.
func file(name string) string { return strings.NewReplacer(":", "_", "/", "_", `\`, "_").Replace(name) }
