package hub

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	workv1 "open-cluster-management.io/api/work/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// docs is the page about runs through a hub.
const docs = "docs/fleets.md"

// steps are those that deliver one cluster, and follow it.
func (d *delivery) steps() []step.Step {
	var all []step.Step
	add := func(s step.Step) {
		if s.Docs = docs; len(all) > 0 {
			s.Needs = []step.ID{all[len(all)-1].ID}
		}
		all = append(all, s)
	}
	if d.from != "" {
		add(d.leave())
	}
	add(d.assign())
	if d.secrets != nil {
		add(d.copySecrets())
	}
	add(d.deliver())
	if d.wait == options.WaitNone {
		return all
	}
	for _, s := range followed(d.client, d.Site, d.ClusterName, d.wait) {
		add(s)
	}
	return all
}

// leave deletes the ManifestWorks on the site that is lost. They stay, as being deleted, until the site is back: then
// its agent deletes the cluster there.
func (d *delivery) leave() step.Step {
	works := []client.ObjectKey{{Namespace: d.from, Name: WorkName(d.ClusterName)},
		{Namespace: d.from, Name: SecretsName(d.ClusterName)}}
	return step.Step{ID: "hub/leave", Title: "gone from site " + d.from,
		Check: d.client.Reading(func(ctx context.Context, r kube.Reader) step.Finding {
			for _, key := range works {
				have := &workv1.ManifestWork{}
				err := r.Get(ctx, key, have)
				switch {
				case client.IgnoreNotFound(err) != nil:
					return kube.Unknown(err).On("ManifestWork %s", key)
				case err == nil && have.DeletionTimestamp == nil:
					return d.whetherLost(ctx, r, step.Missing("still assigned to site %s", d.from).On("ManifestWork %s", key))
				}
			}
			return step.OK("deleted as soon as the site is back")
		}),
		Apply: func(ctx context.Context) (step.Change, error) {
			change := step.Unchanged
			for _, key := range works {
				// A site that is back by now would lose a cluster that runs.
				if f := d.whetherLost(ctx, d.client, step.Missing("lost")); f.State != step.StateMissing {
					return change, nil
				}
				one, err := remove(ctx, d.client, key)
				if change = step.Join(change, one); err != nil {
					return change, err
				}
			}
			return change, nil
		}}
}

// whetherLost is f while the site that is left is lost: nothing is moved from one that is back.
func (d *delivery) whetherLost(ctx context.Context, r kube.Reader, f step.Finding) step.Finding {
	why, err := SiteState(ctx, r, d.from)
	switch {
	case err != nil:
		return kube.Unknown(err).On("ManagedCluster %s", d.from)
	case why == "":
		return step.Broken("the site is available again: nothing is moved from it").On("ManagedCluster %s", d.from).
			WithHint("run the same command without %s", hint.Flag("move-from"))
	}
	return f
}

// remove deletes a ManifestWork as it is now, if it is there.
func remove(ctx context.Context, c *kube.Client, key client.ObjectKey) (step.Change, error) {
	w := &workv1.ManifestWork{}
	err := c.Get(ctx, key, w)
	switch {
	case apierrors.IsNotFound(err), err == nil && w.DeletionTimestamp != nil:
		return step.Unchanged, nil
	case err != nil:
		return "", fmt.Errorf("ManifestWork %s: %w", key, err)
	}
	return c.DeleteUnchanged(ctx, w)
}

// copySecrets delivers the Secrets, once.
func (d *delivery) copySecrets() step.Step {
	key := client.ObjectKeyFromObject(d.secrets)
	return step.Step{ID: "hub/secrets", Title: "Secrets for site " + d.Site,
		Check: d.client.Reading(func(ctx context.Context, r kube.Reader) step.Finding {
			err := r.Get(ctx, key, &workv1.ManifestWork{})
			switch {
			case err == nil:
				return step.OK("there").On("ManifestWork %s", key)
			case !apierrors.IsNotFound(err):
				return kube.Unknown(err).On("ManifestWork %s", key)
			case !d.New:
				return step.Broken("its HostedCluster is delivered without Secrets already").On("ManifestWork %s", key).
					WithHint("apply it without %s: its Secrets are on the site", hint.Flag("copy-secrets"))
			}
			return step.Missing("not there yet").On("ManifestWork %s", key)
		}),
		Apply: func(ctx context.Context) (step.Change, error) {
			return d.client.CreateOnce(ctx, d.secrets.DeepCopy())
		}}
}

