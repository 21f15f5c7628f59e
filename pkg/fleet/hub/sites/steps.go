package sites

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	workv1 "open-cluster-management.io/api/work/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/fleet/hub"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// docs is the page about runs through a hub.
const docs = "docs/fleets.md"

// Delivery holds the objects for the sites.
type Delivery struct {
	// Alike are the objects for every site that Placement has chosen.
	Placement types.NamespacedName
	Alike     []Object
	// Own are the objects for single sites, by site name.
	Own map[string][]Object
}

// errNothing means that there is nothing to deliver.
var errNothing = errors.New("there is nothing to deliver")

// Prepare makes the steps that deliver, and follow each object at each site. It only reads. It returns an error
// if this cluster is not a hub, a site does not exist, the Placement has chosen no site, or the objects are too
// large.
func Prepare(ctx context.Context, c *kube.Client, d Delivery) ([]step.Step, error) {
	all, err := hub.Sites(ctx, c)
	if err != nil {
		return nil, err
	}
	for _, site := range slices.Sorted(maps.Keys(d.Own)) {
		if all[site] == nil {
			return nil, &hub.NoSiteError{Why: "there is no ManagedCluster " + site,
				Next: hint.New("oc get managedclusters lists them")}
		}
	}
	var steps []step.Step
	if len(d.Alike) > 0 {
		candidates, err := hub.Candidates(ctx, c, d.Placement, "")
		if err != nil {
			return nil, err
		}
		set, err := replicaSet(c.RESTMapper(), d.Placement, d.Alike)
		if err != nil {
			return nil, err
		}
		steps = append(steps, deliverAlike(c, set))
		for _, one := range candidates {
			steps = append(steps, follow(c, one.Site, AlikeName, d.Alike, steps[0].ID)...)
		}
	}
	for _, site := range slices.Sorted(maps.Keys(d.Own)) {
		work, err := ownWork(c.RESTMapper(), site, d.Own[site])
		if err != nil {
			return nil, err
		}
		deliver := deliverOwn(c, work)
		steps = append(steps, deliver)
		steps = append(steps, follow(c, site, OwnName, d.Own[site], deliver.ID)...)
	}
	if len(steps) == 0 {
		return nil, errNothing
	}
	return unique(steps), nil
}

// deliverAlike returns the step that writes the ManifestWorkReplicaSet.
func deliverAlike(c *kube.Client, want *unstructured.Unstructured) step.Step {
	key := client.ObjectKeyFromObject(want)
	return step.Step{ID: "hub/alike", Title: "what every site gets", Group: "hub", Docs: docs,
		Check: c.Reading(func(ctx context.Context, r kube.Reader) step.Finding {
			have := kube.ManifestWorkReplicaSet.New()
			err := r.Get(ctx, key, have)
			switch {
			case kube.IsKindMissing(err):
				return step.Broken("this hub has no ManifestWorkReplicaSets: multicluster engine 2.3 and later brings them").
					On("ManifestWorkReplicaSet %s", key)
			case apierrors.IsNotFound(err):
				return step.Missing("not there yet").On("ManifestWorkReplicaSet %s", key)
			case err != nil:
				return kube.Unknown(err).On("ManifestWorkReplicaSet %s", key)
			}
			return sameSet(have, want).On("ManifestWorkReplicaSet %s", key)
		}),
		Apply: func(ctx context.Context) (step.Change, error) { return c.Apply(ctx, want.DeepCopy()) }}
}

// sameSet compares a ManifestWorkReplicaSet with the desired one.
func sameSet(have, want *unstructured.Unstructured) step.Finding {
	current, at, err := templateOf(have)
	if err != nil {
		return step.Broken("%v", err)
	}
	to, placements, err := templateOf(want)
	if err != nil {
		return step.Broken("%v", err)
	}
	if !hub.SameWork(&workv1.ManifestWork{Spec: current}, &workv1.ManifestWork{Spec: to}) ||
		!slices.Equal(at, placements) {
		return step.Missing("differs from what is wanted")
	}
	return step.OK("for the sites of Placement %s", strings.Join(at, ", "))
}

