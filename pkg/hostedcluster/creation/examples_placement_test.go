package creation

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
)

// TestPlacementExample holds examples/placement.yaml to the CRDs of open-cluster-management, strictly, and its payload
// to what hcctl renders.
func TestPlacementExample(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "placement.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	crds := ocmCRDs(t)
	checked := map[string]bool{}
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	for {
		obj := map[string]any{}
		if err := decoder.Decode(&obj); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		kind, version := obj["kind"].(string), obj["apiVersion"].(string)
		if !strings.Contains(version, "open-cluster-management.io/") {
			continue
		}
		checked[kind] = true
		for _, problem := range strictly(t, crds, version, kind, obj) {
			t.Errorf("%s: %s", kind, problem)
		}
		if kind == "ManifestWorkReplicaSet" {
			work, _ := obj["spec"].(map[string]any)["manifestWorkTemplate"].(map[string]any)
			payload, _ := work["workload"].(map[string]any)["manifests"].([]any)
			if diff := cmp.Diff(renderedExample(t), payload); diff != "" {
				t.Errorf("the payload is not what hcctl renders (-rendered +example):\n%s", diff)
			}
		}
	}
	for _, kind := range []string{"ManagedClusterSet", "ManagedClusterSetBinding", "Placement", "ManifestWorkReplicaSet"} {
		if !checked[kind] {
			t.Errorf("the example has no %s", kind)
		}
	}
	wrong := map[string]any{"spec": map[string]any{"clusterSet": []any{"a typo"}, "numberOfClusters": "two"}}
	if problems := strictly(t, crds, "cluster.open-cluster-management.io/v1beta1", "Placement", wrong); len(problems) < 2 {
		t.Errorf("a wrong Placement passes: %v", problems)
	}
}

// renderedExample are the objects of the command line that the example names.
func renderedExample(t *testing.T) []any {
	t.Helper()
	o := options.Defaults()
	o.Name, o.InfraID, o.ReleaseImage = "kv-00", "kv-00", "quay.io/openshift-release-dev/ocp-release:4.20.3-multi"
	rendered, err := Render(optionstest.Valid(t, o), false)
	if err != nil {
		t.Fatal(err)
	}
	var all []any
	for _, obj := range rendered.Objects {
		text, err := objects.YAML(obj)
		if err != nil {
			t.Fatal(err)
		}
		one := map[string]any{}
		if err := yaml.Unmarshal(text, &one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}

// crd is what is needed of a CustomResourceDefinition.
type crd struct {
	Spec struct {
		Group string
		Names struct{ Kind string }
		// Versions with their schemas.
		Versions []struct {
			Name   string
			Schema struct{ OpenAPIV3Schema spec.Schema }
		}
	}
}

// ocmCRDs are those in the module that ships them.
func ocmCRDs(t *testing.T) []crd {
	t.Helper()
	dir, err := exec.CommandContext(
		t.Context(),
		"go",
		"list",
		"-m",
		"-f",
		"{{.Dir}}",
		"open-cluster-management.io/api",
	).Output()
	if err != nil {
		t.Fatalf("where is the module: %v", err)
	}
	var crds []crd
	for _, pattern := range []string{"cluster/v1beta1/*.crd.yaml", "cluster/v1beta2/*.crd.yaml",
		"work/v1alpha1/*.crd.yaml"} {
		files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files, %v", pattern, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var one crd
			if err := yaml.Unmarshal(data, &one); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			crds = append(crds, one)
		}
	}
	return crds
}

// strictly is what an API server with the CRD would refuse of an object under strict field validation, rules in CEL
// left out.
func strictly(t *testing.T, crds []crd, apiVersion, kind string, obj map[string]any) []string {
	t.Helper()
	for _, c := range crds {
		for _, v := range c.Spec.Versions {
			if c.Spec.Names.Kind != kind || c.Spec.Group+"/"+v.Name != apiVersion {
				continue
			}
			schema := v.Schema.OpenAPIV3Schema
			problems := unknownIn(&schema, "", obj)
			for _, err := range validate.NewSchemaValidator(&schema, nil, "", strfmt.Default).Validate(obj).Errors {
				problems = append(problems, err.Error())
			}
			return problems
		}
	}
	t.Fatalf("no CRD has %s %s", apiVersion, kind)
	return nil
}

// unknownIn are the fields that the schema does not know.
func unknownIn(s *spec.Schema, path string, value any) []string {
	is := func(extension string) bool { yes, _ := s.Extensions.GetBool(extension); return yes }
	var out []string
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			if s.Items != nil && s.Items.Schema != nil {
				out = append(out, unknownIn(s.Items.Schema, path+"["+strconv.Itoa(i)+"]", item)...)
			}
		}
	case map[string]any:
		for name, field := range value {
			known, ok := s.Properties[name]
			switch {
			case ok && (path != "" || name != "metadata"):
				out = append(out, unknownIn(&known, path+"."+name, field)...)
			case ok, is("x-kubernetes-preserve-unknown-fields"):
			case s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
				out = append(out, unknownIn(s.AdditionalProperties.Schema, path+"."+name, field)...)
			default:
				out = append(out, "unknown field "+path+"."+name)
			}
		}
	}
	return out
}
