package datafoundation

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

var (
	storageConsumerKind = schema.GroupVersionKind{Group: "ocs.openshift.io", Version: "v1alpha1",
		Kind: "StorageConsumer"}
	storageClientKind = schema.GroupVersionKind{Group: "ocs.openshift.io", Version: "v1alpha1", Kind: "StorageClient"}
)

const (
	consumerName          = "internal"
	consumerConfigName    = "storageconsumer-internal"
	internalFinalizer     = "ocs.openshift.io/internal-component"
	consumerFinalizer     = "ocs.openshift.io/storageconsumer-protection"
	createdAtLabel        = "ocs.openshift.io/created-at-df-version"
	tokenKey              = "onboarding-token"
	tokenExpiryAnnotation = "ocs.openshift.io/token-expiry"
	// tokenLifetime is how long a client may come aboard with a ticket (ocs-operator's TokenLifetimeInHours).
	tokenLifetime = 48 * time.Hour
	// cephClientsTime is how long the Ceph users of a consumer take, once Ceph runs.
	cephClientsTime = 500 * time.Millisecond
)

// hasClients reports whether StorageClasses come through StorageConsumer and StorageClient.
func (f *dataFoundation) hasClients() bool { return framework.AtLeast(f.Profile.Minor(), "4.19") }

func internalConsumer(sc client.Object) *unstructured.Unstructured {
	c := framework.Unstructured(storageConsumerKind)
	c.SetNamespace(sc.GetNamespace())
	c.SetName(consumerName)
	return c
}

func internalClient(sc client.Object) *unstructured.Unstructured {
	c := framework.Unstructured(storageClientKind)
	c.SetName(sc.GetName())
	return c
}

// consumer makes StorageConsumer internal with its ConfigMap, and the StorageClient once its ticket is there.
func (f *dataFoundation) consumer(ctx context.Context, sc *unstructured.Unstructured) error {
	served, err := f.Served(ctx, "storageclients.ocs.openshift.io")
	if err != nil || !served {
		return err
	}
	classes, err := f.classNames(ctx, sc)
	if err != nil {
		return err
	}
	owner := *metav1.NewControllerRef(sc, storageClusterKind)
	c := internalConsumer(sc)
	if err := framework.Ensure(ctx, f.Client, c, func(c *unstructured.Unstructured) {
		c.SetOwnerReferences([]metav1.OwnerReference{owner})
		framework.Set(c, consumerConfigName, "spec", "resourceNameMappingConfigMap", "name")
		framework.Set(c, named(classes), "spec", "storageClasses")
		framework.Set(c, named(snapshotClassNames(sc.GetName())), "spec", "volumeSnapshotClasses")
		controllerutil.AddFinalizer(c, internalFinalizer)
	}); err != nil {
		return err
	}
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: sc.GetNamespace(), Name: consumerConfigName}}
	if err := framework.Ensure(ctx, f.Client, config, func(m *corev1.ConfigMap) {
		m.OwnerReferences = []metav1.OwnerReference{owner}
	}); err != nil {
		return err
	}
	// Ensure leaves an unstructured object without its status.
	if _, err := framework.Exists(ctx, f.Client, c); err != nil {
		return err
	}
	ticket, err := f.ticket(ctx, c)
	if err != nil || ticket == "" {
		return err
	}
	// Without an owner: a StorageClient is in no namespace.
	return framework.Ensure(ctx, f.Client, internalClient(sc), func(c *unstructured.Unstructured) {
		framework.Set(c, fmt.Sprintf("ocs-provider-server.%s.svc:50051", sc.GetNamespace()), "spec",
			"storageProviderEndpoint")
		if framework.Text(c, "spec", "onboardingTicket") == "" {
			framework.Set(c, ticket, "spec", "onboardingTicket")
		}
		controllerutil.AddFinalizer(c, internalFinalizer)
	})
}

func named(names []string) []any {
	var out []any
	for _, n := range names {
		out = append(out, map[string]any{"name": n})
	}
	return out
}

// ticket is what a client comes aboard with; "" once it has, or before there is one.
func (f *dataFoundation) ticket(ctx context.Context, consumer *unstructured.Unstructured) (string, error) {
	name := framework.Text(consumer, "status", "onboardingTicketSecret", "name")
	if name == "" {
		return "", nil
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: consumer.GetNamespace(), Name: name}}
	_, err := framework.Exists(ctx, f.Client, secret)
	return string(secret.Data[tokenKey]), err
}

// consumers simulates ocs-operator's controller for StorageConsumers.
func (f *dataFoundation) consumers() error {
	if !f.hasClients() {
		return nil
	}
	return f.NewController("storageconsumer", framework.Unstructured(storageConsumerKind)).
		Watches(framework.Unstructured(cephClusterKind), f.ToEach(framework.UnstructuredList(storageConsumerKind))).
		Complete(f.ForExisting(storageConsumerKind, f.serveConsumer))
}

