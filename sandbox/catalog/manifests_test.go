package catalog_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/sandbox/catalog"
	"github.com/hcctl/hcctl/sandbox/crds"
	"github.com/hcctl/hcctl/sandbox/profile"
)

func TestPlainManifestsAreWholeAndOutOfOrder(t *testing.T) {
	p, err := profile.Get("no-olm")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := catalog.WriteVirtualization(dir, p, crds.Set); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, doc := range strings.Split(string(raw), "---\n") {
			var o struct {
				APIVersion, Kind string
				Metadata         struct{ Name string }
			}
			if err := yaml.Unmarshal([]byte(doc), &o); err != nil {
				return err
			}
			if o.Kind != "" {
				kinds = append(kinds, o.APIVersion+" "+o.Kind+" "+o.Metadata.Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"v1 Namespace kubevirt-hyperconverged", "apps/v1 Deployment hyperconverged-cluster-operator",
		"apps/v1 Deployment hyperconverged-cluster-webhook", "apps/v1 Deployment virt-operator",
		"apiextensions.k8s.io/v1 CustomResourceDefinition hyperconvergeds.hco.kubevirt.io",
		"apiextensions.k8s.io/v1 CustomResourceDefinition kubevirts.kubevirt.io",
		"hco.kubevirt.io/v1beta1 HyperConverged kubevirt-hyperconverged",
		"v1 ServiceAccount hyperconverged-cluster-operator", "rbac.authorization.k8s.io/v1 ClusterRole " +
			"hyperconverged-cluster-operator",
		"admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration validate-hco.kubevirt.io",
	} {
		if !slices.Contains(kinds, want) {
			t.Errorf("no %s in %v", want, kinds)
		}
	}
	// The order of the file names must not work, as in the real repository.
	index := func(part string) int {
		return slices.IndexFunc(kinds, func(s string) bool { return strings.Contains(s, part) })
	}
	if index("HyperConverged kubevirt-hyperconverged") > index("v1 Namespace ") {
		t.Error("the custom resource comes after its namespace: the names of the files give an order that works by luck")
	}
}
