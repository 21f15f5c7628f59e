// Package programs runs the vendor's own HyperShift instead of the simulated one: hypershift-operator, and for each
// hosted cluster control-plane-operator, Cluster API and its KubeVirt provider. `make sandbox-real` builds them
// (github.com/openshift/hypershift v0.1.70).
//
// Real: what these four programs write and say, and the operator's admission webhooks. Simulated: everything that runs
// in the other pods of a control plane (the cluster version operator, the config operator, the ignition server, the Job
// that renders the feature gates), and the machines' first boot.
package programs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/real/registry"
)

// Names of the programs beside the sandbox's binary.
const (
	hypershiftOperator   = "hypershift-operator"
	controlPlaneOperator = "control-plane-operator"
	clusterAPI           = "cluster-api"
	kubevirtProvider     = "cluster-api-provider-kubevirt"
	webhooks             = "hypershift-webhooks"
	crdDirectory         = "hypershift-crds"
)

// operatorImage stands for the operator's own image. Control planes only use what their release's image cannot do.
const operatorImage = "registry.redhat.io/multicluster-engine/hypershift-rhel9-operator:v2.10"

// Check reports whether the programs were built.
func Check() error {
	directory, err := libexec()
	if err != nil {
		return err
	}
	for _, name := range []string{hypershiftOperator, controlPlaneOperator, clusterAPI, kubevirtProvider, webhooks,
		crdDirectory} {
		if _, err := os.Stat(filepath.Join(directory, name)); err != nil {
			return fmt.Errorf("%s is missing in %s: run `make sandbox-real`, which builds it", name, directory)
		}
	}
	return nil
}

// libexec is the directory of the sandbox's programs.
func libexec() (string, error) {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return "", fmt.Errorf("find the sandbox's own binary: %w", err)
	}
	return filepath.Join(filepath.Dir(self), "sandbox-libexec"), nil
}

// Operator is the vendor's HyperShift operator. It runs while Deployment hypershift/operator is Available. While
// outage is true, its programs do not reach any registry.
func Operator(outage *atomic.Bool) operator.Operator {
	w := &world{outage: outage, guests: map[string]*guestServer{}}
	return operator.Operator{
		Name:       hypershiftOperator,
		Deployment: types.NamespacedName{Namespace: metadata.OperatorNamespace, Name: "operator"},
		Setup:      w.setup,
	}
}

// world is what the programs need, and what outlives a restart of the operator.
type world struct {
	once     sync.Once
	onceErr  error
	registry *registry.Server
	proxy    *registry.Proxy
	outage   *atomic.Bool

	mu sync.Mutex
	// guests are the API servers of hosted clusters, by control plane namespace.
	guests map[string]*guestServer
}

// open starts the registry and the proxy once. They live as long as the sandbox's process.
func (w *world) open(ctx context.Context) error {
	w.once.Do(func() {
		life := context.WithoutCancel(ctx)
		if w.registry, w.onceErr = registry.Start(life, w.outage); w.onceErr == nil {
			w.proxy, w.onceErr = registry.StartProxy(life, w.resolve)
		}
	})
	return w.onceErr
}

func (w *world) setup(ctx context.Context, mgr ctrl.Manager, env operator.Env) error {
	if err := w.open(ctx); err != nil {
		return err
	}
	directory, err := libexec()
	if err != nil {
		return err
	}
	if err := surround(ctx, env, filepath.Join(directory, crdDirectory)); err != nil {
		return err
	}
	files, err := w.writeFiles(env)
	if err != nil {
		return err
	}
	b := &base{Env: env, world: w, files: files, cached: mgr.GetClient(), life: ctx}
	if err := b.setupPrograms(mgr); err != nil {
		return err
	}
	if err := b.setupControlPlanes(mgr); err != nil {
		return err
	}
	for _, run := range []manager.RunnableFunc{b.runOperator, b.runWebhooks} {
		if err := mgr.Add(run); err != nil {
			return err
		}
	}
	return nil
}

// base is what the controllers of one run share.
type base struct {
	operator.Env
	*world
	files  files
	cached clientReader
	// life ends with this run of the operator.
	life context.Context //nolint:containedctx // children of one run end with it
}

// runOperator runs hypershift-operator until ctx ends. Its early end is an error, so that it restarts.
func (b *base) runOperator(ctx context.Context) error {
	if err := b.releaseLease(ctx, metadata.OperatorNamespace, "hypershift-operator-leader-elect"); err != nil {
		return err
	}
	d := &appsv1.Deployment{}
	if err := b.Live.Get(ctx, client.ObjectKey{Namespace: metadata.OperatorNamespace, Name: "operator"}, d); err != nil {
		return fmt.Errorf("read the operator's Deployment: %w", err)
	}
	pod, err := b.podOf(ctx, d)
	if err != nil {
		return err
	}
	done, err := b.Processes.Start(ctx, hypershiftOperator, hypershiftOperator, []string{
		"run", "--namespace", metadata.OperatorNamespace, "--pod-name", pod, "--metrics-addr", "0",
		"--control-plane-operator-image", operatorImage, "--private-platform", "None",
		"--enable-dedicated-request-serving-isolation=false", b.validating(),
	}, slices.Concat(b.env(hypershiftOperator), []string{
		"MY_NAME=operator", "MY_NAMESPACE=" + metadata.OperatorNamespace, "PLATFORMS_INSTALLED=KubeVirt",
		"IMAGE_KUBEVIRT_CAPI_PROVIDER=registry.redhat.io/multicluster-engine/cluster-api-provider-kubevirt-rhel9:v2.10",
		"IMAGE_CLUSTER_API=registry.redhat.io/multicluster-engine/cluster-api-rhel9:v2.10",
	}))
	if err != nil {
		return err
	}
	return ended(ctx, hypershiftOperator, done)
}

// runWebhooks registers and serves the operator's webhooks until ctx ends.
func (b *base) runWebhooks(ctx context.Context) error {
	if !b.Profile.MCE().DefaultingWebhook {
		return nil
	}
	port, err := freePort(ctx)
	if err != nil {
		return err
	}
	done, err := b.Processes.Start(ctx, webhooks, webhooks, []string{"--port", strconv.Itoa(port), "--cert-dir",
		b.files.webhooks, b.validating()}, b.env(webhooks))
	if err != nil {
		return err
	}
	return ended(ctx, webhooks, done)
}

// validating is the flag for the validating webhooks. Without it the operator deletes their configuration.
func (b *base) validating() string {
	return fmt.Sprintf("--enable-validating-webhook=%v", b.Profile.MCE().ValidatingWebhook)
}

// ended waits for the end of a program. One that ends before ctx does is an error.
func ended(ctx context.Context, name string, done <-chan struct{}) error {
	<-done
	if ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("%s ended by itself", name)
}

// env is the environment of every program: who it talks to, whom it trusts, and the names it can reach. The machine's
// own proxy must not come before the sandbox's, nor into the objects that the operators write.
func (b *base) env(user string) []string {
	return []string{"KUBECONFIG=" + b.files.kubeconfig, "SSL_CERT_FILE=" + b.files.trust, "HTTP_PROXY=", "HTTPS_PROXY=",
		"NO_PROXY=", "no_proxy=", b.proxy.Env(user)}
}
