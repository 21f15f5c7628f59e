package gitops

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/owner"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// object is one object with its name. Objects of this group are read by name, because there may be many of a kind.
type object struct {
	kind            kube.Kind
	namespace, name string
}

func (o object) describe() string {
	if o.namespace == "" {
		return o.kind.Kind + " " + o.name
	}
	return o.kind.Kind + " " + o.namespace + "/" + o.name
}

// read returns the object, or nil if it or its kind does not exist.
func (o object) read(ctx context.Context, r kube.Reader) (*unstructured.Unstructured, error) {
	u := o.kind.New()
	err := r.Get(ctx, types.NamespacedName{Namespace: o.namespace, Name: o.name}, u)
	if kube.IsKindMissing(err) || apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	u.SetGroupVersionKind(o.kind.GroupVersionKind)
	return u, nil
}

// listed is read for uninstall, whose role may list objects but not get them.
func (o object) listed(ctx context.Context, r kube.Reader) (*unstructured.Unstructured, error) {
	list := o.kind.NewList()
	err := r.List(ctx, list, client.InNamespace(o.namespace), client.MatchingFields{"metadata.name": o.name})
	if err != nil && !kube.IsKindMissing(err) {
		return nil, err
	}
	for i := range list.Items {
		if u := &list.Items[i]; u.GetName() == o.name {
			u.SetGroupVersionKind(o.kind.GroupVersionKind)
			return u, nil
		}
	}
	return nil, nil
}

// find returns the object, or a finding if it cannot be judged: it cannot be read, does not exist, or is being deleted.
func (o object) find(ctx context.Context, r kube.Reader) (*unstructured.Unstructured, *step.Finding) {
	u, err := o.read(ctx, r)
	var f step.Finding
	switch {
	case err != nil:
		f = kube.Unknown(err).On("%s", o.describe())
	case u == nil:
		f = step.Missing("does not exist").On("%s", o.describe())
	default:
		return u, prereq.Deleting(o.kind.Kind, u)
	}
	return nil, &f
}

// removal returns the removal of the object, if hcctl created it. blocked may be nil.
func (o object) removal(id step.ID, title string, blocked func(context.Context, kube.Reader) *step.Finding,
	needs ...step.ID) prereq.Removal {
	return prereq.Removal{ID: id, Title: title, Needs: append([]step.ID{prereq.NoHostedClusters}, needs...),
		Check: func(ctx context.Context, r kube.Reader) step.Finding { return o.gone(ctx, r, blocked) },
		Apply: o.remove}
}

// gone succeeds once hcctl owns no such object.
func (o object) gone(ctx context.Context, r kube.Reader,
	blocked func(context.Context, kube.Reader) *step.Finding) step.Finding {
	u, err := o.listed(ctx, r)
	switch {
	case err != nil:
		return kube.Unknown(err).On("%s", o.describe())
	case u == nil:
		return step.OK("there is none").On("%s", o.describe())
	case !removal.Owned(u):
		if tool := owner.Of(u); tool != nil && tool.Deploys() {
			return step.OK("left as it is: %s looks after it", tool).On("%s", o.describe())
		}
		return step.OK("left as it is: hcctl did not create it").On("%s", o.describe())
	case u.GetDeletionTimestamp() != nil:
		return step.Pending("being deleted; finalizers: %s", prereq.Listed(u.GetFinalizers())).On("%s", o.describe())
	}
	if blocked != nil {
		if f := blocked(ctx, r); f != nil {
			return f.On("%s", o.describe())
		}
	}
	return step.Missing("created by hcctl and still there").On("%s", o.describe())
}

func (o object) remove(ctx context.Context, c *kube.Client) (step.Change, error) {
	u, err := o.listed(ctx, c)
	if err != nil || u == nil || !removal.Owned(u) {
		return step.Unchanged, err
	}
	return c.DeleteUnchanged(ctx, u)
}
