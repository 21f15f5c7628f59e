package plan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/internal/object"
	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// planner is the client of a planning Client: all its writes are dry runs.
type planner struct {
	client.Client
	plan *Plan
}

// CreateSubresource implements client.Client. A subresource is not recorded in the plan.
func (p *planner) CreateSubresource(ctx context.Context, of client.Object, subresource string, request client.Object,
	opts ...client.WriteOption) error {
	return p.Client.CreateSubresource(ctx, of, subresource, request, withDryRun(opts)...)
}

func withDryRun(opts []client.WriteOption) []client.WriteOption {
	return append(slices.Clip(opts), client.DryRunAll)
}

// Create implements client.Client. A dry run by the caller is not recorded: it only checks whether the API server
// accepts the object.
func (p *planner) Create(ctx context.Context, obj client.Object, opts ...client.WriteOption) error {
	gvk, err := p.GroupVersionKindFor(obj)
	if err != nil {
		return err
	}
	if gvk.Group == transport.Reviews {
		return p.Client.Create(ctx, obj, opts...)
	}
	if client.WriteOptionsOf(opts).DryRun {
		return p.Client.Create(ctx, obj, opts...)
	}
	key := client.ObjectKeyFromObject(obj)
	if state, isPlanned := p.plan.lookup(keyOf(gvk, key)); isPlanned && state != nil {
		return apierrors.NewAlreadyExists(p.resource(gvk), key.Name)
	}
	sent, err := unstructuredOf(obj, gvk)
	if err != nil {
		return err
	}
	after := sent.DeepCopy()
	err = p.Client.Create(ctx, after, withDryRun(opts)...)
	why := notValidated(err)
	switch {
	case err != nil && why == "":
		return err
	case err != nil:
		after = sent.DeepCopy()
		setManager(after, client.WriteOptionsOf(opts).FieldManager)
	}
	setPlannedVersion(after, nil)
	if err := p.plan.record(ctx, Write{Verb: VerbCreate, After: after, Sent: sent, Unvalidated: why}); err != nil {
		return err
	}
	return object.Into(after, obj)
}

// Apply implements client.Client.
func (p *planner) Apply(ctx context.Context, obj *unstructured.Unstructured, opts ...client.WriteOption) error {
	sent := obj.DeepCopy()
	before, isPlanned, err := p.current(ctx, sent.GroupVersionKind(), client.ObjectKeyFromObject(sent))
	if err != nil {
		return err
	}
	w := Write{Verb: VerbCreate, Before: before, Sent: sent, After: sent.DeepCopy()}
	if before != nil {
		w.Verb = VerbChange
	}
	if isPlanned && before != nil {
		w.After, w.Unvalidated = merged(before, sent.Object), buildsOnPlan
	} else {
		err = p.Client.Apply(ctx, w.After, withDryRun(opts)...)
		if w.Unvalidated = notValidated(err); err != nil {
			if w.Unvalidated == "" {
				return err
			}
			w.After = merged(before, sent.Object)
			setManager(w.After, client.WriteOptionsOf(opts).FieldManager)
		}
	}
	setPlannedVersion(w.After, before)
	if err := p.plan.record(ctx, w); err != nil {
		return err
	}
	obj.Object = w.After.DeepCopy().Object
	return nil
}

// Patch implements client.Client.
func (p *planner) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.WriteOption) error {
	data, err := patch.Data(obj)
	if err != nil {
		return err
	}
	gvk, key, before, isPlanned, err := p.existing(ctx, obj)
	if err != nil {
		return err
	}
	fields := map[string]any{}
	if err := json.Unmarshal(data, &fields); err != nil || patch.Type() != types.MergePatchType {
		return fmt.Errorf("%s %s: a plan knows merge patches only: %w", gvk.Kind, key, err)
	}
	after := merged(before, fields)
	why := buildsOnPlan
	if !isPlanned {
		tried := identity(gvk, key)
		err = p.Client.Patch(ctx, tried, client.RawPatch(patch.Type(), data), withDryRun(opts)...)
		if why = notValidated(err); err != nil && why == "" {
			return err
		}
		if err == nil {
			after = tried
		}
	}
	setPlannedVersion(after, before)
	w := Write{Verb: VerbChange, Before: before, After: after, Sent: merged(identity(gvk, key), fields), Merge: true,
		Unvalidated: why}
	if err := p.plan.record(ctx, w); err != nil {
		return err
	}
	return object.Into(after, obj)
}

