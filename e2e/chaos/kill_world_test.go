// Package chaos does to hcctl, and to what it talks to, what happens to programs: it is killed, interrupted, run twice, left without a
// disk or somebody who reads. See docs/reliability.md. HCCTL_CHAOS=full runs the whole lists, HCCTL_CHAOS_SEED repeats a course of chance.
package chaos

import (
	"context"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
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

// wholeLists tells whether the lists are to be run to their ends.
func wholeLists() bool { return os.Getenv("HCCTL_CHAOS") == "full" }

// chance is a course of chance that can be repeated: its seed is told.
func chance(t *testing.T) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if given := os.Getenv("HCCTL_CHAOS_SEED"); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatalf("HCCTL_CHAOS_SEED: %v", err)
		}
	}
	t.Logf("HCCTL_CHAOS_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}

// world is a management cluster with a proxy before it and hcctl beside it.
type world struct {
	sandbox *sandbox.Process
	proxy   *faultproxy.Proxy
	// hcctl goes through the proxy, direct does not.
	hcctl, direct *program.Program
	config        *rest.Config
	objects       dynamic.Interface
	// addresses is what MetalLB gives out.
	addresses string
	// pullSecret is a file with the mark in it, which no output may have.
	pullSecret, mark string
}

// worlds counts those that were begun: hosted API servers listen on addresses of their own, all on this machine.
var worlds atomic.Int32

func newWorld(t *testing.T, flags ...string) *world {
	t.Helper()
	binary, err := sandbox.Find()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), sandbox.StartTime)
	defer cancel()
	w := &world{addresses: fmt.Sprintf("127.77.%[1]d.32-127.77.%[1]d.122", worlds.Add(1))}
	flags = append([]string{"--audit", "--speed", "50", "--gc-percent", "200"}, flags...)
	if w.sandbox, err = sandbox.Launch(ctx, binary, filepath.Join(t.TempDir(), "sandbox"), flags...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.sandbox.Stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the sandbox wrote:\n%s", w.sandbox.Log())
		}
	})
	if w.proxy, err = faultproxy.Start(t.Context(), w.sandbox.Kubeconfig, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if w.config, err = clientcmd.BuildConfigFromFlags("", w.sandbox.Kubeconfig); err != nil {
		t.Fatal(err)
	}
	w.config.QPS, w.config.UserAgent, w.config.WarningHandler = -1, "hcctl-chaos", rest.NoWarnings{}
	if w.objects, err = dynamic.NewForConfig(w.config); err != nil {
		t.Fatal(err)
	}
	w.hcctl, w.direct = program.New(t, w.proxy.Kubeconfig), program.New(t, w.sandbox.Kubeconfig)
	w.mark = "MARK" + strconv.FormatUint(rand.Uint64(), 36)
	auth := base64.StdEncoding.EncodeToString([]byte("robot:" + w.mark))
	w.pullSecret = filepath.Join(t.TempDir(), "pull-secret.json")
	if err := os.WriteFile(w.pullSecret, fmt.Appendf(nil, `{"auths":{"quay.io":{"auth":%[1]q},"registry.redhat.io":{"auth":%[1]q}}}`, auth), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, p := range []*program.Program{w.hcctl, w.direct} {
			for what, secret := range map[string]string{"pull secret's password": w.mark, "pull secret's auth": auth, "proxy's token": w.proxy.Token} {
				if strings.Contains(p.Told(), secret) {
					t.Errorf("the %s stands in what hcctl wrote", what)
				}
			}
		}
	})
	return w
}

// written is what hcctl has written on the cluster.
func (w *world) written(t *testing.T) map[string]string {
	t.Helper()
	all, err := state.Written(t.Context(), w.config)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// same fails the test where the cluster does not hold what it did.
func (w *world) same(t *testing.T, want map[string]string, when string) {
	t.Helper()
	compare(t, want, w.written(t), when)
}

// compare fails the test where the two are not the same.
func compare(t *testing.T, want, got map[string]string, when string) {
	t.Helper()
	if diff := state.Difference(want, got); len(diff) > 0 {
		t.Errorf("%s, what hcctl has written is not what an undisturbed run writes:\n%s", when, strings.Join(diff, "\n"))
	}
}

// resource is a kind written as "nodepools.v1beta1.hypershift.openshift.io", in a namespace or ("") in none.
func (w *world) resource(kind, namespace string) dynamic.ResourceInterface {
	gvr, _ := schema.ParseResourceArg(kind)
	if namespace == "" {
		return w.objects.Resource(*gvr)
	}
	return w.objects.Resource(*gvr).Namespace(namespace)
}

// merge changes an object as a user would by hand.
func (w *world) merge(t *testing.T, kind, namespace, name, patch string) {
	t.Helper()
	_, err := w.resource(kind, namespace).Patch(t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{FieldManager: "somebody"})
	if err != nil {
		t.Fatalf("%s %s/%s: %v", kind, namespace, name, err)
	}
}

// make makes an object as a user would.
func (w *world) make(t *testing.T, kind, namespace string, object map[string]any) {
	t.Helper()
	_, err := w.resource(kind, namespace).Create(t.Context(), &unstructured.Unstructured{Object: object}, metav1.CreateOptions{FieldManager: "somebody"})
	if err != nil {
		t.Fatalf("%s in %s: %v", kind, namespace, err)
	}
}

// has fails the test unless the object has the value at the path.
func (w *world) has(t *testing.T, kind, namespace, name, want string, path ...string) {
	t.Helper()
	u, err := w.resource(kind, namespace).Get(t.Context(), name, noOptions)
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

const (
	hostedClusters = "hostedclusters.v1beta1.hypershift.openshift.io"
	nodePools      = "nodepools.v1beta1.hypershift.openshift.io"
	routers        = "ingresscontrollers.v1.operator.openshift.io"
	subscriptions  = "subscriptions.v1alpha1.operators.coreos.com"
	namespaces     = "namespaces.v1."
	addressPools   = "ipaddresspools.v1beta1.metallb.io"
)
