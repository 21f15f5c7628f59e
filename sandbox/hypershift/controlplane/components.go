package controlplane

import (
	"context"
	"fmt"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/workload"
)

// componentState is the state of a component in its ControlPlaneComponent object.
type componentState struct {
	name      string
	available bool
	// current: all available pods have the requested release
	current    bool
	conditions []status.Condition
}

// rollOut starts every component whose dependencies are available, updates those of another release in the same order,
// and notes the state of each.
func (r *controlPlanes) rollOut(ctx context.Context, hcp *hyperv1.HostedControlPlane, v *observation) error {
	if err := r.ensureAddressed(ctx, hcp); err != nil {
		return err
	}
	v.password = true
	current := map[string]bool{}
	w, err := workload.OfControlPlane(hcp, r.Scheme)
	if err != nil {
		return err
	}
	for _, c := range workload.Components(r.Features) {
		state, wait, err := r.rollOutOne(ctx, hcp, c.Sized(r.Lean, r.Fleet), w, current)
		if err != nil {
			return err
		}
		v.wait = reconciler.Soonest(v.wait, wait)
		current[c.Name] = state.available && state.current
		v.components = append(v.components, state)
		if c.Omitted(r.Lean) {
			continue
		}
		if err := r.writeComponent(ctx, hcp.Namespace, v.payload.Version, state); err != nil {
			return err
		}
	}
	return nil
}

// ensureOperators writes what the HyperShift operator itself has in the namespace from the beginning, besides the
// Deployments: some objects, and the Deployments' ControlPlaneComponents.
func (r *controlPlanes) ensureOperators(ctx context.Context, hcp *hyperv1.HostedControlPlane, version string) error {
	if err := r.ensureObjects(ctx, hcp, stageOperator); err != nil {
		return err
	}
	w, err := workload.OfControlPlane(hcp, r.Scheme)
	if err != nil {
		return err
	}
	for _, c := range workload.OperatorDeployments() {
		if c.Omitted(r.Lean) {
			continue
		}
		state := componentState{name: c.Name}
		if _, err := r.observeComponent(ctx, c, w, &state); err != nil {
			return err
		}
		if err := r.writeComponent(ctx, hcp.Namespace, version, state); err != nil {
			return err
		}
	}
	return nil
}

// ensureManifests writes a component's objects besides its workload, such as Route ignition-server.
func (r *controlPlanes) ensureManifests(ctx context.Context, hcp *hyperv1.HostedControlPlane,
	c workload.Component) error {
	if err := r.ensureObjects(ctx, hcp, c.Name); err != nil || c.Name != workload.IgnitionServer {
		return err
	}
	_, err := r.serviceRoute(ctx, hcp, workload.IgnitionServer, "ignition-server-proxy", hyperv1.Ignition)
	return err
}

func (r *controlPlanes) rollOutOne(ctx context.Context, hcp *hyperv1.HostedControlPlane, c workload.Component,
	w workload.Workload, current map[string]bool) (componentState, time.Duration, error) {
	state := componentState{name: c.Name}
	var image string
	if !c.Omitted(r.Lean) {
		var err error
		if image, err = r.observeComponent(ctx, c, w, &state); err != nil {
			return state, 0, err
		}
		if image == w.Image && !c.Runs() {
			return state, 0, r.ensureManifests(ctx, hcp, c)
		}
	}
	if unmet := c.Unmet(current); len(unmet) > 0 {
		state.setWaiting(image != "", hyperv1.WaitingForDependenciesReason, msgWaitingForDependencies(unmet))
		return state, 0, nil
	}
	// The operator handles its components one after another.
	if left := r.Stages.Remaining("hcp/"+w.Namespace+"/component/"+c.Name+"/"+w.Image, 700*time.Millisecond); left > 0 {
		state.setWaiting(image != "", hyperv1.NotFoundReason, msgComponentUnavailable("Deployment", c.Name, "not found"))
		return state, left, nil
	}
	err := r.ensureManifests(ctx, hcp, c)
	switch {
	case err != nil:
	case c.Omitted(r.Lean):
		state.available, state.current = true, true
	case c.Kind == workload.KindJob, c.Kind == workload.KindCronJob:
		reason := "JobComplete"
		if c.Kind == workload.KindCronJob {
			reason = hyperv1.AsExpectedReason
		}
		state.available, state.current = true, true
		state.conditions = []status.Condition{
			{Kind: string(hyperv1.ControlPlaneComponentAvailable), Status: metav1.ConditionTrue, Reason: reason},
			{Kind: string(hyperv1.ControlPlaneComponentRolloutComplete), Status: metav1.ConditionTrue, Reason: reason},
		}
	case c.Kind == workload.KindStatefulSet:
		err = workload.ApplyEtcd(ctx, r.Client, c, w)
	default:
		err = workload.ApplyDeployment(ctx, r.Client, c, w)
	}
	return state, 0, err
}

