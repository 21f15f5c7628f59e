package gitops

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
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
		if wait.PollUntilContextTimeout(c.t.Context(), 200*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
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

// status writes the status of an object, in the place of the operator that the sandbox does not play.
func (c *cluster) status(gvk schema.GroupVersionKind, namespace, name string, status object) {
	c.t.Helper()
	resource, err := c.resource(gvk, namespace)
	if err != nil {
		c.t.Fatal(err)
	}
	patch, err := json.Marshal(object{"status": status})
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := resource.Patch(c.t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}, "status"); err != nil {
		c.t.Fatalf("%s %s: %v", gvk.Kind, name, err)
	}
}

func (c *cluster) get(ctx context.Context, gvk schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
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
	if wait.PollUntilContextTimeout(c.t.Context(), 300*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
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

// documents are the objects of a file.
func documents(t *testing.T, path string) []object {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []object
	for d := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096); ; {
		var o object
		switch err := d.Decode(&o); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatalf("%s: %v", path, err)
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

// freePort is one on loopback that nobody listens on now.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// kustomize is what Argo CD's kustomize makes of a folder.
func (s *story) kustomize(folder string) []byte {
	s.t.Helper()
	link := filepath.Join(s.t.TempDir(), "kustomize")
	if err := os.Symlink(argoProgram(s.t), link); err != nil {
		s.t.Fatal(err)
	}
	out, err := exec.Command(link, "build", folder).CombinedOutput()
	if err != nil {
		s.t.Fatalf("kustomize build %s: %v\n%s", folder, err, out)
	}
	return out
}

// argoProgram has all of Argo CD's programs in it.
func argoProgram(t *testing.T) string {
	t.Helper()
	return filepath.Join(filepath.Dir(program(t, "HCCTL_SANDBOX_BIN")), "sandbox-libexec", "argocd")
}

// argo starts redis, the repository server and both controllers, which end with the test.
func argo(t *testing.T, kubeconfig string) {
	t.Helper()
	dir, binary := t.TempDir(), argoProgram(t)
	for _, name := range []string{"tls", "ssh", "gpg", "tmp", "home", "bin"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	env := append(os.Environ(), "ARGOCD_FAKE_IN_CLUSTER=true", "ARGOCD_GPG_ENABLED=false", "KUBECONFIG="+kubeconfig,
		"HOME="+filepath.Join(dir, "home"),
		"ARGOCD_TLS_DATA_PATH="+filepath.Join(dir, "tls"), "ARGOCD_SSH_DATA_PATH="+filepath.Join(dir, "ssh"),
		"ARGOCD_GNUPGHOME="+filepath.Join(dir, "gpg"), "TMPDIR="+filepath.Join(dir, "tmp"),
		"PATH="+filepath.Join(dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	redis, repo := "127.0.0.1:"+freePort(t), freePort(t)
	for _, name := range []string{"redis", "kustomize", "argocd-repo-server", "argocd-application-controller",
		"argocd-applicationset-controller"} {
		if err := os.Symlink(binary, filepath.Join(dir, "bin", name)); err != nil {
			t.Fatal(err)
		}
	}
	start := func(name string, args ...string) {
		var log bytes.Buffer
		cmd := exec.Command(filepath.Join(dir, "bin", name), args...)
		cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = env, dir, &log, &log
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			if t.Failed() {
				text := log.String()
				t.Logf("%s wrote at last:\n%s", name, text[max(0, len(text)-3000):])
			}
		})
	}
	start("redis", "--address", redis)
	start("argocd-repo-server", "--disable-tls", "--address", "127.0.0.1", "--port", repo, "--metrics-address", "127.0.0.1",
		"--metrics-port", freePort(t), "--redis", redis, "--revision-cache-expiration", "5s")
	start("argocd-application-controller", "--kubeconfig", kubeconfig, "--namespace", namespace, "--redis", redis,
		"--repo-server", "127.0.0.1:"+repo, "--repo-server-plaintext", "--metrics-port", freePort(t), "--app-resync", "5",
		"--app-resync-jitter", "0")
	start("argocd-applicationset-controller", "--kubeconfig", kubeconfig, "--namespace", namespace, "--argocd-repo-server",
		"127.0.0.1:"+repo, "--repo-server-plaintext", "--metrics-addr", "127.0.0.1:"+freePort(t), "--probe-addr",
		"127.0.0.1:"+freePort(t), "--webhook-addr", "127.0.0.1:"+freePort(t))
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
