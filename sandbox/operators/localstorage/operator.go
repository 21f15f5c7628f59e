// Package localstorage simulates the Local Storage Operator.
package localstorage

import (
	"context"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/disks"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	// localDiscoveryName is the only LocalVolumeDiscovery that the disk maker reads.
	localDiscoveryName = "auto-discover-devices"
	localSetFinalizer  = "storage.openshift.com/local-volume-protection"
	// linkFinalizer is on volumes from 4.18 on: the disk maker removes their links before they go.
	linkFinalizer = "storage.openshift.com/lso-symlink-deleter"
	// discoveryTime is the time to discover the disks of a node.
	discoveryTime = time.Second
	// provisionTime is the time to create volumes from disks (a minute and more in reality).
	provisionTime = 2 * time.Second
)

func localStorageKind(kind string) schema.GroupVersionKind {
	version := "v1alpha1"
	if strings.TrimSuffix(kind, "List") == "LocalVolume" {
		version = "v1"
	}
	return schema.GroupVersionKind{Group: "local.storage.openshift.io", Version: version, Kind: kind}
}

// Operator is the Local Storage Operator. It finds the disks in the annotation DisksAnnotation of nodes and creates
// volumes on them.
func Operator() operator.Operator {
	return operator.Operator{
		Name:       "local-storage-operator",
		Deployment: types.NamespacedName{Namespace: "openshift-local-storage", Name: "local-storage-operator"},
		Setup: func(_ context.Context, mgr ctrl.Manager, env operator.Env) error {
			s := &localStorage{framework.NewRun(mgr, env)}
			for name, c := range map[string]struct {
				kind      string
				reconcile func(context.Context, *unstructured.Unstructured) (ctrl.Result, error)
			}{
				"localvolumediscovery": {"LocalVolumeDiscovery", s.discover},
				"localvolumeset":       {"LocalVolumeSet", s.provision},
				"localvolume":          {"LocalVolume", s.provisionNamed},
			} {
				gvk := localStorageKind(c.kind)
				each := s.ToEach(framework.UnstructuredList(gvk))
				err := s.NewController(name, framework.Unstructured(gvk)).
					Watches(&corev1.Node{}, each, framework.LabelsChanged()).
					Watches(&corev1.PersistentVolume{}, each).
					Watches(&appsv1.DaemonSet{}, each, framework.InNamespaces("openshift-local-storage")).
					Complete(s.ForExisting(gvk, c.reconcile))
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
}

type localStorage struct{ *framework.Run }

// discover reconciles a LocalVolumeDiscovery.
func (s *localStorage) discover(ctx context.Context, lvd *unstructured.Unstructured) (ctrl.Result, error) {
	if lvd.GetDeletionTimestamp() != nil {
		return ctrl.Result{}, nil
	}
	placement, err := disks.PlacementOf(lvd)
	if err != nil {
		return ctrl.Result{}, err
	}
	desired, ready, err := s.EnsureDaemonSet(ctx, framework.Workload{
		NamespacedName: types.NamespacedName{Namespace: lvd.GetNamespace(), Name: "diskmaker-discovery"},
		Owner:          lvd,
		Pod:            daemon(placement),
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	// The message forms and the unusual statuses (Progressing and Degraded with status False) are the real operator's.
	phase, cond := "Discovering", framework.Condition{Type: "Progressing", Status: "False", Reason: "",
		Message: fmt.Sprintf("running %d out of %d discovery daemons", ready, max(0, desired))}
	var wait time.Duration
	switch {
	case desired == 0:
		phase, cond = "DiscoveryFailed", framework.Condition{Type: "Degraded", Status: "False", Reason: "",
			Message: "no discovery daemons are scheduled for running"}
	case desired > 0 && ready == desired:
		if wait = s.Remaining(discoveryTime, "discovery"+string(lvd.GetUID())); wait == 0 {
			cond = framework.Condition{Type: "Available", Status: "True", Reason: "",
				Message: fmt.Sprintf("successfully running %d out of %d discovery daemons", ready, desired)}
			if err := s.results(ctx, lvd, placement); err != nil {
				return ctrl.Result{}, err
			}
		}
	}
	return framework.RequeueAfter(wait), framework.WriteStatus(ctx, s.Client, lvd, func(o *unstructured.Unstructured) {
		framework.Set(o, phase, "status", "phase")
		framework.Set(o, o.GetGeneration(), "status", "observedGeneration")
		framework.OnlyCondition(o, framework.Plain, cond)
	})
}

// provision reconciles a LocalVolumeSet.
func (s *localStorage) provision(ctx context.Context, lvs *unstructured.Unstructured) (ctrl.Result, error) {
	class := framework.Text(lvs, "spec", "storageClassName")
	if lvs.GetDeletionTimestamp() != nil {
		return ctrl.Result{}, s.cleanUp(ctx, lvs, class)
	}
	if err := framework.AddFinalizer(ctx, s.Client, lvs, localSetFinalizer); err != nil {
		return ctrl.Result{}, err
	}
	want, err := wantedDevices(lvs)
	if err != nil {
		return ctrl.Result{}, err
	}
	desired, ready, err := s.diskMaker(ctx, lvs, want.Placement)
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := s.ensureClass(ctx, lvs, class); err != nil {
		return ctrl.Result{}, err
	}
	daemons := diskMakers(desired, ready)
	if daemons.Status != "True" {
		return ctrl.Result{}, s.setStatus(ctx, lvs, -1, daemons)
	}
	if wait := s.Remaining(provisionTime, "volumes"+string(lvs.GetUID())); wait > 0 {
		return framework.RequeueAfter(wait), s.setStatus(ctx, lvs, -1, daemons)
	}
	count, err := s.volumes(ctx, lvs, class, want)
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, s.setStatus(ctx, lvs, count, daemons,
		framework.Condition{Type: "Available", Status: "True", Reason: "", Message: "Operator reconciled successfully."})
}

// diskMaker makes the DaemonSet that makes volumes. The operator runs one for all its objects, on the nodes of each.
func (s *localStorage) diskMaker(ctx context.Context, owner *unstructured.Unstructured,
	where disks.Placement) (desired, ready int32, err error) {
	for _, kind := range []string{"LocalVolumeSet", "LocalVolume"} {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(localStorageKind(kind + "List"))
		if err := s.Client.List(ctx, list); err != nil {
			return 0, 0, err
		}
		for i := range list.Items {
			other, err := disks.PlacementOf(&list.Items[i])
			if err != nil {
				return 0, 0, err
			}
			where = where.Or(other)
		}
	}
	return s.EnsureDaemonSet(ctx, framework.Workload{
		NamespacedName: types.NamespacedName{Namespace: owner.GetNamespace(), Name: "diskmaker-manager"},
		Owner:          owner,
		Pod:            daemon(where),
	})
}

// daemon is a pod of the operator's DaemonSets, as the service account that its bundle brings.
func daemon(where disks.Placement) func(*corev1.PodSpec) {
	return func(p *corev1.PodSpec) {
		where.Apply(p)
		p.ServiceAccountName = "local-storage-admin"
	}
}

// ensureClass creates a StorageClass. From 4.19 on it carries its owner's kind.
func (s *localStorage) ensureClass(ctx context.Context, owner *unstructured.Unstructured, class string) error {
	labels := map[string]string{
		"local.storage.openshift.io/owner-name":      owner.GetName(),
		"local.storage.openshift.io/owner-namespace": owner.GetNamespace(),
	}
	if framework.AtLeast(s.Profile.Minor(), "4.19") {
		labels["local.storage.openshift.io/owner-kind"] = owner.GetKind()
	}
	return framework.Create(ctx, s.Client, &storagev1.StorageClass{
		ObjectMeta:        metav1.ObjectMeta{Name: class, Labels: labels},
		Provisioner:       "kubernetes.io/no-provisioner",
		VolumeBindingMode: ptr.To(storagev1.VolumeBindingWaitForFirstConsumer),
		ReclaimPolicy:     ptr.To(corev1.PersistentVolumeReclaimDelete),
	})
}

// diskMakers returns the condition about the DaemonSet diskmaker-manager. Type and messages are those of the Local
// Storage operator 4.12 to 4.21 (pkg/controllers/localvolumeset/conditions.go, status.go); a negative desired means no
// DaemonSet yet.
func diskMakers(desired, ready int32) framework.Condition {
	const conditionType = "DaemonSetsAvailable"
	switch {
	case desired < 0:
		return framework.Condition{Type: conditionType, Status: "False", Reason: "", Message: "DiskMaker: Not found."}
	case ready < desired:
		return framework.Condition{Type: conditionType, Status: "False", Reason: "",
			Message: fmt.Sprintf("DiskMaker: %d/%d Unavailable.", desired-ready, desired)}
	}
	return framework.Condition{Type: conditionType, Status: "True", Reason: "", Message: "DiskMaker: Available"}
}

// setStatus writes conditions and, unless it is negative, the count of provisioned devices.
func (s *localStorage) setStatus(ctx context.Context, lvs *unstructured.Unstructured, count int64,
	conds ...framework.Condition) error {
	return framework.WriteStatus(ctx, s.Client, lvs, func(o *unstructured.Unstructured) {
		framework.SetConditions(o, framework.Plain, conds...)
		framework.Set(o, o.GetGeneration(), "status", "observedGeneration")
		if count >= 0 {
			framework.Set(o, count, "status", "totalProvisionedDeviceCount")
		}
	})
}

// cleanUp removes the volumes of a deleted LocalVolumeSet, and from 4.19 on its StorageClass, which stays before.
// Volumes block it until they are cleaned.
func (s *localStorage) cleanUp(ctx context.Context, lvs *unstructured.Unstructured, class string) error {
	used, err := s.release(ctx, lvs)
	if err != nil {
		return err
	}
	if used {
		return s.setStatus(ctx, lvs, -1, framework.Condition{Type: "Available", Status: "False", Reason: "",
			Message: fmt.Sprintf("Operator error: localvolumeset %s has owned persistentvolumes in use", lvs.GetName())})
	}
	if framework.AtLeast(s.Profile.Minor(), "4.19") {
		if err := framework.Remove(ctx, s.Client,
			&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: class}}); err != nil {
			return err
		}
	}
	return framework.RemoveFinalizer[client.Object](ctx, s.Client, lvs, localSetFinalizer)
}

// release has the volumes of a LocalVolumeSet or LocalVolume that no claim has cleaned, and reports whether any
// remains. As the real operator does it, they get a claim that does not exist, so that they become Released. Volumes
// with the policy Retain stay.
func (s *localStorage) release(ctx context.Context, owner *unstructured.Unstructured) (left bool, err error) {
	if err := s.clean(ctx, owner); err != nil {
		return false, err
	}
	volumes, err := s.volumesOf(ctx, owner)
	for i := range volumes {
		pv := &volumes[i]
		if pv.Status.Phase != corev1.VolumeAvailable || pv.Spec.ClaimRef != nil ||
			pv.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimRetain {
			continue
		}
		if err := framework.Change(ctx, s.Client, pv, func(pv *corev1.PersistentVolume) {
			id := uuid.NewUUID()
			pv.Spec.ClaimRef = &corev1.ObjectReference{Namespace: owner.GetNamespace(), Name: "release-" + string(id), UID: id}
		}); err != nil {
			return true, err
		}
	}
	return len(volumes) > 0, err
}

// clean wipes released volumes and deletes them, as the disk maker does on their nodes.
func (s *localStorage) clean(ctx context.Context, owner *unstructured.Unstructured) error {
	volumes, err := s.volumesOf(ctx, owner)
	if err != nil {
		return err
	}
	for i := range volumes {
		pv := &volumes[i]
		if pv.Status.Phase != corev1.VolumeReleased ||
			pv.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimDelete {
			continue
		}
		if err := framework.Remove(ctx, s.Client, pv); err != nil {
			return err
		}
		if err := framework.RemoveFinalizer(ctx, s.Client, pv, linkFinalizer); err != nil {
			return err
		}
	}
	return nil
}
