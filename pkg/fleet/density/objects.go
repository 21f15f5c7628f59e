package density

import (
	"context"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// Objects counts the objects in etcd of the kinds that grow with hosted clusters, at one time.
type Objects struct {
	At time.Time `json:"at"`
	// When is "before", "created" or "deleted".
	When string `json:"when"`
	// Revision is etcd's revision, which grows with each write of any client.
	Revision int64            `json:"revision"`
	Counts   map[string]int64 `json:"counts"`
}

// countedKinds are the kinds that grow with hosted clusters.
func countedKinds() []schema.GroupVersionKind {
	v1 := func(kind string) schema.GroupVersionKind { return schema.GroupVersionKind{Version: "v1", Kind: kind} }
	return []schema.GroupVersionKind{
		v1("Namespace"), v1("Pod"), v1("Secret"), v1("ConfigMap"), v1("Service"), v1("ServiceAccount"),
		v1("PersistentVolumeClaim"), v1("PersistentVolume"), v1("Event"),
		{Group: "apps", Version: "v1", Kind: "Deployment"}, {Group: "apps", Version: "v1", Kind: "ReplicaSet"},
		{Group: "discovery.k8s.io", Version: "v1", Kind: "EndpointSlice"},
		{Group: "route.openshift.io", Version: "v1", Kind: "Route"},
		{Group: "hypershift.openshift.io", Version: "v1beta1", Kind: "HostedCluster"},
		{Group: "hypershift.openshift.io", Version: "v1beta1", Kind: "NodePool"},
		{Group: "kubevirt.io", Version: "v1", Kind: "VirtualMachine"},
	}
}

// countObjects reads one object of each kind without its content; the answer contains the remaining count. It leaves
// out kinds that cannot be listed, because the counts are only information.
func countObjects(ctx context.Context, r kube.Reader, when string) Objects {
	out := Objects{At: time.Now().UTC(), When: when, Counts: map[string]int64{}}
	for _, gvk := range countedKinds() {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
		if err := r.List(ctx, list, client.Limit(1)); err != nil {
			continue
		}
		n := int64(len(list.Items))
		if list.RemainingItemCount != nil {
			n += *list.RemainingItemCount
		}
		out.Counts[gvk.Kind] = n
		if revision, err := strconv.ParseInt(list.ResourceVersion, 10, 64); err == nil && gvk.Group == "" {
			out.Revision = max(out.Revision, revision)
		}
	}
	return out
}

// setObjects keeps one count for each time and replaces an earlier one.
func (r *Record) setObjects(o Objects) {
	for i := range r.Objects {
		if r.Objects[i].When == o.When {
			r.Objects[i] = o
			return
		}
	}
	r.Objects = append(r.Objects, o)
}