// deliver writes the cluster's ManifestWork.
func (d *delivery) deliver() step.Step {
	return editing(d.client, d.Site, d.ClusterName, step.Step{ID: "hub/work", Title: "delivered to site " + d.Site},
		func(have []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
			merged, _, err := merge(have, d.objects, d.adjust)
			return merged, err
		})
}

// edit returns what the objects of a ManifestWork are to be. It does not change the ones it gets; they are none if
// there is no ManifestWork yet, and an edit that returns none creates none.
type edit func(have []*unstructured.Unstructured) ([]*unstructured.Unstructured, error)

// unusableError is why the objects of a ManifestWork cannot be changed: no retry helps.
type unusableError struct{ error }

func (e *unusableError) Unwrap() error { return e.error }

// editing makes s the step that brings a cluster's ManifestWork to what the edit says. It is decided on again right
// before the write, so that nothing is lost that others have written meanwhile.
func editing(c *kube.Client, site string, name fleet.ClusterName, s step.Step, change edit) step.Step {
	key := client.ObjectKey{Namespace: site, Name: WorkName(name)}
	wanted := func(ctx context.Context, r client.Reader) (have, want *workv1.ManifestWork, err error) {
		have = &workv1.ManifestWork{}
		var objects []*unstructured.Unstructured
		if err = r.Get(ctx, key, have); err == nil {
			if objects, err = manifests(have); err != nil {
				return nil, nil, &unusableError{err}
			}
		} else if apierrors.IsNotFound(err) && !kube.IsKindMissing(err) {
			have, err = nil, nil
		}
		if err != nil {
			return nil, nil, fmt.Errorf("ManifestWork %s: %w", key, err)
		}
		if objects, err = change(objects); err == nil && len(objects) > 0 {
			want, err = newWork(site, name, labelsOf(objects), objects)
		}
		if err != nil {
			return nil, nil, &unusableError{err}
		}
		return have, want, nil
	}
	s.Check = c.Reading(func(ctx context.Context, r kube.Reader) step.Finding {
		have, want, err := wanted(ctx, r)
		var wrong *unusableError
		switch {
		case errors.As(err, &wrong):
			return unusable(err).On("ManifestWork %s", key)
		case err != nil:
			return kube.Unknown(err).On("ManifestWork %s", key)
		case have == nil && want == nil:
			return step.Broken("it is gone").On("ManifestWork %s", key)
		case have == nil:
			return step.Missing("not there yet").On("ManifestWork %s", key)
		case !SameWork(have, want):
			return step.Missing("differs from what is wanted").On("ManifestWork %s", key)
		}
		return step.OK("on site %s", site).On("ManifestWork %s", key)
	})
	s.Apply = func(ctx context.Context) (step.Change, error) {
		have, want, err := wanted(ctx, c)
		if err != nil {
			return "", err
		}
		if want == nil {
			return step.Unchanged, nil
		}
		if have == nil {
			if err := whetherAssigned(ctx, c, name, site); err != nil {
				return "", err
			}
		} else {
			// A change of somebody else's in between is a conflict, and the step begins anew.
			want.ResourceVersion = have.ResourceVersion
		}
		return c.Apply(ctx, want)
	}
	return s
}

// SameWork reports whether a ManifestWork says all that is wanted. The manifests are compared by what they say.
func SameWork(have, want *workv1.ManifestWork) bool {
	for key, value := range want.Labels {
		if have.Labels[key] != value {
			return false
		}
	}
	left, err := manifests(have)
	if err != nil {
		return false
	}
	right, err := manifests(want)
	if err != nil || len(left) != len(right) {
		return false
	}
	for i := range left {
		if !equality.Semantic.DeepEqual(left[i].Object, right[i].Object) {
			return false
		}
	}
	return equality.Semantic.DeepEqual(settled(have), settled(want))
}

// settled is the rest of a ManifestWork's spec, with the API's defaults left out.
func settled(w *workv1.ManifestWork) workv1.ManifestWorkSpec {
	spec := *w.Spec.DeepCopy()
	spec.Workload = workv1.ManifestsTemplate{}
	for i := range spec.ManifestConfigs {
		config := &spec.ManifestConfigs[i]
		config.FeedbackScrapeType = ""
		if s := config.UpdateStrategy; s != nil {
			s.ServerSideApply = nil
		}
	}
	return spec
}
