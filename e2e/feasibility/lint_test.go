package feasibility

import (
	"fmt"
	"os"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/e2e/world"
	"github.com/hcctl/hcctl/internal/document"
)

// crdRelease is the release whose fields the sandbox's CRDs of HyperShift have.
const crdRelease = "4.21"

// file is one that others wrote: testdata/lint/whole.yaml with a change.
type file struct {
	Name, Old, New string
	// Refused is whether an API server refuses one of its objects; Stricter says why lint refuses what that takes.
	Refused  bool
	Stricter string
}

// lintAgreesWithTheAPIServer has an API server with the CRDs of HyperShift look at odd files, and lint without a
// cluster: neither takes what the other refuses, but where lint knows more.
func lintAgreesWithTheAPIServer(t *testing.T, w *world.World) {
	t.Helper()
	whole, err := os.ReadFile("testdata/lint/whole.yaml")
	if err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile("testdata/lint/files.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var files []file
	if err := yaml.UnmarshalStrict(list, &files); err != nil || len(files) < 60 {
		t.Fatal(len(files), err)
	}
	for i, odd := range files {
		t.Run(strings.ReplaceAll(odd.Name, " ", "-"), func(t *testing.T) {
			text := strings.Replace(string(whole), odd.Old, odd.New, 1)
			if odd.Old != "" && text == string(whole) {
				t.Fatal("it changes nothing")
			}
			refusal := refusedByServer(t, w, text)
			if (refusal != "") != odd.Refused {
				t.Errorf("the API server: refused is to be %v: %s", odd.Refused, refusal)
			}
			path := w.File(t, fmt.Sprintf("odd-%02d.yaml", i), text)
			e := w.Hcctl.Run(t, "lint", path, "--offline", "--release", crdRelease)
			lint := e.Code != 0
			if want := odd.Refused || odd.Stricter != ""; lint != want {
				t.Errorf("lint: refused is to be %v (the API server says %q): %s", want, refusal, e)
			}
		})
	}
}

// refusedByServer is why an API server takes one of the objects not; empty if it takes all.
func refusedByServer(t *testing.T, w *world.World, text string) string {
	t.Helper()
	docs, err := document.Read([]byte(text))
	if err != nil {
		return err.Error()
	}
	for _, d := range docs {
		objects, err := d.Objects()
		if err != nil {
			return err.Error()
		}
		for _, o := range objects {
			u := &unstructured.Unstructured{Object: o.Fields}
			kind := world.HostedClusters
			if u.GetKind() == "NodePool" {
				kind = world.NodePools
			}
			_, err := w.Resource(kind, "clusters").Create(t.Context(), u, metav1.CreateOptions{
				DryRun: []string{metav1.DryRunAll}, FieldValidation: metav1.FieldValidationStrict})
			if err != nil {
				return err.Error()
			}
		}
	}
	return ""
}
