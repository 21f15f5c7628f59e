package dump

import (
	"context"
	"sync"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/infrastructure"
	"github.com/hcctl/hcctl/pkg/kube"
)

// infrastructureBase is the directory of the worker VMs on an infrastructure cluster.
const infrastructureBase = "infrastructure-cluster/"

// elsewhere reports whether the worker VMs run on an infrastructure cluster.
func (d *Dump) elsewhere() bool { return d.hc != nil && hostedcluster.PlatformOf(d.hc).Elsewhere() }

// infrastructure collects the worker VMs from the infrastructure cluster, with the objects that show why they do not
// run, and the logs of their pods. Other clusters may share the namespace, so it collects only objects with this
// cluster's infraID, and objects of the same names.
func (d *Dump) infrastructure(ctx context.Context) string {
	const what = "the worker VMs on the infrastructure cluster"
	site, err := infrastructure.SiteOf(ctx, d.client, d.hc)
	if err == nil {
		// The first request checks within a short time whether the cluster answers.
		_, err = site.Cluster.ServerVersion(ctx)
	}
	if err != nil {
		d.gap(what, err)
		return "not asked"
	}
	bounded, cancel := context.WithTimeout(ctx, guestTime)
	defer cancel()
	own := owned{names: map[string]bool{}}
	s := source{site.Cluster.Client, infrastructureBase, make(chan struct{}, maxParallelGuest), requestTimeout}
	namespace, selector := site.Namespace, hyperv1.InfraIDLabel+"="+d.hc.Spec.InfraID
	var list []query
	for _, resource := range []string{"virtualmachines.kubevirt.io", "virtualmachineinstances.kubevirt.io", "pods"} {
		list = append(list, query{resource: resource, namespace: namespace, selector: selector, only: own.add})
	}
	n := d.gather(bounded, s, list)
	n += d.gather(bounded, s, []query{
		{resource: "datavolumes.cdi.kubevirt.io", namespace: namespace, only: own.has("metadata", "name")},
		{resource: "persistentvolumeclaims", namespace: namespace, only: own.has("metadata", "name")},
		{resource: "events", namespace: namespace, only: own.has("involvedObject", "name")},
		{resource: "resourcequotas", namespace: namespace},
		{resource: "storageclasses.storage.k8s.io"},
	})
	logs := 0
	if d.options.LogBytes > 0 {
		var pods corev1.PodList
		d.requestIn(bounded, s.slots, requestTimeout, s.base+"pods for their logs", func(ctx context.Context) error {
			return s.client.List(ctx, &pods, site.VMs()...)
		})
		logs = d.writeLogs(bounded, s.slots, worstFirst(pods.Items, d.client.Now()),
			func(ctx context.Context, l podLog) error { return d.log(ctx, s, l) })
	}
	if bounded.Err() != nil && ctx.Err() == nil {
		d.gap("the rest of "+what, bounded.Err())
	}
	return plural.Count(n, "object") + ", " + plural.Count(logs, "log")
}

// owned has the names of one hosted cluster's objects in a namespace that it may share.
type owned struct {
	mu    sync.Mutex
	names map[string]bool
}

// add adds the name of an object and those of a VM's volumes. It selects all objects.
func (o *owned) add(u *unstructured.Unstructured) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.names[u.GetName()] = true
	ofVM := kube.Maps(u, "spec", "template", "spec", "volumes")
	for _, volume := range append(ofVM, kube.Maps(u, "spec", "volumes")...) {
		for of, name := range map[string]string{"dataVolume": "name", "persistentVolumeClaim": "claimName"} {
			if text, ok, _ := unstructured.NestedString(volume, of, name); ok && text != "" {
				o.names[text] = true
			}
		}
	}
	return true
}

// has selects objects that have one of the names in that field.
func (o *owned) has(field ...string) func(*unstructured.Unstructured) bool {
	return func(u *unstructured.Unstructured) bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return o.names[kube.Text(u, field...)]
	}
}
