package status

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// Query selects objects of a Resource.
type Query struct {
	Resource Resource
	// Namespace of the objects; empty means all namespaces.
	Namespace string
	// Names of the objects; none means all. Names need a Namespace.
	Names []string
	// Selector selects by labels; nil selects all.
	Selector labels.Selector
	// Cluster selects the node pools of this hosted cluster; empty selects all.
	Cluster string
	// OlderThan leaves out objects that are younger, at the API server's time Now; 0 leaves out nothing.
	OlderThan time.Duration
	// Marked selects by other properties of an object at that time; nil selects all.
	Marked func(u metav1.Object, now time.Time) bool
	Now    func() time.Time
}

// Owned restricts the query to the objects of an owner. It returns an error if owner is not a valid label value.
func (q *Query) Owned(owner string) error {
	mark, err := labels.NewRequirement(hostedcluster.OwnerLabel, selection.Equals, []string{owner})
	if err != nil {
		return err
	}
	if q.Selector == nil {
		q.Selector = labels.NewSelector()
	}
	q.Selector = q.Selector.Add(*mark)
	return nil
}

// keeps reports whether the query selects the object by cluster, age and Marked. The API server cannot select by those.
func (q Query) keeps(u *unstructured.Unstructured) bool {
	return (q.Cluster == "" || kube.Text(u, "spec", "clusterName") == q.Cluster) &&
		(q.OlderThan == 0 || hostedcluster.IsOlder(u.GetCreationTimestamp().Time, q.Now(), q.OlderThan)) &&
		(q.Marked == nil || q.Marked(u, q.Now()))
}

// listOptions are the options of every list request of the query.
func (q Query) listOptions() []client.ListOption {
	options := []client.ListOption{client.InNamespace(q.Namespace)}
	if q.Selector != nil {
		options = append(options, client.MatchingLabelsSelector{Selector: q.Selector})
	}
	return options
}

// List returns the objects that the query selects, without managed fields, in the order of the query's names or by
// namespace and name. For each name that does not exist, the error has a *hostedcluster.NotFoundError; the existing
// objects are returned too. If HyperShift is not installed, the error is a *hostedcluster.NotInstalledError.
func List(ctx context.Context, r kube.Reader, q Query) ([]unstructured.Unstructured, error) {
	if len(q.Names) > 0 {
		return q.named(ctx, r)
	}
	var out []unstructured.Unstructured
	list := q.Resource.NewList()
	err := r.ListPages(ctx, list, func() {
		for i := range list.Items {
			if q.keeps(&list.Items[i]) {
				list.Items[i].SetManagedFields(nil)
				out = append(out, list.Items[i])
			}
		}
	}, q.listOptions()...)
	if err != nil {
		return nil, q.failed(err)
	}
	return out, nil
}

// named reads the objects of the query's names concurrently.
func (q Query) named(ctx context.Context, r kube.Reader) ([]unstructured.Unstructured, error) {
	found, failures := make([]*unstructured.Unstructured, len(q.Names)), make([]error, len(q.Names))
	var wg sync.WaitGroup
	for i, name := range q.Names {
		wg.Go(func() {
			u := q.Resource.New()
			if failures[i] = r.Get(ctx, client.ObjectKey{Namespace: q.Namespace, Name: name}, u); failures[i] == nil {
				found[i] = u
			}
		})
	}
	wg.Wait()
	var out []unstructured.Unstructured
	var absent []string
	for i, err := range failures {
		switch {
		case err == nil && q.keeps(found[i]):
			found[i].SetManagedFields(nil)
			out = append(out, *found[i])
		case err == nil || apierrors.IsNotFound(err) && !kube.IsKindMissing(err):
			absent = append(absent, q.Names[i])
		default:
			return nil, q.failed(err)
		}
	}
	return out, q.absent(ctx, r, absent)
}

// absent returns an error for each name that does not exist. It lists the existing objects, if the user may list them.
func (q Query) absent(ctx context.Context, r kube.Reader, names []string) error {
	if len(names) == 0 {
		return nil
	}
	var others []string
	all := Query{Resource: q.Resource, Cluster: q.Cluster}
	items, listErr := List(ctx, r, all)
	for i := range items {
		if items[i].GetNamespace() == q.Namespace {
			others = append(others, items[i].GetName())
		} else {
			others = append(others, kube.Name(&items[i]))
		}
	}
	var missing []error
	for _, name := range names {
		if listErr != nil {
			missing = append(missing, fmt.Errorf("no %s %q in namespace %q (nor may the others be listed: %s)", q.Resource.Noun,
				name, q.Namespace, kube.Explain(listErr)))
			continue
		}
		missing = append(missing, &hostedcluster.NotFoundError{Noun: q.Resource.Noun, Namespace: q.Namespace, Name: name,
			Others: others})
	}
	return errors.Join(missing...)
}

func (q Query) failed(err error) error {
	if kube.IsKindMissing(err) {
		return &hostedcluster.NotInstalledError{}
	}
	return fmt.Errorf("list %ss: %w", q.Resource.Kind.Kind, err)
}
