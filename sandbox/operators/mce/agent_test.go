package mce

import (
	"context"
	"testing"

	hypershiftv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
	"github.com/hcctl/hcctl/sandbox/profile"
)

// The addon's agent deletes the ManagedCluster of a hosted cluster that goes.
func TestManagedClusterGoesWithItsHostedCluster(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clusterv1.Install, hypershiftv1.AddToScheme, appsv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	now := metav1.Now()
	hosted := map[string]string{deployModeAnnotation: "Hosted"}
	for name, tc := range map[string]struct {
		version     string
		cluster     *hypershiftv1.HostedCluster
		managed     string
		annotations map[string]string
		noAgent     bool
		goes        bool
	}{
		"lives": {"2.10.1", &hypershiftv1.HostedCluster{}, "kv", hosted, false, false},
		"goes": {"2.10.1", &hypershiftv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &now}},
			"kv", hosted, false, true},
		"is gone":           {"2.10.1", nil, "kv", hosted, false, true},
		"without the agent": {"2.10.1", nil, "kv", hosted, true, false},
		"of another name": {"2.10.1", &hypershiftv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &now,
			Annotations: map[string]string{managedNameAnnotation: "other"}}}, "other", hosted, false, true},
		"no hosted one": {"2.10.1", nil, "kv", nil, false, false},
		"hive's": {"2.10.1", nil, "kv",
			map[string]string{deployModeAnnotation: "Hosted", createdViaAnnotation: "hive"}, false, false},
		"no hosted one before 2.5": {"2.4.1", nil, "kv", nil, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			objects := []client.Object{&clusterv1.ManagedCluster{ObjectMeta: metav1.ObjectMeta{Name: tc.managed,
				Annotations: tc.annotations}}}
			if tc.cluster != nil {
				tc.cluster.Namespace, tc.cluster.Name, tc.cluster.Finalizers = "clusters", "kv", []string{"x"}
				objects = append(objects, tc.cluster)
			}
			if !tc.noAgent {
				objects = append(objects, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: agentNamespace,
					Name: agentDeployment}, Status: appsv1.DeploymentStatus{AvailableReplicas: 1}})
			}
			c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
			m := &engine{Run: &framework.Run{Env: operator.Env{Client: c}}}
			m.current.Store(&profile.MCEChannel{Version: tc.version})
			if _, err := m.detachWithHosted(context.Background(), reconcile.Request{NamespacedName: client.ObjectKey{
				Namespace: "clusters", Name: "kv"}}); err != nil {
				t.Fatal(err)
			}
			there, err := framework.Exists(context.Background(), c, &clusterv1.ManagedCluster{
				ObjectMeta: metav1.ObjectMeta{Name: tc.managed}})
			if err != nil || there == tc.goes {
				t.Errorf("there: %t, %v", there, err)
			}
		})
	}
}
