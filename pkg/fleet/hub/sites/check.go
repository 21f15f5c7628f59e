package sites

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	workv1 "open-cluster-management.io/api/work/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/fleet/hub"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// delivered is a ManifestWork or a ManifestWorkReplicaSet of the delivery.
type delivered struct {
	key     client.ObjectKey
	objects []Object
	// placements are the Placements of a ManifestWorkReplicaSet.
	placements []string
}

// found holds what is delivered.
type found struct{ sets, works []delivered }

// find reads what is delivered, only by name.
func find(ctx context.Context, c *kube.Client) (found, error) {
	var out found
	type listedSet struct {
		Metadata struct{ Namespace, Name string }
		Spec     map[string]any
	}
	err := kube.ListDecoded(ctx, c, kube.ManifestWorkReplicaSet, func(l *listedSet) {
		u := &unstructured.Unstructured{Object: map[string]any{"spec": l.Spec}}
		if s, placements, err := templateOf(u); err == nil {
			key := client.ObjectKey{Namespace: l.Metadata.Namespace, Name: l.Metadata.Name}
			out.sets = append(out.sets, deliveredBy(key, s, placements))
		}
	}, client.MatchingFields{"metadata.name": AlikeName})
	if err != nil && !kube.IsKindMissing(err) {
		return out, fmt.Errorf("list ManifestWorkReplicaSets: %w", err)
	}
	for _, name := range []string{AlikeName, OwnName} {
		err := kube.ListDecoded(ctx, c, kube.ManifestWork, func(w *workv1.ManifestWork) {
			out.works = append(out.works, deliveredBy(client.ObjectKeyFromObject(w), w.Spec, nil))
		}, client.MatchingFields{"metadata.name": name})
		switch {
		case kube.IsKindMissing(err):
			return out, hub.NoHub()
		case err != nil:
			return out, fmt.Errorf("list ManifestWorks %s: %w", name, err)
		}
	}
	slices.SortFunc(out.works, func(a, b delivered) int {
		return cmp.Or(cmp.Compare(a.key.Namespace, b.key.Namespace), cmp.Compare(a.key.Name, b.key.Name))
	})
	return out, nil
}

func deliveredBy(key client.ObjectKey, s workv1.ManifestWorkSpec, placements []string) delivered {
	out := delivered{key: key, placements: placements}
	for _, m := range s.Workload.Manifests {
		u := &unstructured.Unstructured{}
		if json.Unmarshal(m.Raw, &u.Object) != nil || u.GetKind() == "" {
			u = &unstructured.Unstructured{Object: map[string]any{"kind": "Unknown"}}
		}
		out.objects = append(out.objects, Object{Unstructured: u})
	}
	return out
}

// Checks are the checks of the sites of a delivery.
type Checks struct {
	// Steps check each object at each site.
	Steps []step.Step
	// Heard has a line for each site about when the hub last heard from it, in the order of the sites.
	Heard []string
}

// Look makes the checks. It returns an error if this cluster is not a hub, or nothing is delivered.
func Look(ctx context.Context, c *kube.Client) (*Checks, error) {
	all, err := hub.Sites(ctx, c)
	if err != nil {
		return nil, err
	}
	have, err := find(ctx, c)
	if err != nil {
		return nil, err
	}
	out := &Checks{}
	for _, set := range have.sets {
		for _, placement := range set.placements {
			chosen, err := hub.Candidates(ctx, c, types.NamespacedName{Namespace: set.key.Namespace, Name: placement}, "")
			var none *hub.NoSiteError
			if errors.As(err, &none) {
				out.Heard = append(out.Heard, none.Error())
				continue
			}
			if err != nil {
				return nil, err
			}
			for _, site := range chosen {
				key := client.ObjectKey{Namespace: site.Site, Name: AlikeName}
				if !slices.ContainsFunc(have.works, func(w delivered) bool { return w.key == key }) {
					have.works = append(have.works, delivered{key: key, objects: set.objects})
				}
			}
		}
	}
	slices.SortStableFunc(have.works, func(a, b delivered) int { return cmp.Compare(a.key.Namespace, b.key.Namespace) })
	for i, w := range have.works {
		age := heard(all[w.key.Namespace], c.Now())
		if i == 0 || have.works[i-1].key.Namespace != w.key.Namespace {
			out.Heard = append(out.Heard, w.key.Namespace+": "+age)
		}
		for _, s := range follow(c, w.key.Namespace, w.key.Name, w.objects, "") {
			s.Check = aged(s.Check, age)
			out.Steps = append(out.Steps, s)
		}
	}
	if out.Steps = unique(out.Steps); len(out.Steps) == 0 {
		return nil, &hub.NoSiteError{Why: "no site of this hub gets prerequisites through it",
			Next: hint.New("%s delivers them; %s looks at one management cluster",
				hint.Run("bootstrap").Flag("hub").Flag("manifests", "DIR").Flag("placement", "NAMESPACE/NAME"),
				hint.Run("check"))}
	}
	return out, nil
}

// aged adds the age of the site's report to the findings of a check.
func aged(check func(context.Context, step.Reads) step.Finding, age string) func(context.Context,
	step.Reads) step.Finding {
	return func(ctx context.Context, reads step.Reads) step.Finding {
		f := check(ctx, reads)
		f.Detail = age
		return f
	}
}

// heard returns when the hub last heard from a site.
func heard(site *hub.Site, now time.Time) string {
	if site == nil {
		return "it is no ManagedCluster of this hub"
	}
	age, known := site.Age(now)
	if !known {
		return "the hub has never heard of it"
	}
	return fmt.Sprintf("the hub heard of it %s ago", age)
}
