package creation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/internal/sandbox"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects/objectstest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// modules are versions of HyperShift's module, each with the branch of OpenShift that it came to. Of 4.19 the module
// proxy has none, and before 4.13 there was no version: v0.1.0 is three weeks younger than the branch of 4.12.
func modules() map[string]string {
	return map[string]string{"v0.1.0": "4.13", "v0.1.9": "4.13", "v0.1.10": "4.14", "v0.1.15": "4.15", "v0.1.30": "4.16",
		"v0.1.40": "4.17", "v0.1.50": "4.18", "v0.1.60": "4.20", "v0.1.71": "4.21", "v0.1.81": "newer"}
}

// TestReleasesOnAnAPIServer brings the CRDs of each version of HyperShift's module to a real API server, which knows
// the rules in CEL too, and creates a cluster with each flag's example: hcctl refuses it before anything is written,
// or all that was asked for is stored.
func TestReleasesOnAnAPIServer(t *testing.T) {
	sandbox.OnlyInAll(t, "it downloads ten versions of HyperShift")
	s := sandbox.Start(t, "--profile", "ocp-4.20")
	for _, version := range slices.Sorted(maps.Keys(modules())) {
		t.Run(version, func(t *testing.T) {
			c := install(t, s.Kubeconfig, crdsOf(t, version))
			refused, taken := 0, 0
			for _, e := range append(optionstest.Examples(), optionstest.Example{Name: "defaults"}) {
				if e.Name != "defaults" && (e.Flag == "" || e.Beside) {
					continue
				}
				o := optionstest.Named(nil)
				if e.Name != "defaults" {
					o, _ = e.Options(t)
				}
				if storedOrRefused(t, c, e.Name, optionstest.Valid(t, o)) {
					taken++
				} else {
					refused++
				}
			}
			appliedByOthers(t, c)
			t.Logf("HyperShift %s (OpenShift %s): %d flags taken, %d refused", version, modules()[version], taken, refused)
			if taken < refused {
				t.Errorf("%d flags taken, %d refused", taken, refused)
			}
		})
	}
}

// storedOrRefused creates the cluster's HostedCluster and NodePools as hcctl does, and reports whether they were taken.
func storedOrRefused(t *testing.T, c *kube.Client, name string, o options.Validated) bool {
	t.Helper()
	ctx := t.Context()
	p := &Plan{Options: o, Inputs: objectstest.Inputs(), client: c}
	err := p.dryRun(ctx)
	var unknown *UnknownFieldsError
	var denied *DeniedError
	switch {
	case errors.As(err, &unknown), errors.As(err, &denied):
		if name == "defaults" {
			t.Errorf("a cluster with defaults: %v", err)
		}
		t.Logf("--%s: %v", name, err)
		return false
	case err != nil:
		t.Errorf("--%s: %v", name, err)
		return false
	}
	made := []func() client.Object{p.hostedCluster}
	for _, pool := range o.NodePools {
		made = append(made, func() client.Object { return objects.NodePool(o, pool, p.Inputs) })
	}
	for _, m := range made {
		if err := p.writeStrictly(ctx, m); err != nil {
			t.Errorf("--%s: after the dry run: %v", name, err)
			continue
		}
		want, err := runtime.DefaultUnstructuredConverter.ToUnstructured(m())
		if err != nil {
			t.Fatal(err)
		}
		kind := m().GetObjectKind().GroupVersionKind()
		have := &unstructured.Unstructured{}
		have.SetGroupVersionKind(kind)
		if err := c.Get(ctx, client.ObjectKeyFromObject(m()), have); err != nil {
			t.Fatal(err)
		}
		usual := defaultFields()
		for _, field := range lacks(want["spec"], have.Object["spec"], kind.Kind+" spec") {
			if is := fieldsOf(m())[field]; !reflect.DeepEqual(is, usual[field]) {
				t.Errorf("--%s: %s is lost: %v", name, field, is)
			}
		}
		if err := c.Delete(ctx, have); err != nil {
			t.Fatal(err)
		}
	}
	return true
}

// appliedByOthers has an API server take a cluster with defaults as a site's work agent and Argo CD apply it: by
// server-side apply, which refuses a field that the CRD lacks, and without hcctl's tests before the writing.
func appliedByOthers(t *testing.T, c *kube.Client) {
	t.Helper()
	r, err := Render(optionstest.Valid(t, optionstest.Named(func(o *options.Cluster) {
		o.InfraID, o.ReleaseImage = FixedInfraID("clusters", o.Name), "quay.io/openshift-release-dev/ocp-release:4.20.3-multi"
	})), false)
	if err != nil {
		t.Fatal(err)
	}
	applied := 0
	for _, o := range r.Objects {
		kind := o.GetObjectKind().GroupVersionKind().Kind
		if kind != "HostedCluster" && kind != "NodePool" {
			continue
		}
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
		if err != nil {
			t.Fatal(err)
		}
		u := objects.WithoutDefaults(&unstructured.Unstructured{Object: content})
		unstructured.RemoveNestedField(u.Object, "status")
		unstructured.RemoveNestedField(u.Object, "metadata", "creationTimestamp")
		if err := c.Client.Apply(t.Context(), u,
			client.FieldOwner("work-agent"), client.DryRunAll); err != nil {
			t.Errorf("a server-side apply of %s: %v", kind, err)
		}
		applied++
	}
	if applied < 2 {
		t.Errorf("%d objects applied", applied)
	}
}

