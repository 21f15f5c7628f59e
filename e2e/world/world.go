// Package world provides a management cluster for tests under faults (e2e/chaos): a sandbox behind a proxy, hcctl, a
// user's objects, and comparisons. HCCTL_CHAOS=full runs the whole lists, HCCTL_CHAOS_SEED repeats a random sequence.
package world

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/hcctl/hcctl/e2e/program"
	"github.com/hcctl/hcctl/e2e/state"
	"github.com/hcctl/hcctl/internal/faultproxy"
	"github.com/hcctl/hcctl/internal/sandbox"
)

// WholeLists reports whether the lists are to be run to their ends.
func WholeLists() bool { return os.Getenv("HCCTL_CHAOS") == "full" }

// Chance returns a random generator whose seed the test logs, so that the sequence can be repeated.
func Chance(t *testing.T) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if given := os.Getenv("HCCTL_CHAOS_SEED"); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatalf("HCCTL_CHAOS_SEED: %v", err)
		}
	}
	t.Logf("HCCTL_CHAOS_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a course that can be repeated
}

// World is a management cluster with a proxy before it and hcctl beside it.
type World struct {
	Sandbox *sandbox.Process
	Proxy   *faultproxy.Proxy
	// Hcctl goes through the proxy, Direct does not.
	Hcctl, Direct *program.Program
	// Config is the sandbox's administrator, past the proxy.
	Config  *rest.Config
	objects dynamic.Interface
	// Addresses is what MetalLB gives out.
	Addresses string
	// PullSecret is a file with Mark in it, which no output may have.
	PullSecret, Mark string
	// auth is the mark as the pull secret has it.
	auth string
}

// worlds counts the started sandboxes. Each gets its own addresses, because hosted API servers and other tests listen
// on the same machine.
var worlds atomic.Int32

