package clusterapi

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
)

// manager is the field manager of Cluster API's programs.
const manager = "manager"

// Writer writes the objects. It remembers what it wrote: an object that stays as it is costs no request.
type Writer struct {
	// Live writes; Cached reads the metadata of Machines, of which it keeps one watch.
	Live, Cached client.Client
	written      sync.Map // key to the text of the last write
	known        sync.Map // key to the object as the API server returned it
}

func key(o *unstructured.Unstructured) string {
	return o.GetNamespace() + "/" + o.GetKind() + "/" + o.GetName()
}

// apply creates an object, or updates it if it differs from what was written last.
func (w *Writer) apply(ctx context.Context, o *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	raw, err := json.Marshal(o.Object)
	if err != nil {
		return nil, fmt.Errorf("encode %s %s: %w", o.GetKind(), o.GetName(), err)
	}
	if last, ok := w.written.Load(key(o)); ok && last == string(raw) {
		if known, ok := w.known.Load(key(o)); ok {
			return known.(*unstructured.Unstructured), nil //nolint:forcetypeassert // the map has nothing else
		}
	}
	err = w.Live.Patch(ctx, o, client.RawPatch(types.ApplyPatchType, raw), client.FieldOwner(manager),
		client.ForceOwnership)
	if err != nil {
		return nil, fmt.Errorf("apply %s %s/%s: %w", o.GetKind(), o.GetNamespace(), o.GetName(), err)
	}
	w.written.Store(key(o), string(raw))
	w.known.Store(key(o), o)
	return o, nil
}

// report writes the status of an object if it differs from what was reported last.
func (w *Writer) report(ctx context.Context, o *unstructured.Unstructured, status fields) error {
	raw, err := json.Marshal(fields{"status": status})
	if err != nil {
		return fmt.Errorf("encode the status of %s %s: %w", o.GetKind(), o.GetName(), err)
	}
	id := key(o) + "/status"
	if w.reported(o, status) {
		return nil
	}
	err = w.Live.Status().Patch(ctx, o.DeepCopy(), client.RawPatch(types.MergePatchType, raw))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write the status of %s %s/%s: %w", o.GetKind(), o.GetNamespace(), o.GetName(), err)
	}
	w.written.Store(id, string(raw))
	return nil
}

// reported reports whether that status was reported last.
func (w *Writer) reported(o *unstructured.Unstructured, status fields) bool {
	raw, err := json.Marshal(fields{"status": status})
	last, ok := w.written.Load(key(o) + "/status")
	return err == nil && ok && last == string(raw)
}

// remove deletes an object and takes its finalizer off: the controller that waited for it is done.
func (w *Writer) remove(ctx context.Context, kind, namespace, name string) error {
	if err := w.Delete(ctx, kind, namespace, name); err != nil {
		return err
	}
	return w.release(ctx, kind, namespace, name)
}

func bare(kind, namespace, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(GVK(kind))
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

// Delete deletes an object, which stays until its finalizer is taken off.
func (w *Writer) Delete(ctx context.Context, kind, namespace, name string) error {
	if err := w.Live.Delete(ctx, bare(kind, namespace, name)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete %s %s/%s: %w", kind, namespace, name, err)
	}
	return nil
}

// release takes the finalizer off a deleted object.
func (w *Writer) release(ctx context.Context, kind, namespace, name string) error {
	o := bare(kind, namespace, name)
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
	if err := w.Live.Patch(ctx, o, patch); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("release %s %s/%s: %w", kind, namespace, name, err)
	}
	w.forget(key(o))
	return nil
}

func (w *Writer) forget(id string) {
	w.written.Delete(id)
	w.written.Delete(id + "/status")
	w.known.Delete(id)
}

// ForgetNamespace forgets all objects of a control plane that is gone.
func (w *Writer) ForgetNamespace(namespace string) {
	for _, m := range []*sync.Map{&w.written, &w.known} {
		m.Range(func(id, _ any) bool {
			if text, ok := id.(string); ok && strings.HasPrefix(text, namespace+"/") {
				m.Delete(id)
			}
			return true
		})
	}
}

