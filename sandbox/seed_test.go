package main_test

import (
	"context"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/profile"
	"github.com/hcctl/hcctl/sandbox/world"
)

// The sandbox writes objects directly to etcd, so the API server must also accept them. The test sends each object and
// its status with strict validation and dry run.
func TestSeedIsValid(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ocp-4.12", "ocp-4.21", "disconnected", "no-olm", "sno"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := profile.Get(name)
			if err != nil {
				t.Fatal(err)
			}
			objects, err := world.Objects(p)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			launch(t, dir, "--profile", name, "--speed", "20")
			config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(dir, "kubeconfig"))
			if err != nil {
				t.Fatal(err)
			}
			plain, err := client.New(config, client.Options{DryRun: ptrTo(true)})
			if err != nil {
				t.Fatal(err)
			}
			c := client.WithFieldValidation(plain, "Strict")
			for _, o := range objects {
				if !world.BuiltIn(o) {
					resend(t, c, o)
				}
			}
			cluster := clusterOf(t, dir, "kubeconfig")
			switch name {
			case "disconnected":
				checkTrust(t, cluster)
			case "ocp-4.21":
				checkShards(t, cluster)
			}
		})
	}
}

func resend(t *testing.T, c client.Client, o *unstructured.Unstructured) {
	t.Helper()
	ctx := context.Background()
	got := &unstructured.Unstructured{}
	got.SetGroupVersionKind(o.GroupVersionKind())
	if err := c.Get(ctx, client.ObjectKeyFromObject(o), got); err != nil {
		t.Errorf("%s %s: %v", o.GetKind(), o.GetName(), err)
		return
	}
	o.SetResourceVersion(got.GetResourceVersion())
	if err := c.Update(ctx, o.DeepCopy()); err != nil {
		t.Errorf("%s %s: %v", o.GetKind(), o.GetName(), err)
	}
	// Not found means that the kind has no status subresource. Update has validated its status then.
	if err := c.Status().Update(ctx, o.DeepCopy()); client.IgnoreNotFound(err) != nil {
		t.Errorf("status of %s %s: %v", o.GetKind(), o.GetName(), err)
	}
}

func ptrTo[T any](v T) *T { return &v }