// deliverOwn returns the step that writes the ManifestWork of one site.
func deliverOwn(c *kube.Client, want *workv1.ManifestWork) step.Step {
	key := client.ObjectKeyFromObject(want)
	return step.Step{ID: step.ID("hub/own-" + letters(want.Namespace)), Title: "what site " + want.Namespace + " gets",
		Group: "hub", Docs: docs,
		Check: c.Reading(func(ctx context.Context, r kube.Reader) step.Finding {
			have := &workv1.ManifestWork{}
			err := r.Get(ctx, key, have)
			switch {
			case apierrors.IsNotFound(err):
				return step.Missing("not there yet").On("ManifestWork %s", key)
			case err != nil:
				return kube.Unknown(err).On("ManifestWork %s", key)
			case !hub.SameWork(have, want):
				return step.Missing("differs from what is wanted").On("ManifestWork %s", key)
			}
			return step.OK("delivered").On("ManifestWork %s", key)
		}),
		Apply: func(ctx context.Context) (step.Change, error) { return c.Apply(ctx, want.DeepCopy()) }}
}

// follow returns the steps that wait for each object of a ManifestWork at its site.
func follow(c *kube.Client, site, work string, objects []Object, needs step.ID) []step.Step {
	var all []step.Step
	for i, o := range objects {
		s := step.Step{ID: idOf(site, o.Unstructured), Title: o.String(), Group: "site " + site, Docs: docs,
			Check: c.Reading(func(ctx context.Context, r kube.Reader) step.Finding {
				return checkObject(ctx, r, client.ObjectKey{Namespace: site, Name: work}, i, o.Unstructured)
			})}
		if needs != "" {
			s.Needs = []step.ID{needs}
		}
		all = append(all, s)
	}
	return all
}

// idOf returns the ID of an object of a site in events and reports, with only the characters that an ID may
// have.
func idOf(site string, u *unstructured.Unstructured) step.ID {
	return step.ID(letters(site) + "/" + letters(strings.Join([]string{u.GetKind(), u.GetNamespace(), u.GetName()}, "-")))
}

// letters replaces all other characters of a name than lower-case letters and digits by dashes.
func letters(name string) string {
	others := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), others), "-")
}

// unique appends numbers to duplicate step IDs.
func unique(steps []step.Step) []step.Step {
	seen := map[step.ID]int{}
	for i := range steps {
		id := steps[i].ID
		if seen[id]++; seen[id] > 1 {
			steps[i].ID = step.ID(fmt.Sprintf("%s-%d", id, seen[id]))
		}
	}
	return steps
}

// checkObject reads a ManifestWork and judges one object of it. If the site is lost, the finding says so,
// because the report is old.
func checkObject(ctx context.Context, r kube.Reader, key client.ObjectKey, ordinal int,
	u *unstructured.Unstructured) step.Finding {
	w := &workv1.ManifestWork{}
	err := r.Get(ctx, key, w)
	switch {
	case apierrors.IsNotFound(err):
		return step.Pending("the hub has not delivered it to the site yet").On("ManifestWork %s", key)
	case err != nil:
		return kube.Unknown(err).On("ManifestWork %s", key)
	case w.DeletionTimestamp != nil:
		return step.Broken("its ManifestWork is being deleted").On("ManifestWork %s", key)
	}
	f := judge(w, ordinal, u).On("ManifestWork %s", key)
	why, err := hub.SiteState(ctx, r, key.Namespace)
	switch {
	case err != nil:
		return kube.Unknown(err).On("ManagedCluster %s", key.Namespace)
	case why != "":
		return step.Pending("the site is not available (%s); last known: %s", why, f.Message).
			On("ManagedCluster %s", key.Namespace).WithTrouble().RecheckAfter(hub.LostAfter)
	}
	return f
}