// EnsureCluster writes the Cluster and the KubevirtCluster of a control plane, and returns the former.
func (w *Writer) EnsureCluster(ctx context.Context, namespace, infraID string,
	hosted types.NamespacedName) (*unstructured.Unstructured, error) {
	cluster, err := w.apply(ctx, newCluster(namespace, infraID, hosted))
	if err != nil {
		return nil, err
	}
	infrastructure, err := w.apply(ctx, ownedBy(newKubevirtCluster(namespace, infraID, hosted), cluster, true))
	if err != nil {
		return nil, err
	}
	if err := w.report(ctx, infrastructure, fields{"ready": true}); err != nil {
		return nil, err
	}
	conditions := []any{conditionTrue("Ready"), conditionTrue("ControlPlaneInitialized"),
		conditionTrue("ControlPlaneReady"), conditionTrue("InfrastructureReady")}
	return cluster, w.report(ctx, cluster, fields{"controlPlaneReady": true, "infrastructureReady": true,
		"phase": "Provisioned", "conditions": conditions})
}

// RemoveCluster deletes the Cluster, and reports whether it is gone. Its controller needs one more look for that.
func (w *Writer) RemoveCluster(ctx context.Context, namespace, infraID string) (bool, error) {
	cluster := bare("Cluster", namespace, infraID)
	switch err := w.Live.Get(ctx, client.ObjectKeyFromObject(cluster), cluster); {
	case apierrors.IsNotFound(err):
		w.ForgetNamespace(namespace)
		return true, nil
	case err != nil:
		return false, fmt.Errorf("get Cluster %s/%s: %w", namespace, infraID, err)
	case cluster.GetDeletionTimestamp() == nil:
		return false, w.Delete(ctx, "Cluster", namespace, infraID)
	}
	if err := w.Delete(ctx, "KubevirtCluster", namespace, infraID); err != nil {
		return false, err
	}
	return false, w.release(ctx, "Cluster", namespace, infraID)
}

// Machines returns the metadata of a pool's Machines by name.
func (w *Writer) Machines(ctx context.Context, namespace string,
	nodePool types.NamespacedName) (map[string]metav1.PartialObjectMetadata, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(GVK("MachineList"))
	if err := w.Cached.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return nil, fmt.Errorf("failed to get Machines: %w", err)
	}
	byName := map[string]metav1.PartialObjectMetadata{}
	for _, m := range list.Items {
		if m.Annotations[metadata.NodePoolAnnotation] == nodePool.String() {
			byName[m.Name] = m
		}
	}
	return byName, nil
}

// EnsurePool writes the template, the MachineDeployment and the MachineSet of a pool; sets are the hashes of the
// MachineSets that still have machines.
func (w *Writer) EnsurePool(ctx context.Context, cluster *unstructured.Unstructured, p Pool) error {
	if _, err := w.apply(ctx, ownedBy(p.machineTemplate(), cluster, false)); err != nil {
		return err
	}
	manages, err := w.apply(ctx, ownedBy(p.manages(), cluster, false))
	if err != nil {
		return err
	}
	if err := w.unpause(ctx, manages); err != nil || p.InPlace {
		return err
	}
	_, err = w.apply(ctx, ownedBy(p.set(), manages, true))
	return err
}

// PausePool has Cluster API leave a pool's machines alone, until EnsurePool is called again.
func (w *Writer) PausePool(ctx context.Context, p Pool) error {
	o := p.manages()
	if _, done := w.written.LoadOrStore(key(o)+pausedKey, true); done {
		return nil
	}
	w.forget(key(o)) // the next EnsurePool asks what is there
	return w.annotate(ctx, o, pausedAnnotation, "true")
}

// unpause removes what PausePool wrote from an object as the API server returned it.
func (w *Writer) unpause(ctx context.Context, o *unstructured.Unstructured) error {
	if o.GetAnnotations()[pausedAnnotation] == "" {
		return nil
	}
	w.written.Delete(key(o) + pausedKey)
	w.forget(key(o))
	return w.annotate(ctx, o, pausedAnnotation, nil)
}

