package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
)

type object = map[string]any

// patience bounds each wait: Argo CD looks every few seconds, and the machine may be busy.
const patience = 3 * time.Minute

// pause is between two looks.
const pause = 300 * time.Millisecond

// cluster is one API server, read and written without hcctl's code.
type cluster struct {
	t       *testing.T
	dynamic dynamic.Interface
	groups  discovery.DiscoveryInterface
}

func connect(t *testing.T, cfg *rest.Config) *cluster {
	t.Helper()
	cfg.QPS, cfg.WarningHandler = -1, rest.NoWarnings{}
	d, err := dynamic.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	groups, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &cluster{t, d, groups}
}

func (c *cluster) resource(gvk schema.GroupVersionKind, namespace string) (dynamic.ResourceInterface, error) {
	groups, err := restmapper.GetAPIGroupResources(c.groups)
	if err != nil {
		return nil, err
	}
	m, err := restmapper.NewDiscoveryRESTMapper(groups).RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return nil, err
	}
	if namespace == "" {
		return c.dynamic.Resource(m.Resource), nil
	}
	return c.dynamic.Resource(m.Resource).Namespace(namespace), nil
}

// apply applies objects, again and again until their kinds are served.
func (c *cluster) apply(objects ...object) {
	c.t.Helper()
	for _, o := range objects {
		u := &unstructured.Unstructured{Object: o}
		var last error
		if wait.PollUntilContextTimeout(c.t.Context(), pause, patience, true, func(ctx context.Context) (bool, error) {
			resource, err := c.resource(u.GroupVersionKind(), u.GetNamespace())
			if err == nil {
				_, err = resource.Apply(ctx, u.GetName(), u, metav1.ApplyOptions{FieldManager: "e2e", Force: true})
			}
			last = err
			return err == nil, nil
		}) != nil {
			c.t.Fatalf("%s %s: %v", u.GetKind(), u.GetName(), last)
		}
	}
}

func (c *cluster) get(ctx context.Context, gvk schema.GroupVersionKind, namespace,
	name string) (*unstructured.Unstructured, error) {
	resource, err := c.resource(gvk, namespace)
	if err != nil {
		return nil, err
	}
	return resource.Get(ctx, name, metav1.GetOptions{})
}

// until waits until a field of an object has a value.
func (c *cluster) until(gvk schema.GroupVersionKind, namespace, name, want string, path ...string) {
	c.t.Helper()
	last := ""
	if wait.PollUntilContextTimeout(c.t.Context(), pause, patience, true, func(ctx context.Context) (bool, error) {
		u, err := c.get(ctx, gvk, namespace, name)
		if err != nil {
			last = err.Error()
			return false, nil //nolint:nilerr // it is told when the time is over
		}
		value, _, _ := unstructured.NestedFieldNoCopy(u.Object, path...)
		last = fmt.Sprint(value)
		return last == want, nil
	}) != nil {
		c.t.Fatalf("%s %s/%s: %s is %q, want %q", gvk.Kind, namespace, name, strings.Join(path, "."), last, want)
	}
}

// value is a field of an object.
func (c *cluster) value(gvk schema.GroupVersionKind, namespace, name string, path ...string) string {
	c.t.Helper()
	u, err := c.get(c.t.Context(), gvk, namespace, name)
	if err != nil {
		c.t.Fatal(err)
	}
	value, _, _ := unstructured.NestedFieldNoCopy(u.Object, path...)
	return fmt.Sprint(value)
}

// dump is all objects of a kind, as JSON.
func (c *cluster) dump(gvk schema.GroupVersionKind) []byte {
	c.t.Helper()
	resource, err := c.resource(gvk, "")
	if err != nil {
		c.t.Fatal(err)
	}
	list, err := resource.List(c.t.Context(), metav1.ListOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	data, err := list.MarshalJSON()
	if err != nil {
		c.t.Fatal(err)
	}
	return data
}

// documents are the objects of what kustomize writes.
func documents(t *testing.T, data []byte) []object {
	t.Helper()
	var all []object
	for d := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096); ; {
		var o object
		switch err := d.Decode(&o); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatal(err)
		case o != nil:
			all = append(all, o)
		}
	}
}

// program is one that the Makefile has built.
func program(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Fatalf("%s is not set: make test-gitops sets it", variable)
	}
	return path
}

// kustomize is what Argo CD's kustomize makes of a directory.
func (s *story) kustomize(directory string) []byte {
	s.t.Helper()
	program := filepath.Join(filepath.Dir(program(s.t, "HCCTL_SANDBOX_BIN")), "sandbox-libexec", "argocd-bin", "kustomize")
	out, err := exec.Command(program, "build", directory).CombinedOutput()
	if err != nil {
		s.t.Fatalf("kustomize build %s: %v\n%s", directory, err, out)
	}
	return out
}

// config is a kubeconfig in the form that clients take.
func config(t *testing.T, kubeconfig []byte) *rest.Config {
	t.Helper()
	cfg, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}