func (f *dataFoundation) serveConsumer(ctx context.Context, c *unstructured.Unstructured) (ctrl.Result, error) {
	if c.GetLabels()[createdAtLabel] == "" {
		if err := framework.Change(ctx, f.Client, c, func(c *unstructured.Unstructured) {
			labels := c.GetLabels()
			if labels == nil {
				labels = map[string]string{}
			}
			labels[createdAtLabel] = f.Profile.Minor()
			c.SetLabels(labels)
		}); err != nil {
			return ctrl.Result{}, err
		}
	}
	enabled, _, _ := unstructured.NestedBool(c.Object, "spec", "enable")
	_, aboard, _ := unstructured.NestedMap(c.Object, "status", "client")
	switch {
	case c.GetDeletionTimestamp() != nil:
		if err := f.consumerState(ctx, c, "Deleting"); err != nil || aboard {
			return ctrl.Result{}, err
		}
		return ctrl.Result{}, framework.RemoveFinalizer(ctx, f.Client, c, consumerFinalizer)
	case !enabled:
		return ctrl.Result{}, f.offerTicket(ctx, c)
	}
	if err := framework.AddFinalizer(ctx, f.Client, c, consumerFinalizer); err != nil {
		return ctrl.Result{}, err
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: c.GetNamespace(), Name: ticketName(c)}}
	if err := framework.Remove(ctx, f.Client, secret); err != nil {
		return ctrl.Result{}, err
	}
	runs, err := f.cephRuns(ctx, c.GetNamespace())
	if err != nil {
		return ctrl.Result{}, err
	}
	if !runs {
		return ctrl.Result{}, f.consumerState(ctx, c, "Configuring")
	}
	if wait := f.Remaining(cephClientsTime, "consumer"+string(c.GetUID())); wait > 0 &&
		framework.Text(c, "status", "state") != "Ready" {
		return framework.RequeueAfter(wait), f.consumerState(ctx, c, "Configuring")
	}
	return ctrl.Result{}, f.consumerState(ctx, c, "Ready")
}

func ticketName(c client.Object) string { return "onboarding-token-" + string(c.GetUID()) }

// offerTicket makes the Secret by which a client comes aboard. The real ticket is signed; nobody checks this one.
func (f *dataFoundation) offerTicket(ctx context.Context, c *unstructured.Unstructured) error {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: c.GetNamespace(), Name: ticketName(c),
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(c, storageConsumerKind)},
		Annotations: map[string]string{
			tokenExpiryAnnotation: time.Now().Add(tokenLifetime).UTC().Format(time.RFC3339)}},
		Data: map[string][]byte{tokenKey: []byte("sandbox-" + string(c.GetUID()))}}
	if err := framework.Create(ctx, f.Client, secret); err != nil {
		return err
	}
	return framework.WriteStatus(ctx, f.Client, c, func(c *unstructured.Unstructured) {
		framework.Set(c, "NotEnabled", "status", "state")
		framework.Set(c, secret.Name, "status", "onboardingTicketSecret", "name")
	})
}

func (f *dataFoundation) consumerState(ctx context.Context, c *unstructured.Unstructured, state string) error {
	return framework.WriteStatus(ctx, f.Client, c, func(c *unstructured.Unstructured) {
		framework.Set(c, state, "status", "state")
	})
}

// cephRuns reports whether Ceph in the namespace runs, so that it can have users.
func (f *dataFoundation) cephRuns(ctx context.Context, namespace string) (bool, error) {
	list := framework.UnstructuredList(cephClusterKind)()
	if err := f.Client.List(ctx, list, framework.InNamespace(namespace)); err != nil {
		return false, err
	}
	return slices.ContainsFunc(framework.Items(list), func(o client.Object) bool {
		u, ok := framework.AsUnstructured(o)
		return ok && framework.Text(u, "status", "phase") == "Ready"
	}), nil
}

// offboard removes StorageClient and StorageConsumer, and reports whether they are gone: a StorageClient waits until no
// volume of its profile is left, and the StorageConsumer for the StorageClient.
func (f *dataFoundation) offboard(ctx context.Context, sc *unstructured.Unstructured) (bool, error) {
	if !f.hasClients() {
		return true, nil
	}
	aboard := internalClient(sc)
	found, err := framework.Exists(ctx, f.Client, aboard)
	if err != nil {
		return false, err
	}
	if found {
		if err := framework.Remove(ctx, f.Client, aboard.DeepCopy()); err != nil {
			return false, err
		}
		if err := framework.RemoveFinalizer(ctx, f.Client, aboard, internalFinalizer); err != nil {
			return false, err
		}
	}
	consumer := internalConsumer(sc)
	found, err = framework.Exists(ctx, f.Client, consumer)
	if err != nil {
		return false, err
	}
	if found {
		if _, aboard, _ := unstructured.NestedMap(consumer.Object, "status", "client"); aboard {
			return false, nil
		}
		if err := framework.Remove(ctx, f.Client, consumer.DeepCopy()); err != nil {
			return false, err
		}
		if err := framework.RemoveFinalizer(ctx, f.Client, consumer, internalFinalizer); err != nil {
			return false, err
		}
	}
	return true, framework.Remove(ctx, f.Client, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: sc.GetNamespace(), Name: consumerConfigName}})
}
