package kubevirtcsi

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var (
	snapshotKind        = snapshotClassKind.GroupVersion().WithKind("VolumeSnapshot")
	snapshotContentKind = snapshotClassKind.GroupVersion().WithKind("VolumeSnapshotContent")
)

func object(kind schema.GroupVersionKind, key types.NamespacedName) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(kind)
	o.SetNamespace(key.Namespace)
	o.SetName(key.Name)
	return o
}

func text(o *unstructured.Unstructured, path ...string) string {
	value, _, _ := unstructured.NestedString(o.Object, path...)
	return value
}

// snapshots takes the snapshots that a guest asks for in the management cluster, and deletes those that it has no more.
// busy reports whether there is any. There are no finalizers as the real controllers have: contents without their
// snapshot are cleaned up instead.
func (r *round) snapshots(ctx context.Context) (busy bool, err error) {
	asked, contents := r.list(snapshotKind), r.list(snapshotContentKind)
	for _, list := range []*unstructured.UnstructuredList{asked, contents} {
		if err := r.guest.List(ctx, list); err != nil {
			if meta.IsNoMatchError(err) {
				return false, nil
			}
			return false, fmt.Errorf("list the snapshots of a guest: %w", err)
		}
	}
	there := map[string]bool{}
	for i := range asked.Items {
		s := &asked.Items[i]
		there[contentName(s.GetUID())] = true
		if err := r.snapshot(ctx, s); err != nil {
			return true, err
		}
	}
	for i := range contents.Items {
		content := &contents.Items[i]
		if there[content.GetName()] || text(content, "spec", "driver") != driverName {
			continue
		}
		taken := object(snapshotKind, r.inInfra(strings.Replace(content.GetName(), contentPrefix, snapshotPrefix, 1)))
		for _, step := range []func() error{
			func() error { return r.Live.Delete(ctx, taken) },
			func() error { return r.guest.Delete(ctx, content) },
		} {
			if err := step(); client.IgnoreNotFound(err) != nil {
				return true, fmt.Errorf("delete a snapshot of a guest: %w", err)
			}
		}
	}
	return len(asked.Items)+len(contents.Items) > 0, nil
}

func (r *round) list(kind schema.GroupVersionKind) *unstructured.UnstructuredList {
	l := &unstructured.UnstructuredList{}
	l.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	return l
}

// What external-snapshotter calls its objects; the UID of the snapshot follows.
const contentPrefix, snapshotPrefix = "snapcontent-", "snapshot-"

func contentName(uid types.UID) string { return contentPrefix + string(uid) }

// snapshot takes a snapshot of the DataVolume behind a claim (CreateSnapshot). Where the class of the claim has none of
// its mapping's classes, the management cluster chooses.
func (r *round) snapshot(ctx context.Context, s *unstructured.Unstructured) error {
	if ready, _, _ := unstructured.NestedBool(s.Object, "status", "readyToUse"); ready || s.GetDeletionTimestamp() != nil {
		return nil
	}
	class := object(snapshotClassKind, types.NamespacedName{Name: text(s, "spec", "volumeSnapshotClassName")})
	claim := &corev1.PersistentVolumeClaim{}
	source := types.NamespacedName{Namespace: s.GetNamespace(),
		Name: text(s, "spec", "source", "persistentVolumeClaimName")}
	for _, err := range []error{
		r.guest.Get(ctx, client.ObjectKeyFromObject(class), class), r.guest.Get(ctx, source, claim),
	} {
		if err != nil {
			return client.IgnoreNotFound(err)
		}
	}
	if class.Object["driver"] != driverName || claim.Spec.VolumeName == "" {
		return nil
	}
	taken := object(snapshotKind, r.inInfra(snapshotPrefix+string(s.GetUID())))
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(taken), taken); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("read a snapshot of a guest: %w", err)
	} else if err != nil {
		taken.SetLabels(r.labels())
		spec := map[string]any{"source": map[string]any{"persistentVolumeClaimName": claim.Spec.VolumeName}}
		if infra := text(class, "parameters", infraSnapshotParameter); infra != "" {
			spec["volumeSnapshotClassName"] = infra
		}
		taken.Object["spec"] = spec
		if err := r.Live.Create(ctx, taken); err != nil {
			return fmt.Errorf("take a snapshot for a guest: %w", err)
		}
		return nil
	}
	if ready, _, _ := unstructured.NestedBool(taken.Object, "status", "readyToUse"); !ready {
		return nil
	}
	return r.hand(ctx, s, taken, class.GetName())
}

// hand makes the content of a snapshot in the guest, and calls the snapshot ready.
func (r *round) hand(ctx context.Context, s, taken *unstructured.Unstructured, class string) error {
	content := object(snapshotContentKind, types.NamespacedName{Name: contentName(s.GetUID())})
	content.Object["spec"] = map[string]any{
		"deletionPolicy": string(corev1.PersistentVolumeReclaimDelete), "driver": driverName,
		"volumeSnapshotClassName": class,
		"source":                  map[string]any{"volumeHandle": text(taken, "spec", "source", "persistentVolumeClaimName")},
		"volumeSnapshotRef": map[string]any{"apiVersion": snapshotKind.GroupVersion().String(), "kind": snapshotKind.Kind,
			"namespace": s.GetNamespace(), "name": s.GetName(), "uid": string(s.GetUID())},
	}
	if err := r.guest.Create(ctx, content); client.IgnoreAlreadyExists(err) != nil {
		return fmt.Errorf("hand a snapshot to a guest: %w", err)
	} else if err != nil {
		if err := r.guest.Get(ctx, client.ObjectKeyFromObject(content), content); err != nil {
			return fmt.Errorf("hand a snapshot to a guest: %w", err)
		}
	}
	content.Object["status"] = map[string]any{"readyToUse": true, "snapshotHandle": taken.GetName()}
	if err := r.guest.Status().Update(ctx, content); err != nil {
		return fmt.Errorf("hand a snapshot to a guest: %w", err)
	}
	status := map[string]any{"readyToUse": true, "boundVolumeSnapshotContentName": content.GetName()}
	if size := text(taken, "status", "restoreSize"); size != "" {
		status["restoreSize"] = size
	}
	s.Object["status"] = status
	if err := r.guest.Status().Update(ctx, s); err != nil {
		return fmt.Errorf("hand a snapshot to a guest: %w", err)
	}
	return nil
}
