package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/document"
)

// said are the leaves of spec, labels and annotations of the HostedClusters and NodePools of a file, by their paths,
// with values in one form.
func said(t *testing.T, path string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	docs, err := document.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, d := range docs {
		objects, err := d.Objects()
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range objects {
			u := unstructured.Unstructured{Object: o.Fields}
			if u.GetKind() != "HostedCluster" && u.GetKind() != "NodePool" {
				continue
			}
			at := u.GetKind() + " " + u.GetName() + ": "
			leavesOf(at+"spec", o.Fields["spec"], out)
			for _, field := range []string{"labels", "annotations"} {
				values, _, _ := unstructured.NestedMap(o.Fields, "metadata", field)
				leavesOf(at+field, values, out)
			}
		}
	}
	return out
}

func leavesOf(at string, v any, out map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			leavesOf(at+"."+key, inner, out)
		}
	case []any:
		if strings.HasSuffix(at, "spec.services") {
			slices.SortFunc(v, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
		for i, inner := range v {
			if service, is := inner.(map[string]any); is && service["service"] != nil {
				leavesOf(fmt.Sprintf("%s[%v]", at, service["service"]), inner, out)
				continue
			}
			leavesOf(fmt.Sprintf("%s[%d]", at, i), inner, out)
		}
	default:
		text := fmt.Sprint(v)
		var list any
		if d, err := time.ParseDuration(text); err == nil {
			text = d.String()
		} else if q, err := resource.ParseQuantity(text); err == nil {
			text = q.AsDec().String()
		} else if strings.HasPrefix(text, "[") && json.Unmarshal([]byte(text), &list) == nil {
			text = fmt.Sprint(list)
		}
		out[at] = text
	}
}

// What conversion may leave out of a shape: what a server or an operator writes, and old names of fields, whose new
// ones are there.
var leftOut = []string{"annotations.hypershift.openshift.io/nodePool", "spec.networking.podCIDR",
	"spec.networking.serviceCIDR", "spec.networking.machineCIDR", "spec.nodeCount", "kubevirt.baseDomainPassthrough: false",
	"spec.dns.baseDomain: ", "policy.name: ", "spec.fips: false"}

// Each shape is converted to a Cluster document and back, and says the same.
func TestLintConvertsAndBack(t *testing.T) {
	shapes, err := filepath.Abs("../hostedcluster/convert/testdata")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(shapes, "*.yaml"))
	if err != nil || len(files) < 15 {
		t.Fatalf("%d shapes, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Chdir(t.TempDir())
			if code, out, stderr := run(t, "lint", file, "--offline", "--convert", "there"); code != 0 {
				t.Fatalf("exit code %d: %s%s", code, out, stderr)
			}
			found, err := filepath.Glob("there/*.yaml")
			if err != nil {
				t.Fatal(err)
			}
			document := slices.MinFunc(found, func(a, b string) int { return len(a) - len(b) }) // others are NAME-FIELD.yaml
			if code, out, stderr := run(t, "lint", document, "--offline", "--convert", "back"); code != 0 {
				t.Fatalf("%s: exit code %d: %s%s", document, code, out, stderr)
			}
			before, after := said(t, file), said(t, "back/hosted-clusters.yaml")
			if len(before) < 15 || len(after) < 15 {
				t.Fatalf("%d fields became %d", len(before), len(after))
			}
			for path, value := range before {
				line := path + ": " + value
				left := slices.ContainsFunc(leftOut, func(s string) bool { return strings.Contains(line, s) })
				if got, there := after[path]; !left && (!there || got != value) {
					t.Errorf("%s became %q", line, got)
				}
			}
		})
	}
}