// lacks are the fields of want that are not so in have.
func lacks(want, have any, path string) []string {
	w, isMap := want.(map[string]any)
	h, _ := have.(map[string]any)
	if !isMap {
		if list, ok := want.([]any); ok {
			stored, _ := have.([]any)
			if len(list) != len(stored) {
				return []string{path}
			}
			var out []string
			for i := range list {
				out = append(out, lacks(list[i], stored[i], fmt.Sprintf("%s[%d]", path, i))...)
			}
			return out
		}
		if !reflect.DeepEqual(want, have) {
			return []string{path}
		}
		return nil
	}
	if h == nil {
		return []string{path}
	}
	var out []string
	for _, key := range slices.Sorted(maps.Keys(w)) {
		out = append(out, lacks(w[key], h[key], path+"."+key)...)
	}
	return out
}

// crdsOf are the CRDs of HostedCluster and NodePool that a version of HyperShift installs.
func crdsOf(t *testing.T, version string) []*unstructured.Unstructured {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", "github.com/openshift/hypershift@"+version)
	cmd.Dir = t.TempDir() // outside of hcctl's module, which needs none of it
	out, err := cmd.Output()
	var module struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &module); jsonErr != nil || module.Dir == "" {
		t.Fatalf("HyperShift %s: %v, %v, %s", version, err, jsonErr, module.Error)
	}
	var crds []*unstructured.Unstructured
	for _, plural := range []string{"hostedclusters", "nodepools"} {
		var files []string
		for _, pattern := range []string{"hypershift-operator/hypershift.openshift.io_" + plural + ".yaml",
			"*hypershift-operator/zz_generated.crd-manifests/" + plural + "-*Default.crd.yaml",
			"crds/hypershift-operator/zz_generated.crd-manifests/" + plural + "-*Default.crd.yaml"} {
			found, err := filepath.Glob(filepath.Join(module.Dir, "cmd", "install", "assets", pattern))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, found...)
		}
		files = slices.DeleteFunc(files, func(f string) bool { return strings.Contains(f, "SelfManagedHA") })
		if len(files) != 1 {
			t.Fatalf("HyperShift %s: the CRD of %s is in %v", version, plural, files)
		}
		data, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(data, &u.Object); err != nil {
			t.Fatal(err)
		}
		u.SetAnnotations(nil) // a feature gate without a name is among them, which an API server refuses
		delete(u.Object, "status")
		crds = append(crds, u)
	}
	return crds
}

// install brings the CRDs to the API server, and removes them when the test ends.
func install(t *testing.T, kubeconfig string, crds []*unstructured.Unstructured) *kube.Client {
	t.Helper()
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	connect := func() *kube.Client {
		c, err := kube.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := connect()
	for _, crd := range crds {
		if err := c.Create(t.Context(), crd); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			if err := c.Delete(ctx, crd); err != nil {
				t.Fatal(err)
			}
			until(ctx, t, func(ctx context.Context) error {
				err := c.Get(ctx, client.ObjectKeyFromObject(crd), crd.DeepCopy())
				if apierrors.IsNotFound(err) {
					return nil
				}
				return errors.Join(fmt.Errorf("%s is still there", crd.GetName()), err)
			})
		})
	}
	ns := objects.Namespace(optionstest.Valid(t, optionstest.Named(nil)))
	if err := c.Create(t.Context(), ns); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	// Served under v1beta1: an API server needs a moment, and for each version anew.
	until(t.Context(), t, func(ctx context.Context) error {
		c = connect()
		for _, list := range []string{"HostedClusterList", "NodePoolList"} {
			u := &unstructured.UnstructuredList{}
			u.SetAPIVersion("hypershift.openshift.io/v1beta1")
			u.SetKind(list)
			if err := c.List(ctx, u); err != nil {
				return err
			}
		}
		return nil
	})
	return c
}

func until(ctx context.Context, t *testing.T, done func(context.Context) error) {
	t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true,
		func(ctx context.Context) (bool, error) {
			last = done(ctx)
			return last == nil, nil
		})
	if err != nil {
		t.Fatalf("%v: %v", err, last)
	}
}