// Delete implements client.Client.
func (p *planner) Delete(ctx context.Context, obj client.Object, opts ...client.DeleteOption) error {
	gvk, key, before, isPlanned, err := p.existing(ctx, obj)
	if err != nil {
		return err
	}
	w := Write{Verb: VerbDelete, Before: before, Sent: identity(gvk, key)}
	if isPlanned { // its resource version comes from the plan
		if same := client.DeleteOptionsOf(opts).Preconditions; same != nil {
			opts = append(slices.Clip(opts), client.Preconditions{UID: same.UID})
		}
	}
	err = p.Client.Delete(ctx, identity(gvk, key), append(slices.Clip(opts), client.DryRunAll)...)
	switch w.Unvalidated = notValidated(err); {
	case isPlanned && apierrors.IsNotFound(err): // it exists in the plan only
		w.Unvalidated = buildsOnPlan
	case err != nil && w.Unvalidated == "":
		return err
	}
	return p.plan.record(ctx, w)
}

// existing returns the object with the key of obj, planned changes included; isPlanned is set if there are any. A
// missing object is a NotFound error.
func (p *planner) existing(ctx context.Context, obj client.Object) (
	gvk schema.GroupVersionKind, key client.ObjectKey, before *unstructured.Unstructured, isPlanned bool, err error) {
	if gvk, err = p.GroupVersionKindFor(obj); err != nil {
		return gvk, key, nil, false, err
	}
	key = client.ObjectKeyFromObject(obj)
	before, isPlanned, err = p.current(ctx, gvk, key)
	if err == nil && before == nil {
		err = apierrors.NewNotFound(p.resource(gvk), key.Name)
	}
	return gvk, key, before, isPlanned, err
}

// buildsOnPlan is the reason why a second write to the same object is not validated.
const buildsOnPlan = "it builds on another planned change of the same object"

// notValidated returns why a dry run failed, if the real write will not fail for the same reason; else "".
func notValidated(err error) string {
	switch {
	case err == nil:
		return ""
	case transport.IsKindMissing(err):
		return "its CRD is not registered yet: an operator brings it"
	case apierrors.IsNotFound(err):
		return "its namespace does not exist yet"
	case apierrors.IsBadRequest(err) && strings.Contains(err.Error(), "does not support dry run"):
		return "a webhook for it supports no dry runs"
	}
	return ""
}

// setPlannedVersion sets a resource version that differs from the old one only if the object does, like a real write.
func setPlannedVersion(after, before *unstructured.Unstructured) {
	if before == nil {
		after.SetResourceVersion("planned")
		return
	}
	after.SetResourceVersion(before.GetResourceVersion())
	if (Write{Before: before, After: after}).Diff() != "" {
		after.SetResourceVersion(before.GetResourceVersion() + "-planned")
	}
}

// setManager sets the field manager of an object that the API server could not validate, because hcctl recognizes its
// own objects by it. It keeps existing managers.
func setManager(after *unstructured.Unstructured, manager string) {
	if manager != "" && len(after.GetManagedFields()) == 0 {
		after.SetManagedFields([]metav1.ManagedFieldsEntry{{
			Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate}})
	}
}

func identity(gvk schema.GroupVersionKind, key client.ObjectKey) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(gvk)
	u.SetNamespace(key.Namespace)
	u.SetName(key.Name)
	return u
}

// merged applies a JSON merge patch (RFC 7386) to a copy of base. A nil base is empty.
func merged(base *unstructured.Unstructured, fields map[string]any) *unstructured.Unstructured {
	out := &unstructured.Unstructured{Object: map[string]any{}}
	if base != nil {
		out = base.DeepCopy()
	}
	mergeInto(out.Object, runtime.DeepCopyJSON(fields))
	return out
}

func mergeInto(target, fields map[string]any) {
	for k, v := range fields {
		inner, isMap := v.(map[string]any)
		switch {
		case v == nil:
			delete(target, k)
		case isMap:
			have, ok := target[k].(map[string]any)
			if !ok {
				have = map[string]any{}
			}
			mergeInto(have, inner)
			target[k] = have
		default:
			target[k] = v
		}
	}
}

// unstructuredOf returns the object as sent, without fields that only the server sets.
func unstructuredOf(obj client.Object, gvk schema.GroupVersionKind) (*unstructured.Unstructured, error) {
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", gvk.Kind, object.Name(obj), err)
	}
	u := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(m)}
	u.SetGroupVersionKind(gvk)
	unstructured.RemoveNestedField(u.Object, "status")
	unstructured.RemoveNestedField(u.Object, "metadata", "creationTimestamp")
	return u, nil
}

func (p *planner) resource(gvk schema.GroupVersionKind) schema.GroupResource {
	mapping, err := p.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return schema.GroupResource{Group: gvk.Group, Resource: strings.ToLower(gvk.Kind)}
	}
	return mapping.Resource.GroupResource()
}
