package programs

import (
	"context"
	"fmt"
	"slices"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/passthrough"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/workload"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
)

// setupControlPlanes simulates what runs in the other pods of a control plane.
func (b *base) setupControlPlanes(mgr ctrl.Manager) error {
	c := &controlPlanes{base: b, stages: reconciler.NewStages(b.Pace)}
	byNamespace := handler.EnqueueRequestsFromMapFunc(c.inNamespace)
	err := ctrl.NewControllerManagedBy(mgr).Named("control-planes").
		For(&hyperv1.HostedControlPlane{}).
		Watches(&appsv1.Deployment{}, byNamespace).
		Watches(&batchv1.Job{}, byNamespace).
		Watches(&corev1.Service{}, byNamespace).
		WithOptions(controller.Options{SkipNameValidation: ptr.To(true), MaxConcurrentReconciles: 4}).
		Complete(c)
	if err != nil {
		return fmt.Errorf("simulate the pods of control planes: %w", err)
	}
	return nil
}

type controlPlanes struct {
	*base
	// stages give the steps of a roll-out a duration, by namespace and image.
	stages *reconciler.Stages
}

func (c *controlPlanes) inNamespace(ctx context.Context, o client.Object) []reconcile.Request {
	list := &hyperv1.HostedControlPlaneList{}
	if err := c.cached.List(ctx, list, client.InNamespace(o.GetNamespace())); err != nil {
		return nil
	}
	var out []reconcile.Request
	for i := range list.Items {
		out = append(out, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
	}
	return out
}

// Reconcile does what the pods of a control plane would do next.
func (c *controlPlanes) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	hcp := &hyperv1.HostedControlPlane{}
	err := c.cached.Get(ctx, req.NamespacedName, hcp)
	if apierrors.IsNotFound(err) {
		c.stages.Forget(req.Namespace + "/")
		return reconcile.Result{}, c.removeGuest(req.Namespace)
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	again := reconcile.Result{RequeueAfter: c.Pace.Scale(pollDelay)}
	if !hcp.DeletionTimestamp.IsZero() {
		return again, ignoreRace(c.destroyed(ctx, hcp))
	}
	if err := c.featureGates(ctx, hcp.Namespace); err != nil {
		return again, ignoreRace(err)
	}
	g, err := c.ensureGuest(ctx, hcp.Namespace)
	if err != nil || g == nil {
		return again, ignoreRace(err)
	}
	if err := c.ignition(ctx, hcp.Namespace); err != nil {
		return again, ignoreRace(err)
	}
	nodes, err := c.nodes(ctx, hcp, g)
	if err != nil {
		return again, ignoreRace(err)
	}
	return again, ignoreRace(c.version(ctx, hcp, g, nodes))
}

// ignoreRace drops an error that the next look mends: another writer was faster, or the object is gone.
func ignoreRace(err error) error {
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// destroyed reports, as the config operator, that nothing of the guest is left in a cloud.
func (c *controlPlanes) destroyed(ctx context.Context, hcp *hyperv1.HostedControlPlane) error {
	return c.writeStatus(ctx, hcp, func(hcp *hyperv1.HostedControlPlane) {
		meta.SetStatusCondition(&hcp.Status.Conditions, metav1.Condition{
			Type: string(hyperv1.CloudResourcesDestroyed), Status: metav1.ConditionTrue, Reason: "CloudResourcesDestroyed",
			Message: "All guest resources destroyed", ObservedGeneration: hcp.Generation,
		})
	})
}

// writeStatus writes the fields that the config operator writes, unless another writer was faster. It is no patch: a
// merge patch loses the null that an update's completionTime has to be.
func (c *controlPlanes) writeStatus(ctx context.Context, hcp *hyperv1.HostedControlPlane,
	change func(*hyperv1.HostedControlPlane)) error {
	before := hcp.DeepCopy()
	change(hcp)
	if equality.Semantic.DeepEqual(before.Status, hcp.Status) {
		return nil
	}
	// The vendor's kind may have fields that this type lacks, which must stay.
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(hyperv1.GroupVersion.WithKind("HostedControlPlane"))
	if err := c.Live.Get(ctx, client.ObjectKeyFromObject(hcp), live); err != nil {
		return err
	}
	if live.GetResourceVersion() != before.ResourceVersion {
		return nil // the next look has the newer one
	}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(hcp)
	if err != nil {
		return fmt.Errorf("write the status of HostedControlPlane %s/%s: %w", hcp.Namespace, hcp.Name, err)
	}
	for _, field := range []string{"conditions", "versionStatus", "version", "releaseImage"} {
		value, found, err := unstructured.NestedFieldNoCopy(object, "status", field)
		if err != nil || !found {
			continue
		}
		if err := unstructured.SetNestedField(live.Object, value, "status", field); err != nil {
			return fmt.Errorf("write the status of HostedControlPlane %s/%s: %w", hcp.Namespace, hcp.Name, err)
		}
	}
	return c.Live.Status().Update(ctx, live)
}

// version simulates the cluster version operator, and the config operator, which copies its report.
func (c *controlPlanes) version(ctx context.Context, hcp *hyperv1.HostedControlPlane, g *guestServer, nodes int) error {
	image, err := c.running(ctx, hcp.Namespace)
	if err != nil || image == "" {
		return err
	}
	payload, err := c.payload(image)
	if err != nil {
		return err
	}
	if err := guest.EnsureNamespaces(ctx, g.client); err != nil {
		return err
	}
	ways := passthrough.Ingress{Cached: c.cached, Client: c.Live, DNSMissing: func() bool { return false }}
	apps, err := ways.Ensure(ctx, hcp, payload.Version, g.client)
	if err != nil {
		return err
	}
	rollout := &guest.Rollout{Reported: true, Payload: payload, Previous: guest.CompletedVersion(hcp), Nodes: nodes,
		Apps: apps, NoIngress: !passthrough.Wanted(hcp),
		Updates: release.UpdatesFrom([]release.Payload{payload}, payload.Version, hcp.Spec.Channel)}
	c.progress(hcp, image, rollout)
	status, err := guest.Report(ctx, g.client, hcp, rollout)
	if err != nil {
		return err
	}
	return c.writeStatus(ctx, hcp, func(hcp *hyperv1.HostedControlPlane) {
		hcp.Status.VersionStatus = status
		hcp.Status.Version = status.Desired.Version    //nolint:staticcheck // the config operator writes it
		hcp.Status.ReleaseImage = status.Desired.Image //nolint:staticcheck // the same
		for _, s := range rollout.ControlPlaneConditions() {
			meta.SetStatusCondition(&hcp.Status.Conditions, metav1.Condition{Type: s.Kind, Status: s.Status,
				Reason: s.Reason, Message: s.Message, ObservedGeneration: hcp.Generation})
		}
	})
}

const (
	// operatorTime is how long a cluster operator takes to be updated, at speed 1.
	operatorTime = 250 * time.Millisecond
	// patience is how long the cluster version operator waits for the others before it says so, at speed 1.
	patience = 30 * time.Second
)

// progress tells which cluster operators are updated by now. Those that wait for nodes or for a way to the guest's
// applications hold up the end, not the others.
func (c *controlPlanes) progress(hcp *hyperv1.HostedControlPlane, image string, o *guest.Rollout) {
	key := hcp.Namespace + "/" + image
	o.Blockers = o.Missing()
	if o.Done = guest.Completed(hcp, image); !o.Done {
		var until time.Duration
		for _, name := range o.OperatorNames() {
			if slices.Contains(o.Blockers, name) {
				continue
			}
			if until += operatorTime; c.stages.Remaining(key+"/operators", until) > 0 {
				o.At = name
				return
			}
			o.Updated = append(o.Updated, name)
		}
		o.Done = len(o.Blockers) == 0
	}
	if len(o.Blockers) == 0 {
		c.stages.Restart(key + "/patience")
		return
	}
	o.Stuck = c.stages.Remaining(key+"/patience", patience) == 0
}

// payload reads a release by its tag or digest.
func (b *base) payload(image string) (release.Payload, error) {
	p, err := release.Registry{Payload: b.Profile.ReleaseImage, PayloadVersion: b.Profile.OpenShift}.
		Lookup(b.registry.Tagged(image))
	if err != nil {
		return p, fmt.Errorf("look up release %s: %w", image, err)
	}
	p.Image = image
	return p, nil
}

// running returns the release image that the running cluster version operator was started with; "" until it runs, and
// while its Deployment is rolled out.
func (c *controlPlanes) running(ctx context.Context, namespace string) (string, error) {
	d := &appsv1.Deployment{}
	if err := c.cached.Get(ctx, client.ObjectKey{Namespace: namespace, Name: versionOperator}, d); err != nil {
		return "", client.IgnoreNotFound(err)
	}
	current := d.Status.ObservedGeneration >= d.Generation && d.Status.UpdatedReplicas == d.Status.Replicas
	if !workload.DeploymentAvailable(d) || !current {
		return "", nil
	}
	return releaseOf(d), nil
}

// versionOperator is the name of the cluster version operator's Deployment and container.
const versionOperator = "cluster-version-operator"

// releaseOf returns the release image in the environment of a cluster version operator.
func releaseOf(d *appsv1.Deployment) string {
	for _, v := range mainContainer(d.Spec.Template.Spec.Containers, versionOperator).Env {
		if v.Name == "RELEASE_IMAGE" {
			return v.Value
		}
	}
	return ""
}
