package kube

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

// ServedKind is a kind that the API server serves, with its verbs.
type ServedKind struct {
	Kind
	verbs []string
}

// Can reports whether the API server offers the verb for the kind, such as "list".
func (s ServedKind) Can(verb string) bool { return slices.Contains(s.verbs, verb) }

// preferredResources calls the discovery client. That client takes no context, but bounds each request itself.
func preferredResources(ctx context.Context, d *discovery.DiscoveryClient) ([]*metav1.APIResourceList, error) {
	type answer struct {
		lists []*metav1.APIResourceList
		err   error
	}
	answered := make(chan answer, 1)
	go func() {
		lists, err := d.ServerPreferredResources()
		answered <- answer{lists, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case a := <-answered:
		return a.lists, a.err
	}
}

// ServedKinds lists every kind of the API server in its preferred version, sorted by group and plural. gaps names the
// groups whose own server does not answer; it fails only if nothing is known.
func (c *Client) ServedKinds(ctx context.Context) (kinds []ServedKind, gaps []string, err error) {
	cfg := rest.CopyConfig(c.rest)
	cfg.WarningHandler = rest.NoWarnings{}
	d, err := discovery.NewDiscoveryClientForConfigAndClient(cfg, c.http)
	if err != nil {
		return nil, nil, err
	}
	lists, err := preferredResources(ctx, d)
	if failed, partly := discovery.GroupDiscoveryFailedErrorGroups(err); partly {
		for gv, err := range failed {
			gaps = append(gaps, fmt.Sprintf("%s: %s", gv, Explain(err)))
		}
		slices.Sort(gaps)
	} else if err != nil {
		return nil, nil, err
	}
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, nil, err
		}
		for i := range list.APIResources {
			r := &list.APIResources[i]
			if !strings.Contains(r.Name, "/") {
				kinds = append(kinds, ServedKind{Kind{gv.WithKind(r.Kind), r.Name, r.Namespaced}, r.Verbs})
			}
		}
	}
	slices.SortFunc(kinds, func(a, b ServedKind) int {
		return strings.Compare(a.Resource().GroupResource().String(), b.Resource().GroupResource().String())
	})
	return kinds, gaps, nil
}
