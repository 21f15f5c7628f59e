package marketplace

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/hcctl/hcctl/sandbox/catalog"
	"github.com/hcctl/hcctl/sandbox/crds"
	"github.com/hcctl/hcctl/sandbox/profile"
)

const base = "/apis/packages.operators.coreos.com/v1/"

func source(namespace, name, address, state string) *operatorsv1alpha1.CatalogSource {
	return &operatorsv1alpha1.CatalogSource{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"own": "label"}},
		Spec:       operatorsv1alpha1.CatalogSourceSpec{Address: address, DisplayName: "Shown " + name, Publisher: "P"},
		Status: operatorsv1alpha1.CatalogSourceStatus{
			GRPCConnectionState: &operatorsv1alpha1.GRPCConnectionState{LastObservedState: state},
		},
	}
}

// served makes a handler for a cluster with the given CatalogSources. The catalog of Red Hat has the address red, that
// of the community the address community.
func served(t *testing.T, sources ...client.Object) (http.Handler, client.Client) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := operatorsv1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Get("ocp-4.20")
	if err != nil {
		t.Fatal(err)
	}
	catalogs, err := catalog.For(p, crds.Set)
	if err != nil {
		t.Fatal(err)
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(sources...).Build()
	return newManifests(c, catalogs, map[string]string{catalog.RedHat: "red", catalog.Community: "community"}), c
}

func get(t *testing.T, h http.Handler, path, accept string, into any) int {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	r.Header.Set("Accept", accept)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
		t.Fatalf("%s: %v in %s", path, err, w.Body)
	}
	return w.Code
}

func list(t *testing.T, h http.Handler, path string) []packageManifest {
	t.Helper()
	var out packageManifestList
	if code := get(t, h, path, "application/json", &out); code != http.StatusOK || out.Kind != "PackageManifestList" {
		t.Fatalf("%s: %d, kind %q", path, code, out.Kind)
	}
	return out.Items
}

func TestManifestFields(t *testing.T) {
	h, _ := served(t, source(marketNamespace, catalog.RedHat, "red", "READY"))
	var m packageManifest
	if code := get(t, h, base+"namespaces/any/packagemanifests/local-storage-operator", "application/json",
		&m); code != http.StatusOK {
		t.Fatalf("status %d", code)
	}
	if m.Namespace != "any" || m.Status.CatalogSource != catalog.RedHat ||
		m.Status.CatalogSourceNamespace != marketNamespace ||
		m.Status.PackageName != "local-storage-operator" || m.Status.DefaultChannel != "stable" {
		t.Errorf("namespace %q, status %+v", m.Namespace, m.Status)
	}
	for k, want := range map[string]string{
		"catalog": catalog.RedHat, "catalog-namespace": marketNamespace, "own": "label", "provider": "Red Hat",
	} {
		if m.Labels[k] != want {
			t.Errorf("label %s=%q, want %q", k, m.Labels[k], want)
		}
	}
	ch := m.Status.Channels[0]
	if len(ch.Entries) != 2 || ch.Entries[0].Name != ch.CurrentCSV || ch.Entries[0].Version <= ch.Entries[1].Version {
		t.Errorf("entries %+v of current %s: want all, newest first", ch.Entries, ch.CurrentCSV)
	}
	d := ch.CurrentCSVDesc
	if len(d.InstallModes) != 4 || len(d.CustomResourceDefinitions.Owned) == 0 || d.MinKubeVersion != "1.14.0" ||
		d.Annotations["operatorframework.io/suggested-namespace"] != "openshift-local-storage" {
		t.Errorf("description %+v", d)
	}
}

func TestEveryNamespaceSeesGlobalCatalogsAndItsOwn(t *testing.T) {
	h, _ := served(t,
		source(marketNamespace, catalog.RedHat, "red", "READY"),
		source("mine", "private", "community", "READY"),
		source(marketNamespace, "elsewhere", "127.0.0.1:1", "READY"), // an address without a catalog
	)
	count := func(path string) int { return len(list(t, h, path)) }
	global, private := count(base+"namespaces/other/packagemanifests"), 1
	if global == 0 {
		t.Fatal("the global catalog is not seen")
	}
	if got := count(base + "namespaces/mine/packagemanifests"); got != global+private {
		t.Errorf("%d packages in the private catalog's namespace, want %d", got, global+private)
	}
	items := list(t, h, base+"packagemanifests")
	if len(items) != global+private {
		t.Errorf("%d packages in all namespaces, want %d", len(items), global+private)
	}
	for _, m := range items {
		if m.Namespace != m.Status.CatalogSourceNamespace {
			t.Errorf("%s is shown in %s, want its catalog's %s", m.Name, m.Namespace, m.Status.CatalogSourceNamespace)
		}
	}
	if got := count(base + "namespaces/mine/packagemanifests?labelSelector=catalog%3Dprivate"); got != private {
		t.Errorf("%d packages by label, want %d", got, private)
	}
}

func TestPackageInTwoCatalogsAppearsTwice(t *testing.T) {
	h, _ := served(t, source(marketNamespace, catalog.RedHat, "red", "READY"),
		source(marketNamespace, "mirror", "red", "READY"))
	seen := map[string]bool{}
	for _, m := range list(t, h, base+"namespaces/x/packagemanifests") {
		if m.Name == "metallb-operator" {
			seen[m.Status.CatalogSource] = true
		}
	}
	if len(seen) != 2 {
		t.Errorf("metallb-operator is in %v, want both catalogs", seen)
	}
}

func TestManifestsFollowCatalogSources(t *testing.T) {
	red := source(marketNamespace, catalog.RedHat, "red", "CONNECTING")
	h, c := served(t, red)
	if got := list(t, h, base+"packagemanifests"); len(got) != 0 {
		t.Errorf("%d packages of a catalog that is not READY", len(got))
	}
	red.Status.GRPCConnectionState.LastObservedState = "READY"
	if err := c.Update(t.Context(), red); err != nil {
		t.Fatal(err)
	}
	if len(list(t, h, base+"packagemanifests")) == 0 {
		t.Error("no packages though the catalog is READY")
	}
	if err := c.Delete(t.Context(), red); err != nil {
		t.Fatal(err)
	}
	if got := list(t, h, base+"packagemanifests"); len(got) != 0 {
		t.Errorf("%d packages of a CatalogSource that is gone", len(got))
	}
}

func TestErrorsAreStatuses(t *testing.T) {
	h, _ := served(t, source(marketNamespace, catalog.RedHat, "red", "READY"))
	for path, want := range map[string]int{
		base + "namespaces/x/packagemanifests/absent":           http.StatusNotFound,
		base + "namespaces/x/otherthings":                       http.StatusNotFound,
		base + "packagemanifests?labelSelector=%21%21":          http.StatusBadRequest,
		base + "namespaces/x/packagemanifests/odf-operator/too": http.StatusNotFound,
	} {
		var s metav1.Status
		if code := get(t, h, path, "application/json", &s); code != want || s.Kind != "Status" || int(s.Code) != want {
			t.Errorf("%s: %d with %+v, want Status %d", path, code, s, want)
		}
	}
}

func TestTable(t *testing.T) {
	h, _ := served(t, source(marketNamespace, catalog.RedHat, "red", "READY"))
	var table metav1.Table
	accept := "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
	get(t, h, base+"namespaces/x/packagemanifests", accept, &table)
	if table.Kind != "Table" || len(table.Rows) == 0 || table.Rows[0].Cells[1] != "Shown redhat-operators" {
		t.Errorf("table %+v", table)
	}
}
