// Package datafoundation simulates OpenShift Data Foundation: StorageClusters, storage classes and volumes.
package datafoundation

import (
	"context"
	"fmt"
	"sort"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	storageNamespace   = "openshift-storage"
	storageFinalizer   = "storagecluster.ocs.openshift.io"
	storageNodeLabel   = "cluster.ocs.openshift.io/openshift-storage"
	storageNodesNeeded = 3
	// cephTime is the start time of Ceph after its disks exist, noobaaTime that of the object gateway after Ceph.
	cephTime   = 2500 * time.Millisecond
	noobaaTime = 1500 * time.Millisecond
)

var storageClusterKind = schema.GroupVersionKind{Group: "ocs.openshift.io", Version: "v1", Kind: "StorageCluster"}

// Operator is ocs-operator with its operands: Rook's OSDs, the CSI provisioners, the storage classes.
func Operator() operator.Operator {
	return operator.Operator{
		Name:       "ocs-operator",
		Deployment: types.NamespacedName{Namespace: storageNamespace, Name: "ocs-operator-controller-manager"},
		Setup: func(_ context.Context, mgr ctrl.Manager, env operator.Env) error {
			f := &dataFoundation{framework.NewRun(mgr, env)}
			each := f.ToEach(framework.UnstructuredList(storageClusterKind))
			err := f.NewController("storagecluster", framework.Unstructured(storageClusterKind)).
				Watches(framework.Unstructured(storageClusterKind), each).
				Watches(&appsv1.Deployment{}, each, framework.InNamespaces(storageNamespace)).
				Watches(&corev1.PersistentVolumeClaim{}, each).
				Watches(&corev1.Node{}, each, framework.LabelsChanged()).
				Watches(&storagev1.StorageClass{}, each).
				Watches(&apiextensionsv1.CustomResourceDefinition{}, each,
					builder.WithPredicates(framework.OfKinds([]schema.GroupVersionKind{
						{Group: "kubevirt.io", Kind: "VirtualMachine"},
						{Group: framework.SnapshotClassKind.Group, Kind: framework.SnapshotClassKind.Kind},
					}))).
				Complete(f.ForExisting(storageClusterKind, f.reconcile))
			if err != nil {
				return err
			}
			if err := f.storageSystems(); err != nil {
				return err
			}
			return f.provisioner()
		},
	}
}

type dataFoundation struct{ *framework.Run }

// updateStatus writes the phase and the five conditions of every StorageCluster. all has the statuses of
// ReconcileComplete, Available, Progressing, Degraded and Upgradeable, in this order.
func (f *dataFoundation) updateStatus(ctx context.Context, sc *unstructured.Unstructured, phase string, all [5]string,
	reason, message string) error {
	return framework.WriteStatus(ctx, f.Client, sc, func(o *unstructured.Unstructured) {
		framework.Set(o, phase, "status", "phase")
		for i, kind := range []string{"ReconcileComplete", "Available", "Progressing", "Degraded", "Upgradeable"} {
			framework.SetConditions(o, framework.Heartbeats,
				framework.Condition{Type: kind, Status: all[i], Reason: reason, Message: message})
		}
		if phase == "Ready" {
			framework.Set(o, f.Profile.Minor()+".0", "status", "version")
		}
	})
}