const pausedKey = "/paused"

// annotate writes one annotation of an object, or removes it if the value is nil.
func (w *Writer) annotate(ctx context.Context, o *unstructured.Unstructured, name string, value any) error {
	raw, err := json.Marshal(fields{"metadata": fields{"annotations": fields{name: value}}})
	if err != nil {
		return fmt.Errorf("encode an annotation of %s %s: %w", o.GetKind(), o.GetName(), err)
	}
	err = w.Live.Patch(ctx, o.DeepCopy(), client.RawPatch(types.MergePatchType, raw))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("annotate %s %s/%s: %w", o.GetKind(), o.GetNamespace(), o.GetName(), err)
	}
	return nil
}

// Counts are the machines of a pool.
type Counts struct{ Total, Updated, Ready int }

// ReportPool writes the status of the MachineDeployment and its MachineSet.
func (w *Writer) ReportPool(ctx context.Context, p Pool, c Counts) error {
	ready := conditionTrue("Ready")
	if c.Ready < p.Available {
		ready = conditionFalse("Ready", "WaitingForAvailableMachines", "Warning",
			fmt.Sprintf("Minimum availability requires %d replicas, current %d available", p.Available, c.Ready))
	}
	phase := "Running"
	if c.Total < p.Replicas || c.Ready < p.Replicas {
		phase = "ScalingUp"
	} else if c.Total > p.Replicas {
		phase = "ScalingDown"
	}
	set := fields{"replicas": int64(c.Updated), "readyReplicas": int64(min(c.Ready, c.Updated)),
		"availableReplicas": int64(min(c.Ready, c.Updated)), "conditions": []any{ready}}
	if p.InPlace {
		return w.report(ctx, bare("MachineSet", p.Namespace, p.setName()), set)
	}
	if err := w.report(ctx, bare("MachineSet", p.Namespace, p.setName()), set); err != nil {
		return err
	}
	return w.report(ctx, bare("MachineDeployment", p.Namespace, p.NodePool.Name), fields{
		"phase": phase, "replicas": int64(c.Total), "readyReplicas": int64(c.Ready), "availableReplicas": int64(c.Ready),
		"updatedReplicas": int64(c.Updated), "unavailableReplicas": int64(max(0, c.Total-c.Ready)),
		"conditions": []any{ready},
	})
}

// RemoveOldSets deletes the MachineSets and templates of a pool but the current ones, once a roll-out is complete.
func (w *Writer) RemoveOldSets(ctx context.Context, p Pool) error {
	prefix := p.Namespace + "/"
	var old []string
	w.known.Range(func(id, value any) bool {
		o, ok := value.(*unstructured.Unstructured)
		text, _ := id.(string)
		if ok && strings.HasPrefix(text, prefix) && o.GetAnnotations()[metadata.NodePoolAnnotation] == p.NodePool.String() &&
			(o.GetKind() == "MachineSet" && o.GetName() != p.setName() ||
				o.GetKind() == "KubevirtMachineTemplate" && o.GetName() != p.Template) {
			old = append(old, o.GetKind()+"/"+o.GetName())
		}
		return true
	})
	slices.Sort(old)
	for _, id := range old {
		kind, name, _ := strings.Cut(id, "/")
		if err := w.remove(ctx, kind, p.Namespace, name); err != nil {
			return err
		}
	}
	return nil
}

// RemovePool deletes what is left of a pool without machines.
func (w *Writer) RemovePool(ctx context.Context, namespace string, nodePool types.NamespacedName) error {
	for _, kind := range []string{"MachineDeployment", "MachineSet", "KubevirtMachineTemplate"} {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(GVK(kind + "List"))
		if err := w.Live.List(ctx, list, client.InNamespace(namespace)); err != nil {
			return fmt.Errorf("list %ss in %s: %w", kind, namespace, err)
		}
		for i := range list.Items {
			if list.Items[i].Annotations[metadata.NodePoolAnnotation] != nodePool.String() {
				continue
			}
			if err := w.remove(ctx, kind, namespace, list.Items[i].Name); err != nil {
				return err
			}
		}
	}
	return nil
}
