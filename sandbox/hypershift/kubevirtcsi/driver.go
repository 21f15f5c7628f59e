// Package kubevirtcsi simulates the storage of hosted clusters that have an API server: the classes that HyperShift
// makes there, and KubeVirt's CSI driver with what Kubernetes brings beside it (scheduler, volume controllers,
// kubelet), because none of that runs in a guest. A volume is a DataVolume in the control plane's namespace, which is
// hot-plugged into the VM of the pod's node through KubeVirt's own subresource.
//
// Source: kubevirt/csi-driver (pkg/service/controller.go) and HyperShift (control-plane-operator, csi/kubevirt).
// Simplified: pods are played only if they mount such a volume; clones and volumes from snapshots are left out, and so
// is the DaemonSet kubevirt-csi-node: each ready node has the driver.
package kubevirtcsi

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
)

const (
	driverName = "csi.kubevirt.io"
	// poll is how often a guest is looked at: nothing tells of changes in it. busyPoll is that while a volume moves.
	poll     = time.Second
	busyPoll = 200 * time.Millisecond
)

// driver plays the storage of each hosted cluster.
type driver struct {
	reconciler.Base
	// subresources asks KubeVirt to plug volumes.
	subresources rest.Interface
	// told are the classes that each guest has been given, by the UID of its control plane.
	told sync.Map
	// quiet are the control plane namespaces of guests that had neither volumes nor snapshots at the last look.
	quiet sync.Map
}

// Setup adds the driver to the manager. Guests in memory have no storage.
func Setup(mgr ctrl.Manager, b reconciler.Base) error {
	if !b.Guests.Serves() {
		return nil
	}
	subresources, err := subresourceClient(b.Config)
	if err != nil {
		return err
	}
	d := &driver{Base: b, subresources: subresources}
	return ctrl.NewControllerManagedBy(mgr).Named("kubevirt-csi").
		For(&hyperv1.HostedControlPlane{}).
		WithOptions(d.ControllerOptions()).
		Complete(d)
}

// Reconcile looks at the volumes of one hosted cluster, and comes back for as long as its API server may run.
func (d *driver) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	hcp := &hyperv1.HostedControlPlane{}
	if err := d.Cached.Get(ctx, req.NamespacedName, hcp); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	state := d.Guests.Get(hcp.Namespace)
	switch {
	case state.InMemory():
		return reconcile.Result{}, nil // such a guest never gets an API server
	case state.Phase != guest.Running:
		return reconcile.Result{RequeueAfter: poll}, nil
	}
	if err := guest.FinishNamespaces(ctx, state); err != nil {
		return reconcile.Result{}, err
	}
	if hcp.Spec.Platform.Type != hyperv1.KubevirtPlatform {
		return reconcile.Result{}, nil
	}
	if storageType(hcp) == hyperv1.NoneKubevirtStorageDriverConfigType {
		return reconcile.Result{RequeueAfter: poll}, nil
	}
	if err := d.ensureClasses(ctx, hcp, state.Client); err != nil {
		return reconcile.Result{}, err
	}
	r := &round{driver: d, hcp: hcp, guest: state.Client}
	busy, err := r.play(ctx)
	if err != nil || busy {
		return reconcile.Result{RequeueAfter: busyPoll}, ignoreRaces(err)
	}
	return reconcile.Result{RequeueAfter: poll}, nil
}

// round is one look at the volumes of a guest.
type round struct {
	*driver
	hcp   *hyperv1.HostedControlPlane
	guest client.Client

	claims      []corev1.PersistentVolumeClaim // those of the driver's classes
	volumes     []corev1.PersistentVolume      // those of the driver
	classes     map[string]*storagev1.StorageClass
	pods        []corev1.Pod
	nodes       []corev1.Node
	attachments []storagev1.VolumeAttachment
}

// play takes the next steps of each volume. busy reports whether there is any.
func (r *round) play(ctx context.Context) (busy bool, err error) {
	found, err := r.look(ctx)
	if err != nil {
		return false, err
	}
	if _, quiet := r.quiet.Load(r.hcp.Namespace); quiet && !found {
		return false, nil // a snapshot is one of a volume
	}
	if busy, err = r.snapshots(ctx); err != nil {
		return false, err
	}
	if !found {
		if !busy {
			r.quiet.Store(r.hcp.Namespace, true)
		}
		return busy, nil
	}
	r.quiet.Delete(r.hcp.Namespace)
	for _, step := range []func(context.Context) error{
		r.register, r.provision, r.schedule, r.attach, r.run, r.detach, r.release, r.enlarge,
	} {
		if err := step(ctx); err != nil {
			return false, err
		}
	}
	return true, nil
}

// look reads what the steps need. It returns false if there is no volume of the driver, as is usual.
func (r *round) look(ctx context.Context) (bool, error) {
	var claims corev1.PersistentVolumeClaimList
	var volumes corev1.PersistentVolumeList
	if err := r.lists(ctx, &claims, &volumes); err != nil || len(claims.Items)+len(volumes.Items) == 0 {
		return false, err
	}
	var classes storagev1.StorageClassList
	var pods corev1.PodList
	var nodes corev1.NodeList
	var attachments storagev1.VolumeAttachmentList
	if err := r.lists(ctx, &classes, &pods, &nodes, &attachments); err != nil {
		return false, err
	}
	r.classes = map[string]*storagev1.StorageClass{}
	for i := range classes.Items {
		if classes.Items[i].Provisioner == driverName {
			r.classes[classes.Items[i].Name] = &classes.Items[i]
		}
	}
	r.claims = slices.DeleteFunc(claims.Items, func(c corev1.PersistentVolumeClaim) bool {
		return r.classOf(&c) == nil && c.Annotations[provisionerAnnotation] != driverName
	})
	r.volumes = slices.DeleteFunc(volumes.Items, func(v corev1.PersistentVolume) bool {
		return v.Spec.CSI == nil || v.Spec.CSI.Driver != driverName
	})
	r.attachments = slices.DeleteFunc(attachments.Items, func(a storagev1.VolumeAttachment) bool {
		return a.Spec.Attacher != driverName
	})
	r.pods, r.nodes = pods.Items, nodes.Items
	return len(r.claims)+len(r.volumes) > 0, nil
}

func (r *round) lists(ctx context.Context, lists ...client.ObjectList) error {
	for _, list := range lists {
		if err := r.guest.List(ctx, list); err != nil {
			return fmt.Errorf("list what a guest has of volumes: %w", err)
		}
	}
	return nil
}

// labels are on everything that the driver makes in the control plane's namespace.
func (r *round) labels() map[string]string {
	return map[string]string{hyperv1.InfraIDLabel: r.hcp.Spec.InfraID}
}

// inInfra is the key of an object of the control plane's namespace.
func (r *round) inInfra(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: r.hcp.Namespace, Name: name}
}