func (f *dataFoundation) reconcile(ctx context.Context, sc *unstructured.Unstructured) (ctrl.Result, error) {
	active, err := f.isActive(ctx, sc)
	if err != nil {
		return ctrl.Result{}, err
	}
	if !active && sc.GetDeletionTimestamp() == nil {
		return ctrl.Result{}, framework.WriteStatus(ctx, f.Client, sc, func(o *unstructured.Unstructured) {
			framework.Set(o, "Ignored", "status", "phase")
		})
	}
	if sc.GetDeletionTimestamp() != nil {
		return ctrl.Result{}, f.uninstall(ctx, sc)
	}
	if err := framework.AddFinalizer(ctx, f.Client, sc, storageFinalizer); err != nil {
		return ctrl.Result{}, err
	}
	var (
		failed      = [5]string{"False", "False", "False", "True", "Unknown"}
		progressing = [5]string{"Unknown", "False", "True", "False", "Unknown"}
		complete    = [5]string{"True", "True", "False", "False", "True"}
	)
	if f.Faults.Active(fault.StorageClusterError) {
		// Ceph's StorageClasses never become ready, an error that real StorageClusters can have for hours.
		return ctrl.Result{}, f.updateStatus(ctx, sc, "Error", failed, "ReconcileFailed",
			fmt.Sprintf("Error while reconciling: some StorageClasses "+
				"[%[1]s-cephfs,%[1]s-ceph-rbd] were skipped while waiting for pre-requisites to be met", sc.GetName()))
	}
	nodes := &corev1.NodeList{}
	if err := f.Client.List(ctx, nodes, client.HasLabels{storageNodeLabel}); err != nil {
		return ctrl.Result{}, err
	}
	if len(nodes.Items) < storageNodesNeeded {
		return ctrl.Result{}, f.updateStatus(ctx, sc, "Error", failed, "ReconcileFailed", fmt.Sprintf(
			"Error while reconciling: not enough nodes found: Expected %d, found %d", storageNodesNeeded, len(nodes.Items)))
	}
	up, total, err := f.disks(ctx, sc)
	if err != nil {
		return ctrl.Result{}, err
	}
	if up < total || total == 0 {
		f.Forget("ceph" + string(sc.GetUID()))
		return ctrl.Result{}, f.updateStatus(ctx, sc, "Progressing", progressing, "ClusterStateCreating",
			fmt.Sprintf("CephCluster is creating: Processing OSDs on PVCs: %d of %d OSDs are up", up, total))
	}
	ready := framework.Text(sc, "status", "phase") == "Ready"
	if wait := f.Remaining(cephTime, "ceph"+string(sc.GetUID())); wait > 0 && !ready {
		return framework.RequeueAfter(wait), f.updateStatus(ctx, sc, "Progressing", progressing, "ClusterStateCreating",
			"CephCluster is creating: Configuring Ceph Mgr(s)")
	}
	if err := f.classes(ctx, sc); err != nil {
		return ctrl.Result{}, err
	}
	if wait := f.Remaining(noobaaTime, "noobaa"+string(sc.GetUID())); wait > 0 && !ready {
		return framework.RequeueAfter(wait), f.updateStatus(ctx, sc, "Progressing", progressing, "NoobaaInitializing",
			"Waiting on Nooba instance to finish initialization")
	}
	return ctrl.Result{}, f.updateStatus(ctx, sc, "Ready", complete, "ReconcileCompleted",
		"Reconcile completed successfully")
}

// isActive tells whether sc is the oldest StorageCluster. The operator ignores the others.
func (f *dataFoundation) isActive(ctx context.Context, sc *unstructured.Unstructured) (bool, error) {
	list := framework.UnstructuredList(storageClusterKind)()
	if err := f.Client.List(ctx, list); err != nil {
		return false, err
	}
	all := framework.Items(list)
	sort.Slice(all, func(i, j int) bool {
		a, b := all[i].GetCreationTimestamp(), all[j].GetCreationTimestamp()
		if a.Equal(&b) {
			return all[i].GetName() < all[j].GetName()
		}
		return a.Before(&b)
	})
	return len(all) > 0 && all[0].GetUID() == sc.GetUID(), nil
}

// uninstall removes a StorageCluster. As in uninstall mode graceful, claims of its classes block it.
func (f *dataFoundation) uninstall(ctx context.Context, sc *unstructured.Unstructured) error {
	classes := &storagev1.StorageClassList{}
	if err := f.Client.List(ctx, classes); err != nil {
		return err
	}
	claims := &corev1.PersistentVolumeClaimList{}
	if err := f.Client.List(ctx, claims); err != nil {
		return err
	}
	var mine []client.Object
	for i := range classes.Items {
		c := &classes.Items[i]
		if !provides(c.Provisioner) {
			continue
		}
		mine = append(mine, c)
		for _, claim := range claims.Items {
			if claim.Spec.StorageClassName != nil && *claim.Spec.StorageClassName == c.Name {
				return f.updateStatus(ctx, sc, "Deleting", [5]string{"Unknown", "False", "True", "False", "Unknown"},
					"UninstallPending",
					fmt.Sprintf("uninstall: Waiting on PVC %s/%s of storage class %s to be deleted", claim.Namespace, claim.Name,
						c.Name))
			}
		}
	}
	for _, c := range snapshotClasses(sc.GetName()) {
		mine = append(mine, c)
	}
	osds := &appsv1.DeploymentList{}
	if err := f.Client.List(ctx, osds, framework.InNamespace(sc.GetNamespace()),
		client.MatchingLabels{"app": "rook-ceph-osd"}); err != nil {
		return err
	}
	for i := range osds.Items {
		mine = append(mine, &osds.Items[i])
	}
	for i := range claims.Items {
		if claims.Items[i].Labels[deviceSetLabel] != "" && claims.Items[i].Namespace == sc.GetNamespace() {
			mine = append(mine, &claims.Items[i])
		}
	}
	for _, o := range mine {
		if err := framework.Remove(ctx, f.Client, o, client.PropagationPolicy("Background")); err != nil {
			return err
		}
	}
	return framework.RemoveFinalizer[client.Object](ctx, f.Client, sc, storageFinalizer)
}
