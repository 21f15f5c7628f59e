package sites

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	workv1 "open-cluster-management.io/api/work/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/fleet/hub"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// Removal returns the steps that stop the delivery to all sites. Delivered objects stay; a ManifestWork whose
// deletion would delete them is kept, and reported as broken.
func Removal(ctx context.Context, c *kube.Client) ([]step.Step, error) {
	found, err := find(ctx, c)
	if err != nil {
		return nil, err
	}
	var all []step.Step
	for _, one := range found.sets {
		all = append(all, removal{kube.ManifestWorkReplicaSet, one.key}.step(c))
	}
	for _, one := range found.works {
		if one.key.Name == OwnName {
			all = append(all, removal{kube.ManifestWork, one.key}.step(c))
		}
	}
	return unique(all), nil
}

// removal deletes one object of the delivery.
type removal struct {
	kind kube.Kind
	key  client.ObjectKey
}

func (d removal) String() string { return d.kind.Kind + " " + d.key.String() }

func (d removal) step(c *kube.Client) step.Step {
	return step.Step{ID: step.ID("hub/" + letters(d.kind.Kind+"-"+d.key.Namespace+"-"+d.key.Name)), Group: "hub",
		Title: d.String(), Docs: docs,
		Check: c.Reading(func(ctx context.Context, r kube.Reader) step.Finding {
			_, f := d.read(ctx, r)
			return f
		}),
		Apply: func(ctx context.Context) (step.Change, error) {
			// Only an object that orphans right now may be deleted: a deleteOption that changes after this read
			// is a conflict.
			u, f := d.read(ctx, c)
			switch f.State {
			case step.StateMissing:
				return c.DeleteUnchanged(ctx, u)
			case step.StateOK, step.StatePending:
				return step.Unchanged, nil
			}
			return "", fmt.Errorf("%s: %s", d, f.Message)
		}}
}

// read reads the object and checks whether it may be deleted: with it and everything deleted along with it, the
// delivered objects must stay.
func (d removal) read(ctx context.Context, r kube.Reader) (*unstructured.Unstructured, step.Finding) {
	u := d.kind.New()
	err := r.Get(ctx, d.key, u)
	switch {
	case apierrors.IsNotFound(err):
		return nil, step.OK("gone").On("%s", d)
	case err != nil:
		return nil, kube.Unknown(err).On("%s", d)
	case u.GetDeletionTimestamp() != nil:
		return nil, step.Pending("being deleted").On("%s", d)
	}
	if !leaves(u) {
		return nil, step.Broken("its deletion would delete what it brought: its deleteOption is not Orphan").On("%s", d).
			WithHint("%s writes it anew, with Orphan", hint.Run("bootstrap").Flag("hub"))
	}
	if d.kind == kube.ManifestWorkReplicaSet {
		if f := spreadOrphans(ctx, r); f != nil {
			return nil, *f
		}
	}
	return u, step.Missing("still delivered; what it brought stays at the sites").On("%s", d)
}

// spreadOrphans returns why a ManifestWorkReplicaSet may not be deleted yet, or nil. Its ManifestWorks are
// deleted with it, and the hub's controller may not have updated all of them yet.
func spreadOrphans(ctx context.Context, r kube.Reader) *step.Finding {
	list := &workv1.ManifestWorkList{}
	if err := r.List(ctx, list, client.MatchingFields{"metadata.name": AlikeName}); err != nil {
		f := kube.Unknown(err).On("ManifestWorks %s", AlikeName)
		return &f
	}
	for i := range list.Items {
		w := &list.Items[i]
		if w.Name == AlikeName && !orphans(w.Spec) && w.DeletionTimestamp == nil {
			f := step.Pending("its deletion would delete what it brought; the hub's controller has not written Orphan into "+
				"it yet").On("%s %s", kube.ManifestWork.Kind, kube.Name(w)).WithTrouble().RecheckAfter(hub.LostAfter)
			return &f
		}
	}
	return nil
}
