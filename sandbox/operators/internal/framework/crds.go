package framework

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/crds"
)

// WhenServed calls start once in this run, as soon as the API server has all kinds. It is for controllers of kinds
// whose CRDs come after the operator, because controller-runtime retries a failed watch only every 10 s.
func (l *Run) WhenServed(name string, start func() error, kinds ...schema.GroupVersionKind) error {
	started := false
	return l.NewController(name, &apiextensionsv1.CustomResourceDefinition{}, builder.WithPredicates(OfKinds(kinds))).
		Complete(reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
			if started {
				return reconcile.Result{}, nil
			}
			all := &apiextensionsv1.CustomResourceDefinitionList{}
			if err := l.Manager.GetClient().List(ctx, all); err != nil {
				return reconcile.Result{}, fmt.Errorf("listing CRDs: %w", err)
			}
			for _, k := range kinds {
				if !slices.ContainsFunc(all.Items, func(crd apiextensionsv1.CustomResourceDefinition) bool {
					return defines(&crd, k) && established(&crd)
				}) {
					return reconcile.Result{}, nil
				}
				_, err := l.Manager.GetRESTMapper().RESTMapping(k.GroupKind(), k.Version)
				if meta.IsNoMatchError(err) {
					// Discovery shows a new CRD within a second, without an event.
					return RequeueAfter(200 * time.Millisecond), nil
				}
				if err != nil {
					return reconcile.Result{}, fmt.Errorf("looking for %s: %w", k, err)
				}
			}
			if err := start(); err != nil {
				return reconcile.Result{}, fmt.Errorf("starting %s: %w", name, err)
			}
			started = true
			return ctrl.Result{}, nil
		}))
}

// OfKinds accepts only events of the CRDs of these kinds.
func OfKinds(kinds []schema.GroupVersionKind) predicate.Predicate {
	return predicate.NewPredicateFuncs(func(o client.Object) bool {
		crd, ok := o.(*apiextensionsv1.CustomResourceDefinition)
		return ok && slices.ContainsFunc(kinds, func(k schema.GroupVersionKind) bool { return defines(crd, k) })
	})
}

func defines(crd *apiextensionsv1.CustomResourceDefinition, kind schema.GroupVersionKind) bool {
	return kind.Group == crd.Spec.Group && kind.Kind == crd.Spec.Names.Kind
}

func established(crd *apiextensionsv1.CustomResourceDefinition) bool {
	return slices.ContainsFunc(crd.Status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
		return c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue
	})
}

// Served reports whether the API server serves the CRD with this name.
func (l *Run) Served(ctx context.Context, name string) (bool, error) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	crd.Name = name
	ok, err := Exists(ctx, l.Client, crd)
	if !ok || err != nil {
		return false, err
	}
	return established(crd), nil
}

// Install installs sets of CRDs as a release has them, once in this run, as an operand with its own CRDs does.
func (l *Run) Install(ctx context.Context, release string, sets ...string) error {
	sets = slices.DeleteFunc(sets, func(s string) bool { return l.has(s) })
	if len(sets) == 0 {
		return nil
	}
	there := true
	for _, s := range sets {
		ok, err := crds.Installed(ctx, l.Client, release, s)
		if err != nil {
			return err
		}
		there = there && ok
	}
	if !there {
		if err := l.create(ctx, release, sets); err != nil {
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range sets {
		l.installed[s] = true
	}
	return nil
}

// create creates the missing CRDs of the sets and waits until they are established.
func (l *Run) create(ctx context.Context, release string, sets []string) error {
	c, err := client.NewWithWatch(l.Config, client.Options{Scheme: l.Scheme, Mapper: l.Client.RESTMapper()})
	if err != nil {
		return fmt.Errorf("a client to install CRDs: %w", err)
	}
	return crds.Install(ctx, c, release, sets...)
}

func (l *Run) has(set string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.installed[set]
}

// HasNamespace reports whether a namespace exists.
func (l *Run) HasNamespace(ctx context.Context, name string) (bool, error) {
	return Exists(ctx, l.Client, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
}
