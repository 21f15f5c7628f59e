package prereqs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// objectRemoval removes one object that hcctl made.
type objectRemoval struct {
	c    *kube.Client
	kind kube.Kind
	// name is the only one hcctl gives; empty for any.
	name string
	// blocked says why an object cannot go, or not yet; nil for nothing. It may be nil itself.
	blocked func(context.Context, *unstructured.Unstructured) *step.Finding
	// before is written before the deletion; it may be nil.
	before func(context.Context, *unstructured.Unstructured) (step.Change, error)
	// loss says what goes with the object, such as "with all data on it".
	loss string
}

// ours tells what hcctl created: it carries hcctl's label.
func ours(o client.Object) bool { return o.GetLabels()[kube.ManagedByLabel] == kube.FieldOwner }

// find returns the object hcctl made, and the first that somebody else made; either may be nil.
func (r objectRemoval) find(ctx context.Context) (own, foreign *unstructured.Unstructured, err error) {
	list := r.kind.NewList()
	if err := r.c.List(ctx, list); err != nil && !kube.IsKindMissing(err) {
		return nil, nil, err
	}
	for i := range list.Items {
		u := &list.Items[i]
		u.SetGroupVersionKind(r.kind.GroupVersionKind)
		switch {
		case ours(u) && (r.name == "" || u.GetName() == r.name):
			if own == nil {
				own = u
			}
		case foreign == nil:
			foreign = u
		}
	}
	return own, foreign, nil
}

func (r objectRemoval) check(ctx context.Context) step.Finding {
	own, foreign, err := r.find(ctx)
	switch {
	case err != nil:
		return kube.Unread(err).On("%ss", r.kind.Kind)
	case own == nil && foreign == nil:
		return step.Okay("there is none").On("%s", strings.TrimSpace(r.kind.Kind+" "+r.name))
	case own == nil:
		return step.Okay("left as it is: hcctl did not create it").On("%s %s", r.kind.Kind, kube.Name(foreign))
	case own.GetDeletionTimestamp() != nil:
		return r.going(own)
	}
	if r.blocked != nil {
		if f := r.blocked(ctx, own); f != nil {
			return *f
		}
	}
	return step.NotThere("%s", strings.TrimSpace("created by hcctl and still there "+r.loss)).On("%s %s", r.kind.Kind, kube.Name(own))
}

// going says what holds up an object that is being deleted, in its operator's words where it has any.
func (r objectRemoval) going(u *unstructured.Unstructured) step.Finding {
	words := "being deleted"
	if phase := kube.Text(u, "status", "phase"); phase != "" {
		words += ", " + phase
	}
	for _, c := range kube.Conditions(u) {
		if c.False() && slices.Contains([]string{"Available", "ReconcileComplete"}, c.Type) || c.True() && slices.Contains([]string{"Degraded", "Progressing"}, c.Type) {
			words += "; " + c.Told()
			break
		}
	}
	if finalizers := u.GetFinalizers(); len(finalizers) > 0 {
		words += "; finalizers: " + strings.Join(finalizers, ", ")
	}
	return step.Waiting("%s", words).On("%s %s", r.kind.Kind, kube.Name(u))
}

func (r objectRemoval) apply(ctx context.Context) (step.Change, error) {
	own, _, err := r.find(ctx)
	if err != nil || own == nil {
		return step.Unchanged, err
	}
	if r.before != nil {
		if _, err := r.before(ctx, own); err != nil {
			return "", err
		}
	}
	return remove(ctx, r.c, own)
}

// step is the removal as a step.
func (r objectRemoval) step(id step.ID, title, group string, needs ...step.ID) step.Step {
	return step.Step{ID: id, Title: title, Group: group, Needs: needs, Check: r.check, Apply: r.apply}
}

// remove deletes the very object that was read, not another that has since got its name.
func remove(ctx context.Context, c *kube.Client, obj client.Object) (step.Change, error) {
	gvk, err := c.GroupVersionKindFor(obj)
	if err != nil {
		return "", err
	}
	uid := obj.GetUID()
	err = c.Delete(ctx, obj, client.Preconditions{UID: &uid}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	switch {
	case apierrors.IsNotFound(err):
		return step.Unchanged, nil
	case err != nil:
		return "", fmt.Errorf("%s %s: %w", gvk.Kind, kube.Name(obj), err)
	}
	return step.Deleted, nil
}

// setByHcctl tells whether hcctl is the one who last set a field of an object: the managed fields say so. path is the field's
// in their form, such as "f:spec", "f:routeAdmission".
func setByHcctl(o client.Object, path ...string) bool {
	for _, entry := range o.GetManagedFields() {
		if entry.Manager != kube.FieldOwner || entry.FieldsV1 == nil {
			continue
		}
		fields := &unstructured.Unstructured{}
		if err := fields.UnmarshalJSON([]byte(`{"apiVersion":"v1","kind":"Fields","fields":` + entry.FieldsV1.GetRawString() + `}`)); err != nil {
			continue
		}
		if _, found, err := unstructured.NestedFieldNoCopy(fields.Object, append([]string{"fields"}, path...)...); found && err == nil {
			return true
		}
	}
	return false
}
