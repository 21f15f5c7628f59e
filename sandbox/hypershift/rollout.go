package hypershift

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
)

// componentState is a component as its ControlPlaneComponent object tells it.
type componentState struct {
	name       string
	available  bool
	conditions []condition
}

// rollOut starts every component whose needs are met and notes how each one is.
func (r *controlPlanes) rollOut(ctx context.Context, hcp *hyperv1.HostedControlPlane, v *view) error {
	if err := r.ensureSecrets(ctx, hcp); err != nil {
		return err
	}
	available := map[string]bool{}
	w := workloadOfHCP(hcp)
	for _, c := range r.gen.componentsOf() {
		state, wait, err := r.rollOutOne(ctx, c, w, available)
		if err != nil {
			return err
		}
		v.wait = soonest(v.wait, wait)
		available[c.name] = state.available
		v.components = append(v.components, state)
		if r.gen.modern {
			if err := r.writeComponent(ctx, hcp.Namespace, v.payload.Version, state); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *controlPlanes) rollOutOne(ctx context.Context, c component, w workload, available map[string]bool) (componentState, time.Duration, error) {
	state := componentState{name: c.name}
	tell := func(available, complete condition) { state.conditions = []condition{available, complete} }
	if unmet := c.unmet(available); len(unmet) > 0 {
		msg := msgWaitingForDependencies(unmet)
		tell(isFalse(hyperv1.ControlPlaneComponentAvailable, hyperv1.WaitingForDependenciesReason, msg),
			isFalse(hyperv1.ControlPlaneComponentRolloutComplete, hyperv1.WaitingForDependenciesReason, msg))
		return state, 0, nil
	}
	// The operator goes through its components one after the other.
	if left := r.clock.left("hcp/"+w.namespace+"/component/"+c.name, 700*time.Millisecond); left > 0 {
		msg := msgComponentUnavailable("Deployment", c.name, "not found")
		tell(isFalse(hyperv1.ControlPlaneComponentAvailable, hyperv1.NotFoundReason, msg),
			isFalse(hyperv1.ControlPlaneComponentRolloutComplete, hyperv1.NotFoundReason, msg))
		return state, left, nil
	}
	var err error
	switch c.kind {
	case kindJob:
		state.available = true
		tell(condition{string(hyperv1.ControlPlaneComponentAvailable), metav1.ConditionTrue, "JobComplete", ""},
			condition{string(hyperv1.ControlPlaneComponentRolloutComplete), metav1.ConditionTrue, "JobComplete", ""})
	case kindStatefulSet:
		err = r.rollOutEtcd(ctx, c, w, &state)
	default:
		err = r.rollOutDeployment(ctx, c, w, &state)
	}
	return state, 0, err
}

func (r *controlPlanes) rollOutDeployment(ctx context.Context, c component, w workload, state *componentState) error {
	d := &appsv1.Deployment{}
	err := r.cached.Get(ctx, types.NamespacedName{Namespace: w.namespace, Name: c.name}, d)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("get Deployment %s/%s: %w", w.namespace, c.name, err)
	}
	if apierrors.IsNotFound(err) || d.Spec.Template.Annotations[releaseImageAnnotation] != w.image {
		if err := applyDeployment(ctx, r.Client, c, w); err != nil {
			return err
		}
	}
	state.available = deploymentAvailable(d)
	complete := d.Status.ObservedGeneration == d.Generation && d.Status.UpdatedReplicas == ptr.Deref(d.Spec.Replicas, 1) &&
		d.Status.AvailableReplicas == d.Status.Replicas && d.Generation > 0
	state.tellWorkload("Deployment", "Deployment does not have minimum availability.", complete, d.Status.UpdatedReplicas, ptr.Deref(d.Spec.Replicas, 1))
	return nil
}

func (r *controlPlanes) rollOutEtcd(ctx context.Context, c component, w workload, state *componentState) error {
	s := &appsv1.StatefulSet{}
	err := r.cached.Get(ctx, types.NamespacedName{Namespace: w.namespace, Name: c.name}, s)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("get StatefulSet %s/%s: %w", w.namespace, c.name, err)
	}
	if apierrors.IsNotFound(err) || s.Spec.Template.Annotations[releaseImageAnnotation] != w.image {
		if err := applyEtcd(ctx, r.Client, c, w); err != nil {
			return err
		}
	}
	want := ptr.Deref(s.Spec.Replicas, 1)
	state.available = s.Status.ReadyReplicas >= want/2+1
	complete := s.Generation > 0 && s.Status.UpdatedReplicas == want && s.Status.ReadyReplicas == want
	why := fmt.Sprintf("%d/%d replicas ready", s.Status.ReadyReplicas, want)
	state.tellWorkload("StatefulSet", why, complete, s.Status.UpdatedReplicas, want)
	return nil
}

func (s *componentState) tellWorkload(kind, why string, complete bool, updated, want int32) {
	a := isFalse(hyperv1.ControlPlaneComponentAvailable, hyperv1.WaitingForAvailableReason, msgComponentUnavailable(kind, s.name, why))
	if s.available {
		a = isTrue(hyperv1.ControlPlaneComponentAvailable, msgComponentAvailable(kind, s.name))
	}
	c := isFalse(hyperv1.ControlPlaneComponentRolloutComplete, "WaitingForRolloutComplete", msgComponentRollingOut(kind, s.name, updated, want))
	if complete {
		c = isTrue(hyperv1.ControlPlaneComponentRolloutComplete, msgComponentRolledOut(kind, s.name))
	}
	s.conditions = []condition{a, c}
}

// writeComponent keeps the ControlPlaneComponent object of a component.
func (r *controlPlanes) writeComponent(ctx context.Context, namespace, version string, state componentState) error {
	o := &hyperv1.ControlPlaneComponent{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: state.name}}
	err := r.cached.Get(ctx, client.ObjectKeyFromObject(o), o)
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
		set(&o.Status.Conditions, o.Generation, c)
	}
	if state.available {
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