// setWaiting notes that a component's roll-out has not begun. A component that already runs, in another release, keeps
// its state.
func (s *componentState) setWaiting(runs bool, reason, message string) {
	complete := status.False(hyperv1.ControlPlaneComponentRolloutComplete, reason, message)
	if runs && len(s.conditions) > 0 {
		s.conditions = []status.Condition{s.conditions[0], complete}
		return
	}
	s.conditions = []status.Condition{status.False(hyperv1.ControlPlaneComponentAvailable, reason, message), complete}
}

// observeComponent returns the state and the release of a component's workload. The release is "" if there is no
// workload.
func (r *controlPlanes) observeComponent(ctx context.Context, c workload.Component, w workload.Workload,
	state *componentState) (image string, err error) {
	key := types.NamespacedName{Namespace: w.Namespace, Name: c.Name}
	switch c.Kind {
	case workload.KindJob, workload.KindCronJob:
		return "", nil
	case workload.KindStatefulSet:
		s := &appsv1.StatefulSet{}
		if err = r.Cached.Get(ctx, key, s); err == nil {
			image = s.Spec.Template.Annotations[metadata.ReleaseImageAnnotation]
		}
		want := ptr.Deref(s.Spec.Replicas, 1)
		state.available = s.Status.ReadyReplicas >= want/2+1 || want == 0
		complete := s.Generation > 0 && s.Status.ObservedGeneration == s.Generation && s.Status.UpdatedReplicas == want &&
			s.Status.ReadyReplicas == want
		state.current = complete && image == w.Image
		state.tellWorkload("StatefulSet", fmt.Sprintf("%d/%d replicas ready", s.Status.ReadyReplicas, want), complete,
			s.Status.UpdatedReplicas, want)
	default:
		d := &appsv1.Deployment{}
		if err = r.Cached.Get(ctx, key, d); err == nil {
			image = d.Spec.Template.Annotations[metadata.ReleaseImageAnnotation]
		}
		want := ptr.Deref(d.Spec.Replicas, 1)
		state.available = workload.DeploymentAvailable(d)
		complete := d.Generation > 0 && d.Status.ObservedGeneration == d.Generation && d.Status.UpdatedReplicas == want &&
			d.Status.AvailableReplicas == d.Status.Replicas
		state.current = complete && image == w.Image
		state.tellWorkload("Deployment", "Deployment does not have minimum availability.", complete, d.Status.UpdatedReplicas,
			want)
	}
	if apierrors.IsNotFound(err) {
		state.available = false
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("get %s %s: %w", c.Kind, key, err)
	}
	return image, nil
}

func (s *componentState) tellWorkload(kind, why string, complete bool, updated, want int32) {
	a := status.False(hyperv1.ControlPlaneComponentAvailable, hyperv1.WaitingForAvailableReason,
		msgComponentUnavailable(kind, s.name, why))
	if s.available {
		a = status.True(hyperv1.ControlPlaneComponentAvailable, msgComponentAvailable(kind, s.name))
	}
	c := status.False(hyperv1.ControlPlaneComponentRolloutComplete, "WaitingForRolloutComplete",
		msgComponentRollingOut(kind, s.name, updated, want))
	if complete {
		c = status.True(hyperv1.ControlPlaneComponentRolloutComplete, msgComponentRolledOut(kind, s.name))
	}
	s.conditions = []status.Condition{a, c}
}

// writeComponent writes the ControlPlaneComponent object of a component, if this operator has such objects.
func (r *controlPlanes) writeComponent(ctx context.Context, namespace, version string, state componentState) error {
	if !r.Features.Has(reconciler.Components) {
		return nil
	}
	o := &hyperv1.ControlPlaneComponent{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: state.name}}
	err := r.Cached.Get(ctx, client.ObjectKeyFromObject(o), o)
	if apierrors.IsNotFound(err) {
		err = r.Client.Create(ctx, o)
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("keep ControlPlaneComponent %s/%s: %w", namespace, state.name, err)
	}
	before := o.DeepCopy()
	for _, c := range state.conditions {
		status.Set(&o.Status.Conditions, o.Generation, c)
	}
	if state.available && state.current {
		o.Status.Version = version
	}
	if equality.Semantic.DeepEqual(before.Status, o.Status) {
		return nil
	}
	if err := r.Client.Status().Patch(ctx, o, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write the status of ControlPlaneComponent %s/%s: %w", namespace, state.name, err)
	}
	return nil
}
