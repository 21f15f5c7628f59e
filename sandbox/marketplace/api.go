package marketplace

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/aggregated"
	"github.com/hcctl/hcctl/sandbox/catalog"
	"github.com/hcctl/hcctl/sandbox/operator"
)

const (
	manifestGroup   = "packages.operators.coreos.com"
	manifestVersion = "v1"
	manifestKind    = "PackageManifest"
	manifestPlural  = "packagemanifests"
	// globalNamespace has the catalogs that every namespace sees.
	globalNamespace = marketNamespace
	stateReady      = "READY"
)

// manifestResource is the discovery entry. Like OLM's package server it has no watch.
var manifestResource = operator.APIResource{
	Name: manifestPlural, Kind: manifestKind, Namespaced: true, Verbs: []string{"get", "list"},
}

func manifestList() *unstructured.UnstructuredList {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: manifestGroup, Version: manifestVersion, Kind: manifestKind +
		"List"})
	return list
}

// manifests serves PackageManifests. It reads the CatalogSources at each request: a CatalogSource that does not exist
// or is not READY has no packages.
type manifests struct {
	sources client.Reader
	// byAddress maps addresses to catalogs, whatever the name of the CatalogSource.
	byAddress map[string]catalog.Catalog
}

func newManifests(sources client.Reader, catalogs []catalog.Catalog, addresses map[string]string) *manifests {
	m := &manifests{sources: sources, byAddress: map[string]catalog.Catalog{}}
	for _, c := range catalogs {
		m.byAddress[addresses[c.Name]] = c
	}
	return m
}

// ServeHTTP answers get and list below /apis/packages.operators.coreos.com/v1.
func (m *manifests) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	namespace, name, ok := parse(r.URL.Path)
	switch {
	case !ok:
		fail(w, apierrors.NewGenericServerResponse(http.StatusNotFound, r.Method, schema.GroupResource{}, "", "", 0, false))
		return
	case r.Method != http.MethodGet:
		fail(w, apierrors.NewMethodNotSupported(groupResource(), strings.ToLower(r.Method)))
		return
	}
	selector, err := labels.Parse(r.URL.Query().Get("labelSelector"))
	if err != nil {
		fail(w, apierrors.NewBadRequest(fmt.Sprintf("labelSelector: %v", err)))
		return
	}
	items, err := m.list(r.Context(), namespace)
	if err != nil {
		fail(w, apierrors.NewInternalError(err))
		return
	}
	if name != "" {
		m.get(w, items, name)
		return
	}
	list := packageManifestList{
		TypeMeta: metav1.TypeMeta{APIVersion: manifestGroup + "/" + manifestVersion, Kind: manifestKind + "List"},
		Items:    []packageManifest{},
	}
	for _, item := range items {
		if selector.Matches(labels.Set(item.Labels)) {
			list.Items = append(list.Items, item)
		}
	}
	respond(w, r, list, list.Items)
}

// get answers with the first package of that name. The package server does the same when several catalogs have it.
func (m *manifests) get(w http.ResponseWriter, items []packageManifest, name string) {
	for _, item := range items {
		if item.Name == name {
			aggregated.WriteJSON(w, http.StatusOK, item)
			return
		}
	}
	fail(w, apierrors.NewNotFound(groupResource(), name))
}

// list returns the packages that a namespace sees: those of its own catalogs and of the global ones, all shown in that
// namespace. Without a namespace it returns every catalog's packages, each in its CatalogSource's namespace.
func (m *manifests) list(ctx context.Context, namespace string) ([]packageManifest, error) {
	var sources operatorsv1alpha1.CatalogSourceList
	if err := m.sources.List(ctx, &sources); err != nil {
		return nil, fmt.Errorf("list CatalogSources: %w", err)
	}
	var out []packageManifest
	for i := range sources.Items {
		s := &sources.Items[i]
		if namespace != "" && s.Namespace != namespace && s.Namespace != globalNamespace {
			continue
		}
		if s.Status.GRPCConnectionState == nil || s.Status.GRPCConnectionState.LastObservedState != stateReady {
			continue
		}
		for _, p := range m.byAddress[s.Spec.Address].Packages {
			item := manifestOf(p, s)
			if namespace != "" {
				item.Namespace = namespace
			}
			out = append(out, item)
		}
	}
	return out, nil
}

// parse splits a path below the group and version into namespace and name. Both may be empty.
func parse(path string) (namespace, name string, ok bool) {
	rest := strings.TrimPrefix(path, "/apis/"+manifestGroup+"/"+manifestVersion+"/")
	parts := strings.Split(strings.Trim(rest, "/"), "/")
	if len(parts) >= 3 && parts[0] == "namespaces" {
		namespace, parts = parts[1], parts[2:]
	}
	if parts[0] != manifestPlural || len(parts) > 2 {
		return "", "", false
	}
	if len(parts) == 2 {
		name = parts[1]
	}
	return namespace, name, true
}

func groupResource() schema.GroupResource {
	return schema.GroupResource{Group: manifestGroup, Resource: manifestPlural}
}

func fail(w http.ResponseWriter, err *apierrors.StatusError) {
	status := err.Status()
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	aggregated.WriteJSON(w, int(status.Code), status)
}
