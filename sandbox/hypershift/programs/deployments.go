package programs

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/workload"
)

// clientReader reads watched kinds from the manager's cache.
type clientReader = client.Reader

// program is one that runs for a Deployment of a control plane.
type program struct {
	name string
	// lease is its leader's, which a killed program leaves behind; "" if it takes none.
	lease string
	// flags replace those that only work in a pod. More than one control plane shares this machine's ports.
	flags func(f files, port int) []string
}

// podPrograms are the programs by the name of their Deployment.
var podPrograms = map[string]program{
	"control-plane-operator": {name: controlPlaneOperator, lease: "control-plane-operator-leader-elect",
		flags: func(files, int) []string { return []string{"--metrics-addr=0", "--health-probe-addr=0"} }},
	"cluster-api": {name: clusterAPI,
		flags: func(f files, port int) []string {
			return append(webhookFlags(f, port), "--diagnostics-address=127.0.0.1:0", "--insecure-diagnostics",
				"--skip-crd-migration-phases=StorageVersionMigration,CleanupManagedFields")
		}},
	"capi-provider": {name: kubevirtProvider,
		flags: func(f files, port int) []string { return append(webhookFlags(f, port), "--metrics-bind-addr=0") }},
}

// webhookFlags give Cluster API's webhook servers, which nothing calls here, a port and a certificate. Outside of a pod
// it cannot tell the namespace of a leader's lease.
func webhookFlags(f files, port int) []string {
	return []string{"--leader-elect=false", "--health-addr=0", fmt.Sprintf("--webhook-port=%d", port),
		"--webhook-cert-dir=" + f.webhooks}
}

// setupPrograms runs the programs of control planes: each while its Deployment is Available, with the arguments and the
// environment of its container.
func (b *base) setupPrograms(mgr ctrl.Manager) error {
	p := &programs{base: b, running: map[types.NamespacedName]*running{}}
	err := ctrl.NewControllerManagedBy(mgr).Named("programs").
		For(&appsv1.Deployment{}, builder.WithPredicates(predicate.NewPredicateFuncs(func(o client.Object) bool {
			_, ok := podPrograms[o.GetName()]
			return ok
		}))).
		WithOptions(controller.Options{SkipNameValidation: ptr.To(true), MaxConcurrentReconciles: 4}).
		Complete(p)
	if err != nil {
		return fmt.Errorf("run the programs of control planes: %w", err)
	}
	return nil
}

type programs struct {
	*base
	mu      sync.Mutex
	running map[types.NamespacedName]*running
}

// running is a started program.
type running struct {
	// spec is the part of the Deployment that it was started with.
	spec string
	stop context.CancelFunc
	done <-chan struct{}
}

func (r *running) end() {
	r.stop()
	<-r.done
}

func (r *running) ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// Reconcile starts, restarts or ends the program of a Deployment.
func (p *programs) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	d := &appsv1.Deployment{}
	err := p.cached.Get(ctx, req.NamespacedName, d)
	if client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, err
	}
	p.mu.Lock()
	old := p.running[req.NamespacedName]
	p.mu.Unlock()
	if apierrors.IsNotFound(err) || !d.DeletionTimestamp.IsZero() || ptr.Deref(d.Spec.Replicas, 1) == 0 {
		p.replace(req.NamespacedName, old, nil)
		return reconcile.Result{}, nil
	}
	if !workload.DeploymentAvailable(d) || d.Status.ObservedGeneration < d.Generation {
		return reconcile.Result{}, nil
	}
	spec, err := json.Marshal(d.Spec.Template.Spec.Containers)
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("read the containers of Deployment %s: %w", req, err)
	}
	if old != nil && old.spec == string(spec) && !old.ended() {
		return reconcile.Result{}, nil
	}
	if old != nil {
		old.end()
	}
	fresh, err := p.start(ctx, d, string(spec))
	if err != nil {
		return reconcile.Result{}, err
	}
	p.replace(req.NamespacedName, nil, fresh)
	return reconcile.Result{RequeueAfter: p.Pace.Scale(restartCheck)}, nil
}

// replace ends the old program and remembers the new one.
func (p *programs) replace(key types.NamespacedName, old, fresh *running) {
	if old != nil {
		old.end()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if fresh == nil {
		delete(p.running, key)
		return
	}
	p.running[key] = fresh
}

// start starts the program of a Deployment.
func (p *programs) start(ctx context.Context, d *appsv1.Deployment, spec string) (*running, error) {
	program := podPrograms[d.Name]
	if err := p.releaseLease(ctx, d.Namespace, program.lease); err != nil {
		return nil, err
	}
	pod, err := p.podOf(ctx, d)
	if err != nil {
		return nil, err
	}
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	container := mainContainer(d.Spec.Template.Spec.Containers, d.Name)
	env := environment(container.Env, d.Namespace, pod)
	var list []string
	for _, name := range sortedNames(env) {
		list = append(list, name+"="+env[name])
	}
	runCtx, stop := context.WithCancel(p.life)
	done, err := p.Processes.Start(runCtx, d.Name+"-"+d.Namespace, program.name,
		append(arguments(container.Args, env), program.flags(p.files, port)...), slices.Concat(list, p.env(d.Namespace)))
	if err != nil {
		stop()
		return nil, err
	}
	return &running{spec: spec, stop: stop, done: done}, nil
}

// releaseLease deletes the lease of a program that ended, which would delay the next one for a minute.
func (b *base) releaseLease(ctx context.Context, namespace, name string) error {
	if name == "" {
		return nil
	}
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	if err := b.Live.Delete(ctx, lease); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete Lease %s/%s: %w", namespace, name, err)
	}
	return nil
}

// podOf returns the name of the newest pod of a Deployment.
func (b *base) podOf(ctx context.Context, d *appsv1.Deployment) (string, error) {
	pods := &corev1.PodList{}
	if err := b.Live.List(ctx, pods, client.InNamespace(d.Namespace),
		client.MatchingLabels(d.Spec.Selector.MatchLabels)); err != nil {
		return "", fmt.Errorf("list the pods of Deployment %s/%s: %w", d.Namespace, d.Name, err)
	}
	if len(pods.Items) == 0 {
		return "", fmt.Errorf("deployment %s/%s has no pod", d.Namespace, d.Name)
	}
	newest := slices.MaxFunc(pods.Items, func(a, b corev1.Pod) int {
		return a.CreationTimestamp.Compare(b.CreationTimestamp.Time)
	})
	return newest.Name, nil
}

// mainContainer returns the container with the Deployment's name, or the first.
func mainContainer(list []corev1.Container, name string) corev1.Container {
	for _, c := range list {
		if c.Name == name {
			return c
		}
	}
	return list[0]
}

// environment returns a container's variables, with those that Kubernetes fills in.
func environment(vars []corev1.EnvVar, namespace, pod string) map[string]string {
	out := map[string]string{}
	for _, v := range vars {
		value := v.Value
		if v.ValueFrom != nil && v.ValueFrom.FieldRef != nil {
			switch v.ValueFrom.FieldRef.FieldPath {
			case "metadata.namespace":
				value = namespace
			case "metadata.name":
				value = pod
			}
		}
		out[v.Name] = value
	}
	return out
}

// arguments returns a container's arguments with its variables filled in, as Kubernetes does.
func arguments(args []string, env map[string]string) []string {
	var pairs []string
	for _, name := range sortedNames(env) {
		pairs = append(pairs, "$("+name+")", env[name])
	}
	replacer := strings.NewReplacer(pairs...)
	out := make([]string, 0, len(args))
	for _, a := range args {
		out = append(out, replacer.Replace(a))
	}
	return out
}
