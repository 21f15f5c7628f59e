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

// steps returns the steps that deliver one cluster, and follow it.
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

// leave returns the step that deletes the ManifestWorks on the lost site. They stay in deletion until the site
// is back: then its agent deletes the cluster there.
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
					return d.whileLost(ctx, r, step.Missing("still assigned to site %s", d.from).On("ManifestWork %s", key))
				}
			}
			return step.OK("deleted as soon as the site is back")
		}),
		Apply: func(ctx context.Context) (step.Change, error) {
			change := step.Unchanged
			for _, key := range works {
				// A site that is back by now would lose a running cluster.
				if f := d.whileLost(ctx, d.client, step.Missing("lost")); f.State != step.StateMissing {
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

// whileLost returns f while the site to leave is lost. If the site is back, it returns a broken finding: nothing
// is moved from it.
func (d *delivery) whileLost(ctx context.Context, r kube.Reader, f step.Finding) step.Finding {
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

// remove deletes a ManifestWork in its current version, if it exists.
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

// copySecrets returns the step that delivers the Secrets, once.
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

// deliver returns the step that writes the cluster's ManifestWork.
func (d *delivery) deliver() step.Step {
	return editing(d.client, d.Site, d.ClusterName, step.Step{ID: "hub/work", Title: "delivered to site " + d.Site},
		func(have []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
			merged, _, err := merge(have, d.objects, d.adjust)
			return merged, err
		})
}

// edit returns the desired objects of a ManifestWork, without changing the ones it gets. Without a ManifestWork
// it gets none; if it then returns none, none is created.
type edit func(have []*unstructured.Unstructured) ([]*unstructured.Unstructured, error)

// unusableError is why the objects of a ManifestWork cannot be changed. A retry does not help.
type unusableError struct{ error }

func (e *unusableError) Unwrap() error { return e.error }

// editing makes s the step that changes a cluster's ManifestWork by an edit. The edit is made again right before
// the write, so that no change of another client is lost.
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
			if err := checkAssigned(ctx, c, name, site); err != nil {
				return "", err
			}
		} else {
			// A change by another client in between is a conflict, and the step starts again.
			want.ResourceVersion = have.ResourceVersion
		}
		return c.Apply(ctx, want)
	}
	return s
}

// SameWork reports whether a ManifestWork has the desired labels, manifests and settings. Manifests are compared
// by their content.
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
	return equality.Semantic.DeepEqual(withoutDefaults(have), withoutDefaults(want))
}

// withoutDefaults returns the rest of a ManifestWork's spec without the defaults of the API.
func withoutDefaults(w *workv1.ManifestWork) workv1.ManifestWorkSpec {
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
