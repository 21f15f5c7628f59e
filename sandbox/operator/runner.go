package operator

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// restartDelay is the delay before a failed operator restarts, like the first restart of a crashed container.
const restartDelay = time.Second

// NewManager makes a manager for one operator, with its own cache, and without metrics or leader election.
func NewManager(env Env, name string, options cache.Options) (ctrl.Manager, error) {
	return newManager(env, name, options, nil)
}

// newManager is NewManager with a function that makes the manager's client; nil is controller-runtime's own.
func newManager(env Env, name string, options cache.Options, newClient client.NewClientFunc) (ctrl.Manager, error) {
	// No operator reads managed fields, and they are half of a cache.
	options.DefaultTransform = cache.TransformStripManagedFields()
	if env.Finished {
		moving, err := labels.Parse("!" + FinishedLabel)
		if err != nil {
			return nil, fmt.Errorf("leave finished objects out: %w", err)
		}
		options.DefaultLabelSelector = moving
	}
	mgr, err := ctrl.NewManager(env.Config, ctrl.Options{
		Scheme: env.Scheme, Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		Logger: ctrl.Log.WithValues("operator", name), Cache: options, GracefulShutdownTimeout: ptr.To(time.Second),
		NewClient: newClient,
		// An operator starts many times in one process.
		Controller: config.Controller{SkipNameValidation: ptr.To(true)},
	})
	if err != nil {
		return nil, fmt.Errorf("make manager of %s: %w", name, err)
	}
	return mgr, nil
}

// Run runs each operator while its Deployment is Available, until ctx ends, and then waits for all of them. It fails
// only if it cannot watch Deployments.
func Run(ctx context.Context, env Env, operators []Operator, log *slog.Logger) error {
	r := &runner{env: env, log: log, operators: map[types.NamespacedName][]Operator{}, alive: map[string]*instance{}}
	mgr, err := NewManager(env, "operators", cache.Options{})
	if err != nil {
		return err
	}
	defer r.endAll()
	r.client, r.ctx = mgr.GetClient(), ctx
	for _, op := range operators {
		if op.Deployment == (types.NamespacedName{}) {
			r.start(op)
			continue
		}
		r.operators[op.Deployment] = append(r.operators[op.Deployment], op)
	}
	ours := predicate.NewPredicateFuncs(func(o client.Object) bool {
		_, ok := r.operators[client.ObjectKeyFromObject(o)]
		return ok
	})
	err = ctrl.NewControllerManagedBy(mgr).Named("operators").For(&appsv1.Deployment{}, builder.WithPredicates(ours)).
		Complete(r)
	if err != nil {
		return fmt.Errorf("watch Deployments: %w", err)
	}
	return mgr.Start(ctx)
}

type runner struct {
	ctx       context.Context //nolint:containedctx // the context of all operators
	env       Env
	log       *slog.Logger
	client    client.Client
	operators map[types.NamespacedName][]Operator

	mu    sync.Mutex
	alive map[string]*instance
}

// instance is a running operator.
type instance struct {
	end  context.CancelFunc
	gone chan struct{}
}

// Reconcile starts the operators of a Deployment, or stops them.
func (r *runner) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	d := &appsv1.Deployment{}
	if err := r.client.Get(ctx, req.NamespacedName, d); client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, err
	}
	for _, op := range r.operators[req.NamespacedName] {
		if Available(d) {
			r.start(op)
		} else {
			r.stop(op.Name)
		}
	}
	return reconcile.Result{}, nil
}

// Available reports whether a Deployment has its condition Available, wants pods, and is not being deleted.
func Available(d *appsv1.Deployment) bool {
	if d.DeletionTimestamp != nil || d.Spec.Replicas != nil && *d.Spec.Replicas == 0 {
		return false
	}
	for _, c := range d.Status.Conditions {
		if c.Type == appsv1.DeploymentAvailable {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

func (r *runner) start(op Operator) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.alive[op.Name] != nil {
		return
	}
	ctx, cancel := context.WithCancel(r.ctx)
	l := &instance{end: cancel, gone: make(chan struct{})}
	r.alive[op.Name] = l
	r.log.Info("operator starts", "operator", op.Name)
	go func() {
		defer close(l.gone)
		r.runWithRestarts(ctx, op)
	}()
}

func (r *runner) stop(name string) {
	r.mu.Lock()
	l := r.alive[name]
	delete(r.alive, name)
	r.mu.Unlock()
	if l == nil {
		return
	}
	r.log.Info("operator stops", "operator", name)
	l.end()
	<-l.gone
}

func (r *runner) endAll() {
	r.mu.Lock()
	lives := r.alive
	r.alive = map[string]*instance{}
	r.mu.Unlock()
	for _, l := range lives {
		l.end()
	}
	for _, l := range lives {
		<-l.gone
	}
}

// runWithRestarts runs the operator until ctx ends, and restarts it after a failure.
func (r *runner) runWithRestarts(ctx context.Context, op Operator) {
	for ctx.Err() == nil {
		if err := r.runOnce(ctx, op); err != nil && ctx.Err() == nil {
			r.log.Error("operator failed, restarting", "operator", op.Name, "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(restartDelay):
		}
	}
}

// runOnce runs the operator until ctx ends or it fails. Everything that Setup started ends with it.
func (r *runner) runOnce(ctx context.Context, op Operator) error {
	ctx, cancel := context.WithCancel(logr.NewContext(ctx, ctrl.Log.WithValues("operator", op.Name)))
	defer cancel()
	env := r.env
	options, newClient := cache.Options{}, client.NewClientFunc(nil)
	// A cache without the finished objects cannot answer for the API server.
	if !env.Finished {
		options.ReaderFailOnMissingInformer = true
		newClient = func(_ *rest.Config, options client.Options) (client.Client, error) {
			return newCachedClient(env.Live, options.Cache.Reader), nil
		}
	}
	mgr, err := newManager(env, op.Name, options, newClient)
	if err != nil {
		return err
	}
	if !env.Finished {
		env.Client = mgr.GetClient()
	}
	if err := op.Setup(ctx, mgr, env); err != nil {
		return fmt.Errorf("set up: %w", err)
	}
	return mgr.Start(ctx)
}