// New starts a sandbox with these flags beside the usual ones, and ends it with the test. No output of its programs
// may have a secret in it.
func New(t *testing.T, flags ...string) *World {
	t.Helper()
	network := fmt.Sprintf("127.%d.%d.", 80+os.Getpid()%100, worlds.Add(1))
	w := &World{Addresses: network + "32-" + network + "122"}
	w.Sandbox = sandbox.Start(
		t,
		append([]string{"--audit", "--speed", "50"}, flags...)...)
	var err error
	if w.Proxy, err = faultproxy.Start(t.Context(), w.Sandbox.Kubeconfig, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if w.Config, err = clientcmd.BuildConfigFromFlags("", w.Sandbox.Kubeconfig); err != nil {
		t.Fatal(err)
	}
	w.Config.QPS, w.Config.UserAgent, w.Config.WarningHandler = -1, "hcctl-chaos", rest.NoWarnings{}
	if w.objects, err = dynamic.NewForConfig(w.Config); err != nil {
		t.Fatal(err)
	}
	w.Mark = Mark()
	w.auth = base64.StdEncoding.EncodeToString([]byte("robot:" + w.Mark))
	w.PullSecret = filepath.Join(t.TempDir(), "pull-secret.json")
	pullSecret := fmt.Appendf(nil, `{"auths":{"quay.io":{"auth":%[1]q},"registry.redhat.io":{"auth":%[1]q}}}`, w.auth)
	if err := os.WriteFile(w.PullSecret, pullSecret, 0o600); err != nil {
		t.Fatal(err)
	}
	w.Hcctl, w.Direct = w.Program(t, w.Proxy.Kubeconfig, w.Proxy.Token), w.Program(t, w.Sandbox.Kubeconfig)
	return w
}

// File writes a file beside PullSecret, which a document there may name, and returns its path.
func (w *World) File(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(filepath.Dir(w.PullSecret), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Mark returns a unique text for use in secrets.
func Mark() string {
	return "MARK" + strconv.FormatUint(rand.Uint64(), 36) //nolint:gosec // it is no secret, it only stands in one
}

// Program returns hcctl with that kubeconfig. The test fails if its output has one of these secrets, or one of the pull
// secret's.
func (w *World) Program(t *testing.T, kubeconfig string, secrets ...string) *program.Program {
	t.Helper()
	p := program.New(t, kubeconfig)
	p.Server = w.Sandbox
	t.Cleanup(func() {
		for i, secret := range append([]string{w.Mark, w.auth}, secrets...) {
			if strings.Contains(p.Told(), secret) {
				t.Errorf(
					"the %s stands in what hcctl wrote",
					[]string{"pull secret's password", "pull secret's auth", "token"}[min(i, 2)],
				)
			}
		}
	})
	return p
}

// Order has the sandbox do one of its orders (hcctl-sandbox control), and returns when it is done.
func (w *World) Order(order string) error {
	binary, err := sandbox.Find()
	if err != nil {
		return err
	}
	out, err := exec.Command(binary, "control", "--dir", filepath.Dir(w.Sandbox.Kubeconfig), order).
		CombinedOutput()
		//nolint:noctx // the sandbox's end ends it
	if err != nil {
		return fmt.Errorf("%s: %w: %s\nthe sandbox wrote:\n%s", order, err, out, w.Sandbox.Log())
	}
	return nil
}

// Written is what hcctl has written on the cluster.
func (w *World) Written(t *testing.T) map[string]string {
	t.Helper()
	all, err := state.Written(t.Context(), w.Config)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Same fails the test where the cluster does not hold what it did.
func (w *World) Same(t *testing.T, want map[string]string, when string) {
	t.Helper()
	Compare(t, want, w.Written(t), when)
}

// Compare fails the test where the two are not the same.
func Compare(t *testing.T, want, got map[string]string, when string) {
	t.Helper()
	if diff := state.Difference(want, got); len(diff) > 0 {
		t.Errorf("%s, what hcctl has written is not what an undisturbed run writes:\n%s", when, strings.Join(diff, "\n"))
	}
}

// Resource is a kind written as "nodepools.v1beta1.hypershift.openshift.io", in a namespace or ("") in none.
func (w *World) Resource(kind, namespace string) dynamic.ResourceInterface {
	gvr, _ := schema.ParseResourceArg(kind)
	if namespace == "" {
		return w.objects.Resource(*gvr)
	}
	return w.objects.Resource(*gvr).Namespace(namespace)
}

// Merge changes an object as a user would by hand.
func (w *World) Merge(t *testing.T, kind, namespace, name, patch string) {
	t.Helper()
	_, err := w.Resource(kind, namespace).
		Patch(t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: "somebody"})
	if err != nil {
		t.Fatalf("%s %s/%s: %v", kind, namespace, name, err)
	}
}

// Make makes an object as a user would.
func (w *World) Make(t *testing.T, kind, namespace string, object map[string]any) {
	t.Helper()
	_, err := w.Resource(kind, namespace).
		Create(t.Context(), &unstructured.Unstructured{Object: object}, metav1.CreateOptions{FieldManager: "somebody"})
	if err != nil {
		t.Fatalf("%s in %s: %v", kind, namespace, err)
	}
}

// Has fails the test unless the object has the value at the path.
func (w *World) Has(t *testing.T, kind, namespace, name, want string, path ...string) {
	t.Helper()
	u, err := w.Resource(kind, namespace).Get(t.Context(), name, noOptions)
	if err != nil {
		t.Errorf("what a user made: %s %s/%s: %v", kind, namespace, name, err)
		return
	}
	if got, _, _ := unstructured.NestedFieldNoCopy(u.Object, path...); fmt.Sprint(got) != want {
		t.Errorf("%s %s/%s: what a user set at %s is %v, want %s", kind, namespace, name, strings.Join(path, "."), got, want)
	}
}

// noOptions are for reads that need none.
var noOptions = metav1.GetOptions{}

// Kinds, for Resource.
const (
	HostedClusters = "hostedclusters.v1beta1.hypershift.openshift.io"
	NodePools      = "nodepools.v1beta1.hypershift.openshift.io"
	Routers        = "ingresscontrollers.v1.operator.openshift.io"
	Subscriptions  = "subscriptions.v1alpha1.operators.coreos.com"
	Namespaces     = "namespaces.v1."
	AddressPools   = "ipaddresspools.v1beta1.metallb.io"
)
