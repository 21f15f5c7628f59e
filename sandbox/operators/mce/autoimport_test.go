package mce

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	addonv1 "open-cluster-management.io/api/addon/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

// Nothing is imported if that is disabled, or if the addon does not run.
func TestWhereClustersAreImported(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := addonv1.Install(scheme); err != nil {
		t.Fatal(err)
	}
	addon := &addonv1.ManagedClusterAddOn{ObjectMeta: metav1.ObjectMeta{Namespace: "hub", Name: hypershiftAddon}}
	config := func(value string) *addonv1.AddOnDeploymentConfig {
		return &addonv1.AddOnDeploymentConfig{
			ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: addonConfig},
			Spec: addonv1.AddOnDeploymentConfigSpec{CustomizedVariables: []addonv1.CustomizedVariable{
				{Name: "autoImportDisabled", Value: value}}},
		}
	}
	for name, tc := range map[string]struct {
		objects []runtime.Object
		want    string
	}{
		"by default":   {[]runtime.Object{addon}, "hub"},
		"switched on":  {[]runtime.Object{addon, config("false")}, "hub"},
		"switched off": {[]runtime.Object{addon, config("true")}, ""},
		"no addon":     {[]runtime.Object{config("false")}, ""},
	} {
		c := fake.NewClientBuilder().WithScheme(scheme).WithRuntimeObjects(tc.objects...).Build()
		i := &autoImport{engine: &engine{Run: &framework.Run{Env: operator.Env{Client: c}}}}
		if got, err := i.hosting(context.Background()); err != nil || got != tc.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, tc.want)
		}
	}
}
