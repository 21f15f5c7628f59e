package kube

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

// Content names what is in a namespace beyond what every namespace is born with, as "kind name", at most a handful. It looks at
// every kind the API server knows: the answer decides whether the namespace may go, so a kind that cannot be listed is an error.
// It is the one place that asks for discovery, and asks only where all else speaks for removal. goes tells what else goes by
// itself and does not count; it may be nil.
//
// A planning Client names nothing in a namespace that it plans to change: what is left there shows only once the rest is gone.
func (c *Client) Content(ctx context.Context, namespace string, goes func(*metav1.PartialObjectMetadata) bool) ([]string, error) {
	if c.plan != nil && c.plan.touches(namespace) {
		return nil, nil
	}
	cfg := rest.CopyConfig(c.rest)
	// Looking at every kind means looking at deprecated ones: nobody needs to be warned of that.
	cfg.WarningHandler = rest.NoWarnings{}
	d, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return nil, err
	}
	groups, err := d.ServerPreferredNamespacedResources()
	if err != nil {
		return nil, err
	}
	m, err := metadata.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	const handful = 5
	var found []string
	for _, group := range groups {
		gv, err := schema.ParseGroupVersion(group.GroupVersion)
		if err != nil {
			return nil, err
		}
		for i := range group.APIResources {
			r := &group.APIResources[i]
			// What cannot be deleted is a view, such as PackageManifests, which show in every namespace.
			if !slices.Contains(r.Verbs, "list") || !slices.Contains(r.Verbs, "delete") {
				continue
			}
			l, err := m.Resource(gv.WithResource(r.Name)).Namespace(namespace).List(ctx, metav1.ListOptions{})
			if err != nil {
				return nil, fmt.Errorf("list %s: %w", r.Name, err)
			}
			for j := range l.Items {
				o := &l.Items[j]
				o.Kind = r.Kind
				if !innate(r.Kind, o) && (goes == nil || !goes(o)) {
					found = append(found, r.Kind+" "+o.Name)
				}
			}
			if len(found) >= handful {
				return append(found[:handful], "..."), nil
			}
		}
	}
	return found, nil
}

// innate tells what Kubernetes and OpenShift put into every namespace by themselves, or what only tells of the past.
func innate(kind string, m *metav1.PartialObjectMetadata) bool {
	serviceAccounts := []string{"default", "builder", "deployer"}
	switch kind {
	case "Event":
		return true
	case "ConfigMap":
		return m.Name == "kube-root-ca.crt" || m.Name == "openshift-service-ca.crt"
	case "ServiceAccount":
		return slices.Contains(serviceAccounts, m.Name)
	case "Secret":
		// Tokens and registry credentials of those service accounts.
		return slices.Contains(serviceAccounts, m.Annotations["kubernetes.io/service-account.name"]) ||
			slices.Contains(serviceAccounts, m.Annotations["openshift.io/internal-registry-auth-token.service-account"])
	case "RoleBinding":
		return slices.Contains([]string{"system:deployers", "system:image-builders", "system:image-pullers"}, m.Name)
	case "ClusterServiceVersion":
		// OLM copies the CSVs of operators for all namespaces into each.
		_, copied := m.Labels["olm.copiedFrom"]
		return copied
	}
	return false
}
