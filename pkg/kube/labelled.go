package kube

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// LabelledObject is the metadata of an object of any kind.
type LabelledObject struct {
	Kind   Kind
	Object *metav1.PartialObjectMetadata
}

// maxParallelLists is the maximum number of kinds that are listed in parallel.
const maxParallelLists = 32

// ListLabelled searches these kinds in all namespaces for objects with the labels; without kinds it searches all kinds
// that can be listed and deleted. It returns the objects sorted by kind and name, and adds their kinds to the client.
//
// unread has the kinds that the user may not list or that do not answer, such as "pods: not allowed: ...". If the API
// server is unreachable, err says so. If a given kind is not served in its version, err is IsKindMissing. It costs one
// request per kind, which the API server answers from its cache.
func (c *Client) ListLabelled(ctx context.Context, labels client.MatchingLabels, only ...schema.GroupVersionKind) (
	found []LabelledObject, unread []string, err error) {
	kinds, gaps, err := c.kindsToSearch(ctx, only)
	if err != nil {
		return nil, nil, err
	}
	m, err := c.metadata()
	if err != nil {
		return nil, nil, err
	}
	selector := client.ListOptionsOf([]client.ListOption{labels})
	opt := metav1.ListOptions{LabelSelector: selector.LabelSelector.String(), ResourceVersion: "0"}
	// The first outage stops the search; otherwise each kind would wait for the unreachable server.
	search, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var mu sync.Mutex
	Parallelize(len(kinds), maxParallelLists, func(n int) {
		k := kinds[n]
		if search.Err() != nil {
			return
		}
		l, err := transport.MetadataOf(search, m.Resource(k.Resource()), opt)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case transport.IsOutage(err):
			stop(err)
		case apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err):
		case err != nil:
			unread = append(unread, fmt.Sprintf("%s: %s", k.Resource().GroupResource(), Explain(err)))
		default:
			for i := range l.Items {
				c.mapper.add(k)
				found = append(found, LabelledObject{k, &l.Items[i]})
			}
		}
	})
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if err := context.Cause(search); err != nil {
		return nil, nil, err
	}
	slices.SortFunc(found, func(a, b LabelledObject) int {
		return strings.Compare(a.Kind.Kind+" "+Name(a.Object), b.Kind.Kind+" "+Name(b.Object))
	})
	slices.Sort(unread)
	return found, append(unread, gaps...), nil
}

// kindsToSearch returns the given kinds, or all that can be listed and deleted. gaps are those of ServedKinds.
func (c *Client) kindsToSearch(ctx context.Context, only []schema.GroupVersionKind) (
	kinds []Kind, gaps []string, err error) {
	if len(only) == 0 {
		served, gaps, err := c.ServedKinds(ctx)
		for _, k := range served {
			if k.Can("list") && k.Can("delete") && (k.Group != "" || k.Plural != "events") {
				kinds = append(kinds, k.Kind)
			}
		}
		return kinds, gaps, err
	}
	kinds = make([]Kind, len(only))
	errs := make([]error, len(only))
	Parallelize(len(only), maxParallelLists, func(n int) {
		if errs[n] = c.DiscoverKind(ctx, only[n]); errs[n] != nil {
			return
		}
		mapping, err := c.RESTMapper().RESTMapping(only[n].GroupKind(), only[n].Version)
		if err != nil {
			errs[n] = err
			return
		}
		kinds[n] = Kind{only[n], mapping.Resource.Resource, mapping.Scope.Name() == meta.RESTScopeNameNamespace}
	})
	for _, err := range errs {
		if err != nil {
			return nil, nil, err
		}
	}
	return kinds, nil, nil
}

// metadata returns a client for the metadata of any kind. It suppresses the warnings about deprecated kinds.
func (c *Client) metadata() (metadata.Interface, error) {
	cfg := rest.CopyConfig(c.rest)
	cfg.WarningHandler = rest.NoWarnings{}
	return metadata.NewForConfigAndClient(metadata.ConfigFor(cfg), c.http)
}
