package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ServedKind is a kind that the API server serves, with its verbs.
type ServedKind struct {
	Kind
	verbs []string
	// stored is the hash of the storage version, "" if unknown.
	stored string
}

// Can reports whether the API server offers the verb for the kind, such as "list".
func (s ServedKind) Can(verb string) bool { return slices.Contains(s.verbs, verb) }

// discoveryAccept requests aggregated discovery: all groups with their kinds in one answer. Kubernetes serves it since
// 1.27.
const discoveryAccept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
	"application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"

// discoveryAnswer is the answer of /api or /apis: either groups with their kinds, the preferred version first, or only
// names.
type discoveryAnswer struct {
	Items []struct {
		Metadata metav1.ObjectMeta
		Versions []struct {
			Version, Freshness string
			Resources          []struct {
				Resource, Scope string
				ResponseKind    struct{ Kind string }
				Verbs           []string
			}
		}
	}
	// Groups are the names in the answer of /apis, Versions those of /api.
	Groups   []metav1.APIGroup
	Versions []string
}

// servedVersion is one version of a group. Its kinds are unknown if err is set.
type servedVersion struct {
	schema.GroupVersion
	kinds []ServedKind
	err   error
}

// errNotQueried marks a version whose kinds need a separate request.
var errNotQueried = errors.New("not asked")

func (a *discoveryAnswer) versions() []servedVersion {
	var all []servedVersion
	for _, group := range a.Items {
		for _, v := range group.Versions {
			one := servedVersion{GroupVersion: schema.GroupVersion{Group: group.Metadata.Name, Version: v.Version}}
			if v.Freshness == "Stale" {
				one.err = fmt.Errorf("stale GroupVersion discovery: %s", one.GroupVersion)
			}
			for _, r := range v.Resources {
				if r.ResponseKind.Kind != "" {
					kind := Kind{one.WithKind(r.ResponseKind.Kind), r.Resource, r.Scope == "Namespaced"}
					one.kinds = append(one.kinds, ServedKind{Kind: kind, verbs: r.Verbs})
				}
			}
			all = append(all, one)
		}
	}
	for _, version := range a.Versions {
		all = append(all, servedVersion{schema.GroupVersion{Version: version}, nil, errNotQueried})
	}
	for _, group := range a.Groups {
		for n, v := range slices.Concat([]metav1.GroupVersionForDiscovery{group.PreferredVersion}, group.Versions) {
			if v.Version != "" && (n == 0 || v != group.PreferredVersion) {
				all = append(all, servedVersion{schema.GroupVersion{Group: group.Name, Version: v.Version}, nil, errNotQueried})
			}
		}
	}
	return all
}

// servedVersions requests the versions of all groups. In each group the preferred version is first.
func (c *Client) servedVersions(ctx context.Context) ([]servedVersion, error) {
	var core, groups discoveryAnswer
	if err := Together(
		func() error {
			err := c.decodePath(ctx, "/api", discoveryAccept, &core)
			if apierrors.IsNotFound(err) {
				return nil
			}
			return err
		},
		func() error { return c.decodePath(ctx, "/apis", discoveryAccept, &groups) },
	); err != nil {
		return nil, err
	}
	all := slices.Concat(core.versions(), groups.versions())
	Parallelize(len(all), maxParallelLists, func(n int) {
		if one := &all[n]; errors.Is(one.err, errNotQueried) {
			one.kinds, one.err = c.kindsOf(ctx, one.GroupVersion)
		}
	})
	return all, ctx.Err()
}

// kindsOf requests the kinds of one version.
func (c *Client) kindsOf(ctx context.Context, gv schema.GroupVersion) ([]ServedKind, error) {
	path := "/apis/" + gv.String()
	if gv.Group == "" {
		path = "/api/" + gv.Version
	}
	var list metav1.APIResourceList
	if err := c.decodePath(ctx, path, runtime.ContentTypeJSON, &list); err != nil {
		return nil, err
	}
	var kinds []ServedKind
	for _, r := range list.APIResources {
		if !strings.Contains(r.Name, "/") {
			kinds = append(kinds, ServedKind{Kind{gv.WithKind(r.Kind), r.Name, r.Namespaced}, r.Verbs, r.StorageVersionHash})
		}
	}
	return kinds, nil
}

// decodePath GETs a path and decodes the JSON answer.
func (c *Client) decodePath(ctx context.Context, path, accept string, into any) error {
	data, err := c.getPath(ctx, path, accept)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// ServedKinds lists every kind of the API server in its preferred version, sorted by group and plural. gaps has the
// groups whose aggregated API server does not answer; the call fails only if no group is known.
func (c *Client) ServedKinds(ctx context.Context) (kinds []ServedKind, gaps []string, err error) {
	versions, err := c.servedVersions(ctx)
	if err != nil {
		return nil, nil, err
	}
	known := map[schema.GroupResource]bool{}
	for _, v := range versions {
		if v.err != nil {
			gaps = append(gaps, fmt.Sprintf("%s: %s", v.GroupVersion, Explain(v.err)))
		}
		for _, k := range v.kinds {
			if gr := k.Resource().GroupResource(); !known[gr] {
				known[gr] = true
				kinds = append(kinds, k)
			}
		}
	}
	slices.Sort(gaps)
	slices.SortFunc(kinds, func(a, b ServedKind) int {
		return strings.Compare(a.Resource().GroupResource().String(), b.Resource().GroupResource().String())
	})
	return kinds, slices.Compact(gaps), nil
}
