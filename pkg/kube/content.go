package kube

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/metadata"

	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// Content lists at most five objects that a namespace contains beyond its default objects, as "kind name". It lists
// every kind that the API server serves. A kind that cannot be listed is an error, because the caller deletes the
// namespace if Content returns nothing.
//
// ignore reports objects that will be removed without the caller; it may be nil, and several goroutines call it. A
// planning Client returns nothing for a namespace that it plans to change.
func (c *Client) Content(ctx context.Context, namespace string,
	ignore func(*metav1.PartialObjectMetadata) bool) ([]string, error) {
	if c.plan != nil && c.plan.Touches(namespace) {
		return nil, nil
	}
	return c.Remaining(ctx, namespace, ignore)
}

// Remaining is Content, but a planning Client leaves out the objects that it plans to delete. Use it where ignore
// covers every dependent of those objects.
func (c *Client) Remaining(ctx context.Context, namespace string,
	ignore func(*metav1.PartialObjectMetadata) bool) ([]string, error) {
	served, gaps, err := c.ServedKinds(ctx)
	switch {
	case err != nil:
		return nil, err
	case len(gaps) > 0:
		return nil, fmt.Errorf("which kinds there are: %s", strings.Join(gaps, ", "))
	}
	// A kind without the verb delete is a view, such as PackageManifest, whose objects appear in every namespace.
	kinds := slices.DeleteFunc(served, func(k ServedKind) bool {
		return !k.Namespaced || !k.Can("list") || !k.Can("delete")
	})
	m, err := c.metadata()
	if err != nil {
		return nil, err
	}
	contents, errs := make([][]string, len(kinds)), make([]error, len(kinds))
	Parallelize(len(kinds), maxParallelLists, func(i int) {
		kind := kinds[i].Kind
		contents[i], errs[i] = contentOf(ctx, m.Resource(kind.Resource()).Namespace(namespace), kind,
			func(o *metav1.PartialObjectMetadata) bool {
				return ignore != nil && ignore(o) || c.plan != nil && c.plan.Deletes(kind.GroupVersionKind, o)
			})
	})
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return nil, errs[i]
	}
	const handful = 5
	found := slices.Concat(contents...)
	if len(found) >= handful {
		return append(found[:handful], "..."), nil
	}
	return found, nil
}

// contentOf lists the objects of one kind, without default objects and ignored ones.
func contentOf(ctx context.Context, objects metadata.ResourceInterface, k Kind,
	ignore func(*metav1.PartialObjectMetadata) bool) ([]string, error) {
	l, err := transport.MetadataOf(ctx, objects, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", k.Plural, err)
	}
	var found []string
	for i := range l.Items {
		o := &l.Items[i]
		o.SetGroupVersionKind(k.GroupVersionKind)
		if !isDefaultContent(k.Kind, o) && !ignore(o) {
			found = append(found, k.Kind+" "+o.Name)
		}
	}
	return found, nil
}

// isDefaultContent reports whether Kubernetes or OpenShift creates this object in every namespace, or whether it is an
// Event.
func isDefaultContent(kind string, m *metav1.PartialObjectMetadata) bool {
	serviceAccounts := []string{"default", "builder", "deployer"}
	switch kind {
	case "Event":
		return true
	case "ConfigMap":
		return m.Name == "kube-root-ca.crt" || m.Name == "openshift-service-ca.crt"
	case "ServiceAccount":
		return slices.Contains(serviceAccounts, m.Name)
	case "Secret":
		// The tokens and registry credentials of the default service accounts.
		return slices.Contains(serviceAccounts, m.Annotations["kubernetes.io/service-account.name"]) ||
			slices.Contains(serviceAccounts, m.Annotations["openshift.io/internal-registry-auth-token.service-account"])
	case "RoleBinding":
		return slices.Contains([]string{"system:deployers", "system:image-builders", "system:image-pullers"}, m.Name)
	case "ClusterServiceVersion":
		// OLM copies the CSVs of operators for all namespaces into every namespace.
		_, copied := m.Labels["olm.copiedFrom"]
		return copied
	}
	return false
}
