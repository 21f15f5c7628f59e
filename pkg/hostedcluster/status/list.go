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

// Query says which objects of a Resource are meant.
type Query struct {
	Resource Resource
	// Namespace is empty for all namespaces.
	Namespace string
	// Names are the objects asked for; none means all. Names need a Namespace.
	Names []string
	// Selector chooses by labels; nil chooses all.
	Selector labels.Selector
	// Cluster keeps only node pools of the hosted cluster of that name; empty keeps all.
	Cluster string
	// OlderThan leaves out what was created less long ago, at the time of the API server, Now; 0 leaves out nothing.
	OlderThan time.Duration
	// Marked chooses by what else can be seen of an object at that time; nil chooses all.
	Marked func(u metav1.Object, now time.Time) bool
	Now    func() time.Time
}

// Owned leaves out what does not belong to the owner. It fails if that cannot be one.
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

// keeps reports whether the object is one of the requested cluster and age. The API server cannot select by those.
func (q Query) keeps(u *unstructured.Unstructured) bool {
	return (q.Cluster == "" || kube.Text(u, "spec", "clusterName") == q.Cluster) &&
		(q.OlderThan == 0 || hostedcluster.IsOlder(u.GetCreationTimestamp().Time, q.Now(), q.OlderThan)) &&
		(q.Marked == nil || q.Marked(u, q.Now()))
}

// wants is what goes with every list of the query.
func (q Query) wants() []client.ListOption {
	options := []client.ListOption{client.InNamespace(q.Namespace)}
	if q.Selector != nil {
		options = append(options, client.MatchingLabelsSelector{Selector: q.Selector})
	}
	return options
}

// List returns what the query asks for, in the order asked or by namespace and name, without managed fields. Of names
// that are asked for and absent, there is one *hostedcluster.NotFoundError each in the error; the objects are those
// there are. It fails with *hostedcluster.NotInstalledError where HyperShift is not installed.
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
	}, q.wants()...)
	if err != nil {
		return nil, q.failed(err)
	}
	return out, nil
}

// named reads the objects of the names, side by side.
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

// absent names what there is instead of each name, as far as it may be listed.
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
