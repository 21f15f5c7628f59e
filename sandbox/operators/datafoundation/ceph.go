package datafoundation

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

var cephClusterKind = schema.GroupVersionKind{Group: "ceph.rook.io", Version: "v1", Kind: "CephCluster"}

func cephCluster(sc *unstructured.Unstructured) *unstructured.Unstructured {
	ceph := framework.Unstructured(cephClusterKind)
	ceph.SetNamespace(sc.GetNamespace())
	ceph.SetName(sc.GetName() + "-cephcluster")
	return ceph
}

// cephCreated creates the CephCluster of a StorageCluster. Rook fills it with life later.
func (f *dataFoundation) cephCreated(ctx context.Context, sc *unstructured.Unstructured) error {
	ceph := cephCluster(sc)
	if found, err := framework.Exists(ctx, f.Client, ceph); err != nil || found {
		return err
	}
	ceph.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: sc.GetAPIVersion(), Kind: sc.GetKind(), Name: sc.GetName(), UID: sc.GetUID(),
	}})
	ceph.Object["spec"] = map[string]any{}
	if err := framework.Create(ctx, f.Client, ceph); err != nil {
		return err
	}
	return framework.WriteStatus(ctx, f.Client, ceph, func(o *unstructured.Unstructured) {
		framework.Set(o, "Progressing", "status", "phase")
		framework.Set(o, "Creating", "status", "state")
	})
}

// ceph reports the CephCluster of a StorageCluster healthy once. A test that writes another health keeps it.
func (f *dataFoundation) ceph(ctx context.Context, sc *unstructured.Unstructured) error {
	ceph := cephCluster(sc)
	if err := f.Client.Get(ctx, client.ObjectKeyFromObject(ceph), ceph); err != nil {
		return err
	}
	if framework.Text(ceph, "status", "ceph", "health") != "" {
		return nil
	}
	now := time.Now().UTC().Format(time.RFC3339)
	return framework.WriteStatus(ctx, f.Client, ceph, func(o *unstructured.Unstructured) {
		framework.Set(o, "Ready", "status", "phase")
		framework.Set(o, "Created", "status", "state")
		framework.Set(o, map[string]any{"health": "HEALTH_OK", "lastChanged": now, "lastChecked": now}, "status", "ceph")
	})
}
