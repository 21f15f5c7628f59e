package main_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Plain manifests install OpenShift Virtualization without OLM. Applied repeatedly until each has what it needs, they
// start the same operator, which deploys KubeVirt.
func TestPlainManifestsInstallVirtualizationWithoutOLM(t *testing.T) {
	t.Parallel()
	manifests, dir := t.TempDir(), t.TempDir()
	if out, err := exec.Command(binary(t), "manifests", "virtualization", "--dir", manifests).
		CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	launch(t, dir, "--profile", "no-olm", "--speed", "20")
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(dir, "kubeconfig"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: "operators.coreos.com", Version: "v1alpha1",
		Kind: "SubscriptionList"})
	if err := c.List(t.Context(), list); err == nil {
		t.Error("the cluster serves Subscriptions")
	}
	todo := objectsIn(t, manifests)
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	var last error
	err = wait.PollUntilContextCancel(ctx, 250*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		var left []*unstructured.Unstructured
		for _, o := range todo {
			if err := c.Apply(ctx, client.ApplyConfigurationFromUnstructured(o.DeepCopy()), client.FieldOwner("test"),
				client.ForceOwnership); err != nil {
				last, left = err, append(left, o)
			}
		}
		todo = left
		return len(todo) == 0, nil
	})
	if err != nil {
		t.Fatalf("%d manifests cannot be applied: %v", len(todo), last)
	}
	hco := &unstructured.Unstructured{}
	hco.SetGroupVersionKind(schema.GroupVersionKind{Group: "hco.kubevirt.io", Version: "v1beta1", Kind: "HyperConverged"})
	err = wait.PollUntilContextCancel(ctx, 250*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		if err := c.Get(ctx, client.ObjectKey{Namespace: "kubevirt-hyperconverged", Name: "kubevirt-hyperconverged"},
			hco); err != nil {
			return false, client.IgnoreNotFound(err)
		}
		health, _, _ := unstructured.NestedString(hco.Object, "status", "systemHealthStatus")
		return health == "healthy", nil
	})
	if err != nil {
		t.Fatalf("HyperConverged: %v: %v", err, hco.Object["status"])
	}
	versions, _, _ := unstructured.NestedSlice(hco.Object, "status", "versions")
	if want := map[string]any{"name": "operator", "version": "1.16.0"}; len(versions) != 1 ||
		versions[0].(map[string]any)["version"] != want["version"] {
		t.Errorf("versions %v, want %v", versions, want)
	}
}

func objectsIn(t *testing.T, dir string) []*unstructured.Unstructured {
	t.Helper()
	var out []*unstructured.Unstructured
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(raw), 4096)
		for {
			o := &unstructured.Unstructured{}
			if decoder.Decode(&o.Object) != nil {
				return nil // end of the file; the test below would miss an invalid document
			}
			if len(o.Object) > 0 {
				out = append(out, o)
			}
		}
	})
	if err != nil || len(out) < 15 {
		t.Fatalf("%d objects in %s: %v", len(out), dir, err)
	}
	return out
}
