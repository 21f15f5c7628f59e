package main

import (
	"github.com/go-logr/logr"
	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	"github.com/operator-framework/operator-lifecycle-manager/pkg/controller/install"
	"github.com/operator-framework/operator-lifecycle-manager/pkg/controller/operators"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/client-go/rest"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// newManager makes a manager with the controller-runtime controllers of OLM's own operator binary.
func newManager(config *rest.Config) (ctrl.Manager, error) {
	scheme := runtime.NewScheme()
	if err := metav1.AddMetaToScheme(scheme); err != nil {
		return nil, err
	}
	if err := operators.AddToScheme(scheme); err != nil {
		return nil, err
	}
	cached, err := cachedObjects()
	if err != nil {
		return nil, err
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}, Cache: cache.Options{ByObject: cached},
	})
	if err != nil {
		return nil, err
	}
	type controller interface{ SetupWithManager(ctrl.Manager) error }
	for name, build := range map[string]func(log logr.Logger) (controller, error){
		"operatorcondition": func(log logr.Logger) (controller, error) {
			return operators.NewOperatorConditionReconciler(mgr.GetClient(), log, scheme)
		},
		"operatorcondition-generator": func(log logr.Logger) (controller, error) {
			return operators.NewOperatorConditionGeneratorReconciler(mgr.GetClient(), log, scheme)
		},
		"operator": func(log logr.Logger) (controller, error) {
			return operators.NewOperatorReconciler(mgr.GetClient(), log, scheme)
		},
		"adoption": func(log logr.Logger) (controller, error) {
			return operators.NewAdoptionReconciler(mgr.GetClient(), log, scheme)
		},
	} {
		c, err := build(ctrl.Log.WithName("controllers").WithName(name))
		if err != nil {
			return nil, err
		}
		if err := c.SetupWithManager(mgr); err != nil {
			return nil, err
		}
	}
	return mgr, nil
}

// cachedObjects limits the caches like OLM's binary: objects that OLM manages, and no copied ClusterServiceVersions.
func cachedObjects() (map[client.Object]cache.ByObject, error) {
	notCopied, err := labels.NewRequirement(operatorsv1alpha1.CopiedLabelKey, selection.DoesNotExist, nil)
	if err != nil {
		return nil, err
	}
	managed := cache.ByObject{
		Label: labels.SelectorFromSet(labels.Set{install.OLMManagedLabelKey: install.OLMManagedLabelValue}),
	}
	out := map[client.Object]cache.ByObject{
		&operatorsv1alpha1.ClusterServiceVersion{}: {Label: labels.NewSelector().Add(*notCopied)},
	}
	for _, o := range []client.Object{
		&appsv1.Deployment{}, &corev1.Service{}, &corev1.ConfigMap{}, &corev1.ServiceAccount{},
		&rbacv1.Role{}, &rbacv1.RoleBinding{}, &rbacv1.ClusterRole{}, &rbacv1.ClusterRoleBinding{},
		&apiextensionsv1.CustomResourceDefinition{}, &apiregistrationv1.APIService{},
		&admissionregistrationv1.MutatingWebhookConfiguration{}, &admissionregistrationv1.ValidatingWebhookConfiguration{},
	} {
		out[o] = managed
	}
	return out, nil
}
