package hub

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/kube"
)

// delivered is a site that has ManifestWorks of a hosted cluster.
type delivered struct {
	site string
	// deleting is set if one of them is being deleted, secrets if one has the cluster's Secrets.
	deleting, secrets bool
	// created is the creation time of the first of them.
	created time.Time
}

// location is the site that a hosted cluster is assigned to, "" for none, and the sites with its ManifestWorks.
// Clusters of hcctl's first versions have only a ManifestWork, and no assignment.
type location struct {
	assigned string
	works    []delivered
	// bad is why the assignment is invalid; nil for a valid one, or none.
	bad error
}

// has reports whether the cluster is assigned to a site, or has ManifestWorks there.
func (w location) has(site string) bool {
	return w.assigned == site || slices.ContainsFunc(w.works, func(d delivered) bool { return d.site == site })
}

// since reports whether the cluster was delivered to a site after a time, or is still to be delivered.
func (w location) since(site string, when time.Time) bool {
	i := slices.IndexFunc(w.works, func(d delivered) bool { return d.site == site })
	return i < 0 && w.assigned == site || i >= 0 && w.works[i].created.After(when)
}

// site returns the cluster's site, other than the site that it leaves ("" for none), or "" if it must be
// assigned. It returns an error if there are several sites, or the cluster is being deleted.
func (w location) site(leaves string) (string, error) {
	if w.bad != nil {
		return "", w.bad
	}
	site, live, deleting := w.assigned, []string{}, []string{}
	if site == leaves {
		site = ""
	}
	for _, d := range w.works {
		switch {
		case d.site == leaves:
		case d.deleting:
			deleting = append(deleting, d.site)
		default:
			live = append(live, d.site)
		}
	}
	if site != "" && !slices.Contains(live, site) && !slices.Contains(deleting, site) {
		// The command was killed between the assignment and the delivery.
		live = append(live, site)
	}
	switch {
	case len(live) > 1:
		slices.Sort(live)
		return "", fmt.Errorf("is assigned to several sites: %s; hcctl changes none of them", strings.Join(live, ", "))
	case site != "" && slices.Contains(deleting, site):
		return "", &deletingError{site: site}
	case len(live) == 1:
		return live[0], nil
	case len(deleting) > 0:
		return "", &deletingError{site: deleting[0]}
	}
	return "", nil
}

// deletingError means that the cluster to apply is being deleted.
type deletingError struct {
	site string
	lost bool
}

func (e *deletingError) Error() string {
	text := "is being deleted on site " + e.site
	if e.lost {
		text += fmt.Sprintf("; the site is not available: %s %s creates it on another one", hint.Flag("move-from"), e.site)
	}
	return text
}

// locations reads the sites of all hosted clusters: their assignments, and the names of their ManifestWorks.
func locations(ctx context.Context, c *kube.Client) (map[fleet.ClusterName]location, error) {
	type named struct {
		Metadata struct {
			Name, Namespace   string
			DeletionTimestamp *metav1.Time
			CreationTimestamp metav1.Time
		}
	}
	all := map[fleet.ClusterName]location{}
	err := kube.ListDecoded(ctx, c, kube.ManifestWork, func(w *named) {
		name, ours := ClusterOf(w.Metadata.Name)
		secrets := false
		if !ours {
			// A run that ended after it wrote the Secrets has chosen the site as well.
			if name, secrets = secretsOf(w.Metadata.Name); !secrets {
				return
			}
		}
		of, deleting := all[name], w.Metadata.DeletionTimestamp != nil
		i := slices.IndexFunc(of.works, func(other delivered) bool { return other.site == w.Metadata.Namespace })
		if i < 0 {
			of.works = append(of.works, delivered{w.Metadata.Namespace, deleting, secrets, w.Metadata.CreationTimestamp.Time})
		} else {
			of.works[i].deleting = of.works[i].deleting || deleting
			of.works[i].secrets = of.works[i].secrets || secrets
		}
		all[name] = of
	})
	switch {
	case kube.IsKindMissing(err):
		return nil, NoHub()
	case err != nil:
		return nil, fmt.Errorf("list ManifestWorks: %w", err)
	}
	sites, err := assigned(ctx, c)
	for name, site := range sites {
		of := all[name]
		if of.assigned = site; site == "" {
			of.bad = badAssignment(name)
		}
		all[name] = of
	}
	return all, err
}

// hasSecrets reports whether hcctl has delivered the Secrets of any hosted cluster to a site.
func hasSecrets(at map[fleet.ClusterName]location, site string) bool {
	for _, one := range at {
		if slices.ContainsFunc(one.works, func(d delivered) bool { return d.site == site && d.secrets }) {
			return true
		}
	}
	return false
}
