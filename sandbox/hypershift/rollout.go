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
	name      string
	available bool
	// current: what is available is all of the release asked for.
	current    bool
	conditions []condition
}

// rollOut starts every component whose needs are met, takes those of another release to the one asked for in the same
// order, and notes how each one is.
func (r *controlPlanes) rollOut(ctx context.Context, hcp *hyperv1.HostedControlPlane, v *view) error {
	if err := r.ensureSecrets(ctx, hcp); err != nil {
		return err
	}
	current := map[string]bool{}
	w := workloadOfHCP(hcp)
	for _, c := range componentsOf(r.gen.modern) {
		state, wait, err := r.rollOutOne(ctx, c.sized(r.lean), w, current)
		if err != nil {
			return err
		}
		v.wait = soonest(v.wait, wait)
		current[c.name] = state.available && state.current
		v.components = append(v.components, state)
		if r.gen.modern && !c.imagined(r.lean) {
			if err := r.writeComponent(ctx, hcp.Namespace, v.payload.Version, state); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *controlPlanes) rollOutOne(ctx context.Context, c component, w workload, current map[string]bool) (componentState, time.Duration, error) {
	state := componentState{name: c.name}
	var image string
	if !c.imagined(r.lean) {
		var err error
		if image, err = r.observeComponent(ctx, c, w, &state); err != nil || image == w.image && c.kind != kindJob {
			return state, 0, err
		}
	}
	if unmet := c.unmet(current); len(unmet) > 0 {
		state.waits(image != "", hyperv1.WaitingForDependenciesReason, msgWaitingForDependencies(unmet))
		return state, 0, nil
	}
	// The operator goes through its components one after the other.
	if left := r.clock.left("hcp/"+w.namespace+"/component/"+c.name+"/"+w.image, 700*time.Millisecond); left > 0 {
		state.waits(image != "", hyperv1.NotFoundReason, msgComponentUnavailable("Deployment", c.name, "not found"))
		return state, left, nil
	}
	var err error
	switch {
	case c.imagined(r.lean):
		state.available, state.current = true, true
	case c.kind == kindJob:
		state.available, state.current = true, true
		state.conditions = []condition{
			{string(hyperv1.ControlPlaneComponentAvailable), metav1.ConditionTrue, "JobComplete", ""},
			{string(hyperv1.ControlPlaneComponentRolloutComplete), metav1.ConditionTrue, "JobComplete", ""},
		}
	case c.kind == kindStatefulSet:
		err = applyEtcd(ctx, r.Client, c, w)
	default:
		err = applyDeployment(ctx, r.Client, c, w)
	}
	return state, 0, err
}

// waits tells that a component's roll-out has not begun. One that runs already, in another release, stays what it is.
func (s *componentState) waits(runs bool, reason, message string) {
	complete := isFalse(hyperv1.ControlPlaneComponentRolloutComplete, reason, message)
	if runs && len(s.conditions) > 0 {
		s.conditions = []condition{s.conditions[0], complete}
		return
	}
	s.conditions = []condition{isFalse(hyperv1.ControlPlaneComponentAvailable, reason, message), complete}
}

// observeComponent says how a component's workload is, and of which release; "" if there is none yet.
func (r *controlPlanes) observeComponent(ctx context.Context, c component, w workload, state *componentState) (image string, err error) {
	key := types.NamespacedName{Namespace: w.namespace, Name: c.name}
	switch c.kind {
	case kindJob:
		return "", nil
	case kindStatefulSet:
		s := &appsv1.StatefulSet{}
		if err = r.cached.Get(ctx, key, s); err == nil {
			image = s.Spec.Template.Annotations[releaseImageAnnotation]
		}
		want := ptr.Deref(s.Spec.Replicas, 1)
		state.available = s.Status.ReadyReplicas >= want/2+1 || want == 0
		complete := s.Generation > 0 && s.Status.ObservedGeneration == s.Generation && s.Status.UpdatedReplicas == want && s.Status.ReadyReplicas == want
		state.current = complete && image == w.image
		state.tellWorkload("StatefulSet", fmt.Sprintf("%d/%d replicas ready", s.Status.ReadyReplicas, want), complete, s.Status.UpdatedReplicas, want)
	default:
		d := &appsv1.Deployment{}
		if err = r.cached.Get(ctx, key, d); err == nil {
			image = d.Spec.Template.Annotations[releaseImageAnnotation]
		}
		want := ptr.Deref(d.Spec.Replicas, 1)
		state.available = deploymentAvailable(d)
		complete := d.Generation > 0 && d.Status.ObservedGeneration == d.Generation && d.Status.UpdatedReplicas == want &&
			d.Status.AvailableReplicas == d.Status.Replicas
		state.current = complete && image == w.image
		state.tellWorkload("Deployment", "Deployment does not have minimum availability.", complete, d.Status.UpdatedReplicas, want)
	}
	if apierrors.IsNotFound(err) {
		state.available = false
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("get %s %s: %w", c.kind, key, err)
	}
	return image, nil
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
