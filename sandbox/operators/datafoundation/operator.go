// Package datafoundation simulates OpenShift Data Foundation: StorageClusters, storage classes and volumes.
package datafoundation

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	// rookRetry is how soon it looks again for rook-ceph-operator.
	rookRetry = 5 * time.Second
	// clientTime is how long a StorageClient takes to come aboard, from 4.19 on.
	clientTime = time.Second
)

var storageClusterKind = schema.GroupVersionKind{Group: "ocs.openshift.io", Version: "v1", Kind: "StorageCluster"}

// Operator is ocs-operator with its operands: Rook's OSDs, the CSI provisioners, the storage classes.
func Operator() operator.Operator {
	return operator.Operator{
		Name:       "ocs-operator",
		Deployment: types.NamespacedName{Namespace: storageNamespace, Name: "ocs-operator"},
		Setup: func(_ context.Context, mgr ctrl.Manager, env operator.Env) error {
			f := &dataFoundation{framework.NewRun(mgr, env)}
			each := f.ToEach(framework.UnstructuredList(storageClusterKind))
			storage := f.NewController("storagecluster", framework.Unstructured(storageClusterKind)).
				Watches(framework.Unstructured(storageClusterKind), each).
				Watches(&appsv1.Deployment{}, each, framework.InNamespaces(storageNamespace)).
				Watches(&corev1.PersistentVolumeClaim{}, each).
				Watches(&corev1.Node{}, each, framework.LabelsChanged()).
				Watches(&storagev1.StorageClass{}, each).
				Watches(framework.Unstructured(cephClusterKind), each).
				Watches(&apiextensionsv1.CustomResourceDefinition{}, each,
					builder.WithPredicates(framework.OfKinds([]schema.GroupVersionKind{
						{Group: "kubevirt.io", Kind: "VirtualMachine"},
						{Group: framework.SnapshotClassKind.Group, Kind: framework.SnapshotClassKind.Kind},
						{Group: storageClientKind.Group, Kind: storageClientKind.Kind},
					})))
			if f.hasClients() {
				storage = storage.Watches(framework.Unstructured(storageConsumerKind), each)
			}
			if err := storage.Complete(f.ForExisting(storageClusterKind, f.reconcile)); err != nil {
				return err
			}
			if err := f.storageSystems(); err != nil {
				return err
			}
			if err := f.consumers(); err != nil {
				return err
			}
			return f.provisioner()
		},
	}
}

type dataFoundation struct{ *framework.Run }

// storageConditions are the types of conditions of a StorageCluster. What sets them lists statuses in this order.
var storageConditions = []string{"ReconcileComplete", "Available", "Progressing", "Degraded", "Upgradeable"}

var (
	progressing = [5]string{"Unknown", "False", "True", "False", "Unknown"}
	complete    = [5]string{"True", "True", "False", "False", "True"}
)

// updateStatus writes the phase and all conditions of a StorageCluster.
func (f *dataFoundation) updateStatus(ctx context.Context, sc *unstructured.Unstructured, phase string, all [5]string,
	reason, message string) error {
	return framework.WriteStatus(ctx, f.Client, sc, func(o *unstructured.Unstructured) {
		framework.Set(o, phase, "status", "phase")
		setAll(o, all, reason, message)
		if phase == "Ready" {
			framework.Set(o, f.Profile.Minor()+".0", "status", "version")
		}
	})
}

func setAll(o *unstructured.Unstructured, all [5]string, reason, message string) {
	for i, kind := range storageConditions {
		framework.SetConditions(o, framework.Heartbeats,
			framework.Condition{Type: kind, Status: all[i], Reason: reason, Message: message})
	}
}

// fail reports a reconciliation that failed. ocs-operator 4.12 to 4.21 then sets ReconcileComplete alone; the other
// conditions keep what they were, at first those of an initialization.
func (f *dataFoundation) fail(ctx context.Context, sc *unstructured.Unstructured, why string) error {
	return framework.WriteStatus(ctx, f.Client, sc, func(o *unstructured.Unstructured) {
		if _, ok, _ := unstructured.NestedSlice(o.Object, "status", "conditions"); !ok {
			setAll(o, progressing, "Init", "Initializing StorageCluster")
		}
		framework.Set(o, "Error", "status", "phase")
		framework.SetConditions(o, framework.Heartbeats, framework.Condition{Type: "ReconcileComplete", Status: "False",
			Reason: "ReconcileFailed", Message: "error while reconciling: " + why})
	})
}

// waits is what the operator writes while it waits for something: the phase alone. Conditions keep what they had, an
// error that is cured with its old text and time.
func (f *dataFoundation) waits(ctx context.Context, sc *unstructured.Unstructured) error {
	return framework.WriteStatus(ctx, f.Client, sc, func(o *unstructured.Unstructured) {
		if _, ok, _ := unstructured.NestedSlice(o.Object, "status", "conditions"); !ok {
			setAll(o, progressing, "Init", "Initializing StorageCluster")
		}
		if framework.Text(o, "status", "phase") != "Ready" {
			framework.Set(o, "Progressing", "status", "phase")
		}
	})
}

// providerServer makes the Deployment that StorageClients ask, and reports whether it is up: the first thing that the
// operator waits for.
func (f *dataFoundation) providerServer(ctx context.Context, sc *unstructured.Unstructured) (bool, error) {
	return f.EnsureDeployment(ctx, framework.Workload{
		NamespacedName: types.NamespacedName{Namespace: sc.GetNamespace(), Name: providerServerName},
		Pod:            func(p *corev1.PodSpec) { p.ServiceAccountName = providerServerName },
	})
}

