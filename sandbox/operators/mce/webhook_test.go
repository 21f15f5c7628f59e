package mce

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
	"github.com/hcctl/hcctl/sandbox/profile"
)

// TestWhatKeepsAnEngine has the objects for which the webhook refuses a deletion, by version.
func TestWhatKeepsAnEngine(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := clusterv1.Install(scheme); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ version, apiVersion, kind, want string }{
		"nothing":                {version: "2.11.0"},
		"an AgentServiceConfig":  {"2.8.1", "agent-install.openshift.io/v1beta1", "AgentServiceConfig", "AgentServiceConfig"},
		"a DiscoveryConfig":      {"5.0.0", "discovery.open-cluster-management.io/v1", "DiscoveryConfig", "DiscoveryConfig"},
		"a ClusterPool":          {"2.11.0", "hive.openshift.io/v1", "ClusterPool", "ClusterPool"},
		"a ClusterPool, earlier": {"2.10.3", "hive.openshift.io/v1", "ClusterPool", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var objects []client.Object
			if tc.kind != "" {
				u := &unstructured.Unstructured{}
				u.SetAPIVersion(tc.apiVersion)
				u.SetKind(tc.kind)
				u.SetNamespace("ns")
				u.SetName("x")
				objects = append(objects, u)
			}
			c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
			m := &engine{Run: framework.NewRun(nil, operator.Env{Client: c, Live: c})}
			m.current.Store(&profile.MCEChannel{Version: tc.version})
			got, want := m.validateDelete(context.Background(), "mce"), ""
			if tc.want != "" {
				want = "cannot delete mce resource. Existing " + tc.want + " resources must first be deleted"
			}
			if got == nil != (want == "") || got != nil && got.Error() != want {
				t.Errorf("%v, not %q", got, want)
			}
		})
	}
}
