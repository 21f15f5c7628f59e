// Package network simulates one controller of the cluster network operator: the one that fills labelled ConfigMaps with
// the certificates that the cluster trusts (pkg/controller/configmap_ca_injector).
package network

import (
	"context"
	"fmt"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	injectLabel = "config.openshift.io/inject-trusted-cabundle"
	bundleKey   = "ca-bundle.crt"
	// systemCertificates stands for those of the operating system, of which the sandbox has none.
	systemCertificates = "# the certificates of the operating system\n"
)

// Operator is the controller. It has no Deployment that somebody could take away.
func Operator() operator.Operator {
	return operator.Operator{
		Name: "network-operator",
		Setup: func(_ context.Context, mgr ctrl.Manager, env operator.Env) error {
			n := &network{framework.NewRun(mgr, env)}
			labelled := predicate.NewPredicateFuncs(
				func(o client.Object) bool { return o.GetLabels()[injectLabel] == "true" })
			// Hosted clusters have thousands of ConfigMaps, so only their metadata is watched.
			return n.NewController("trusted-ca", &corev1.ConfigMap{}, builder.OnlyMetadata, builder.WithPredicates(labelled)).
				Complete(reconcile.Func(n.inject))
		},
	}
}

type network struct{ *framework.Run }

// inject fills a ConfigMap. The real controller does it anew whenever the certificates change, which nothing here
// needs.
func (n *network) inject(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	target := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, Name: req.Name}}
	found, err := framework.Exists(ctx, n.Live, target)
	if err != nil || !found || target.DeletionTimestamp != nil {
		return reconcile.Result{}, err
	}
	proxy := &configv1.Proxy{ObjectMeta: metav1.ObjectMeta{Name: "cluster"}}
	if _, err := framework.Exists(ctx, n.Live, proxy); err != nil {
		return reconcile.Result{}, fmt.Errorf("reading the proxy: %w", err)
	}
	bundle := systemCertificates
	if name := proxy.Spec.TrustedCA.Name; name != "" {
		own := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "openshift-config", Name: name}}
		if _, err := framework.Exists(ctx, n.Live, own); err != nil {
			return reconcile.Result{}, fmt.Errorf("reading the certificates of the proxy: %w", err)
		}
		bundle += own.Data[bundleKey]
	}
	return reconcile.Result{}, framework.Change(ctx, n.Live, target, func(c *corev1.ConfigMap) {
		c.Data = map[string]string{bundleKey: bundle}
	})
}