const providerServerName = "ocs-provider-server"

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
	if missing, err := f.lacksRook(ctx, sc.GetNamespace()); err != nil || missing {
		return framework.RequeueAfter(f.Pace.Scale(rookRetry)), errors.Join(err, f.fail(ctx, sc, noRook))
	}
	if f.Faults.Active(fault.StorageClusterError) {
		return ctrl.Result{}, f.fail(ctx, sc, fmt.Sprintf("failed to ensure CephBlockPool %s-cephblockpool: timed out "+
			"waiting for the condition", sc.GetName()))
	}
	nodes := &corev1.NodeList{}
	if err := f.Client.List(ctx, nodes, client.HasLabels{storageNodeLabel}); err != nil {
		return ctrl.Result{}, err
	}
	if len(nodes.Items) < storageNodesNeeded {
		return ctrl.Result{}, f.fail(ctx, sc, fmt.Sprintf("Not enough nodes found: Expected %d, found %d", storageNodesNeeded,
			len(nodes.Items)))
	}
	if f.hasClients() {
		if up, err := f.providerServer(ctx, sc); err != nil || !up {
			return ctrl.Result{}, errors.Join(err, f.waits(ctx, sc))
		}
	}
	if err := f.ensureSystem(ctx, sc); err != nil {
		return ctrl.Result{}, err
	}
	if err := f.cephCreated(ctx, sc); err != nil {
		return ctrl.Result{}, err
	}
	if f.hasClients() {
		if err := f.consumer(ctx, sc); err != nil {
			return ctrl.Result{}, err
		}
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
	if err := f.ceph(ctx, sc); err != nil {
		return ctrl.Result{}, err
	}
	// From 4.19 on the StorageClient brings the classes.
	if !f.hasClients() {
		if err := f.classes(ctx, sc, nil); err != nil {
			return ctrl.Result{}, err
		}
	}
	if err := f.bucketClass(ctx); err != nil {
		return ctrl.Result{}, err
	}
	if wait := f.Remaining(noobaaTime, "noobaa"+string(sc.GetUID())); wait > 0 && !ready {
		return framework.RequeueAfter(wait), f.updateStatus(ctx, sc, "Progressing", progressing, "NoobaaInitializing",
			"Waiting on Nooba instance to finish initialization")
	}
	return ctrl.Result{}, f.updateStatus(ctx, sc, "Ready", complete, "ReconcileCompleted",
		"Reconcile completed successfully")
}

// noRook is what ocs-operator says from 4.20 on while no ClusterServiceVersion of rook-ceph-operator has succeeded.
const noRook = "no rook-ceph-operator CSV found in Succeeded phase"

// lacksRook reports whether no ClusterServiceVersion of rook-ceph-operator has succeeded. The sandbox's catalogs leave
// that operator out, so that one which is not there at all is not missed.
func (f *dataFoundation) lacksRook(ctx context.Context, namespace string) (bool, error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: "operators.coreos.com", Version: "v1alpha1",
		Kind: "ClusterServiceVersionList"})
	if !framework.AtLeast(f.Profile.Minor(), "4.20") {
		return false, nil
	}
	if err := f.Live.List(ctx, list, client.InNamespace(namespace)); framework.IsGone(err) {
		return false, nil // without OLM
	} else if err != nil {
		return false, err
	}
	found := false
	for i := range list.Items {
		csv := &list.Items[i]
		if !strings.HasPrefix(csv.GetName(), "rook-ceph-operator.v") {
			continue
		}
		if found = true; framework.Text(csv, "status", "phase") == "Succeeded" {
			return false, nil
		}
	}
	return found, nil
}

// isActive reports whether sc is the oldest StorageCluster. The operator ignores the others.
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

// uninstall removes a StorageCluster. As in uninstall mode graceful, claims of its classes block it, from 4.19 on its
// StorageClient, which waits for its volumes.
func (f *dataFoundation) uninstall(ctx context.Context, sc *unstructured.Unstructured) error {
	// The real operator says in an event what it waits for, and leaves the conditions as they are.
	pending := func(why string) error {
		return errors.Join(f.Warn(ctx, sc, "UninstallPending", "uninstall: "+why),
			framework.WriteStatus(ctx, f.Client, sc, func(o *unstructured.Unstructured) {
				framework.Set(o, "Deleting", "status", "phase")
			}))
	}
	if gone, err := f.offboard(ctx, sc); err != nil || !gone {
		return errors.Join(err, pending("Waiting for StorageClient "+sc.GetName()+" to be deleted"))
	}
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
				return pending(fmt.Sprintf("StorageClass %s is in use by PersistentVolumeClaim %s/%s", c.Name, claim.Namespace,
					claim.Name))
			}
		}
	}
	for _, c := range snapshotClasses(sc.GetName()) {
		mine = append(mine, c)
	}
	mine = append(mine, cephCluster(sc), &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: sc.GetNamespace(),
		Name: providerServerName}})
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
	if err := f.UnregisterDrivers(ctx, RBDDriver, CephFSDriver); err != nil {
		return err
	}
	return framework.RemoveFinalizer[client.Object](ctx, f.Client, sc, storageFinalizer)
}
