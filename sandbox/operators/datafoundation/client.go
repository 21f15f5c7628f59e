package datafoundation

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"

	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const clientFinalizer = "storageclient.ocs.openshift.io"

// Client is ocs-client-operator, from 4.19 on: StorageClients, and the classes that come with them. It plays
// ocs-provider-server, which the client asks over the network, too.
func Client() operator.Operator {
	return operator.Operator{
		Name: "ocs-client-operator",
		Deployment: types.NamespacedName{Namespace: storageNamespace,
			Name: "ocs-client-operator-controller-manager"},
		Setup: func(_ context.Context, mgr ctrl.Manager, env operator.Env) error {
			f := &dataFoundation{framework.NewRun(mgr, env)}
			each := f.ToEach(framework.UnstructuredList(storageClientKind))
			return f.NewController("storageclient", framework.Unstructured(storageClientKind)).
				Watches(framework.Unstructured(storageConsumerKind), each).
				Watches(framework.Unstructured(storageClusterKind), each).
				Watches(&storagev1.StorageClass{}, each).
				Watches(&corev1.PersistentVolume{}, each).
				Watches(&apiextensionsv1.CustomResourceDefinition{}, each,
					builder.WithPredicates(framework.OfKinds([]schema.GroupVersionKind{
						{Group: framework.SnapshotClassKind.Group, Kind: framework.SnapshotClassKind.Kind}}))).
				Complete(f.ForExisting(storageClientKind, f.serveClient))
		},
	}
}

func (f *dataFoundation) serveClient(ctx context.Context, c *unstructured.Unstructured) (ctrl.Result, error) {
	sc := framework.Unstructured(storageClusterKind)
	sc.SetNamespace(storageNamespace)
	sc.SetName(c.GetName())
	there, err := framework.Exists(ctx, f.Client, sc)
	if err != nil {
		return ctrl.Result{}, err
	}
	consumer := internalConsumer(sc)
	known, err := framework.Exists(ctx, f.Client, consumer)
	if err != nil {
		return ctrl.Result{}, err
	}
	if c.GetDeletionTimestamp() != nil {
		return ctrl.Result{}, f.leave(ctx, c, consumer, known)
	}
	if err := framework.AddFinalizer(ctx, f.Client, c, clientFinalizer); err != nil || !there || !known {
		return ctrl.Result{}, err
	}
	if framework.Text(c, "status", "id") == "" {
		if wait := f.Remaining(clientTime, "client"+string(c.GetUID())); wait > 0 {
			return framework.RequeueAfter(wait), f.clientPhase(ctx, c, "Initializing", "")
		}
		if err := f.enable(ctx, c, consumer); err != nil {
			return ctrl.Result{}, err
		}
	}
	if err := f.clientPhase(ctx, c, "Connected", string(consumer.GetUID())); err != nil {
		return ctrl.Result{}, err
	}
	// Before that the provider answers Unavailable.
	if framework.Text(consumer, "status", "state") != "Ready" {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, f.classes(ctx, sc, c)
}

func (f *dataFoundation) clientPhase(ctx context.Context, c *unstructured.Unstructured, phase, id string) error {
	return framework.WriteStatus(ctx, f.Client, c, func(c *unstructured.Unstructured) {
		framework.Set(c, phase, "status", "phase")
		if id != "" {
			framework.Set(c, id, "status", "id")
		}
	})
}

// enable is what the provider does when a client comes aboard with the right ticket.
func (f *dataFoundation) enable(ctx context.Context, c, consumer *unstructured.Unstructured) error {
	ticket, err := f.ticket(ctx, consumer)
	if err != nil {
		return err
	}
	if framework.Text(c, "spec", "onboardingTicket") != ticket {
		return fmt.Errorf("failed to onboard consumer: StorageClient %s has another ticket", c.GetName())
	}
	if err := framework.WriteStatus(ctx, f.Client, consumer, func(o *unstructured.Unstructured) {
		framework.Set(o, map[string]any{"name": c.GetName(), "clientId": string(c.GetUID()),
			"operatorNamespace": storageNamespace, "operatorVersion": f.Profile.Minor() + ".0",
			"platformVersion": f.Profile.OpenShift}, "status", "client")
	}); err != nil {
		return err
	}
	return framework.Change(ctx, f.Client, consumer, func(o *unstructured.Unstructured) {
		framework.Set(o, true, "spec", "enable")
	})
}

// leave lets a StorageClient go once no volume of its profile is left. Its classes go with it.
func (f *dataFoundation) leave(ctx context.Context, c, consumer *unstructured.Unstructured, known bool) error {
	if err := f.clientPhase(ctx, c, "Offboarding", ""); err != nil {
		return err
	}
	volumes := &corev1.PersistentVolumeList{}
	if err := f.Client.List(ctx, volumes); err != nil {
		return err
	}
	for i := range volumes.Items {
		csi := volumes.Items[i].Spec.CSI
		if csi != nil && (csi.Driver == RBDDriver || csi.Driver == CephFSDriver) &&
			csi.VolumeAttributes["clusterID"] == storageNamespace {
			return nil // the real operator only logs it
		}
	}
	if known {
		if err := framework.WriteStatus(ctx, f.Client, consumer, func(o *unstructured.Unstructured) {
			unstructured.RemoveNestedField(o.Object, "status", "client")
		}); err != nil {
			return err
		}
	}
	return framework.RemoveFinalizer(ctx, f.Client, c, clientFinalizer)
}

// ownedBy makes classes go with the StorageClient that brought them; nil is none.
func ownedBy(c *unstructured.Unstructured) []metav1.OwnerReference {
	if c == nil {
		return nil
	}
	return []metav1.OwnerReference{*metav1.NewControllerRef(c, storageClientKind)}
}
