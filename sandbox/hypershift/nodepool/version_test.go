package nodepool

import (
	"testing"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
)

// clusterAt returns a HostedCluster that has completed a version.
func clusterAt(version string) *hyperv1.HostedCluster {
	hc := &hyperv1.HostedCluster{}
	hc.Status.Version = &hyperv1.ClusterVersionStatus{
		History: []configv1.UpdateHistory{{State: configv1.CompletedUpdate, Version: version}},
	}
	return hc
}

// TestVersionSkew has the rows of the vendor's own table (HyperShift, support/supportedversion).
func TestVersionSkew(t *testing.T) {
	higher := func(pool, cluster string) string {
		return "NodePool version " + pool + " cannot be higher than the HostedCluster version " + cluster
	}
	older := func(pool, least, cluster string) string {
		return "NodePool minor version " + pool + " is less than " + least + ", which is the minimum NodePool version " +
			"compatible with the " + cluster + " HostedCluster"
	}
	for _, tc := range []struct{ cluster, pool, want string }{
		{"4.20.3", "4.20.3", ""},
		{"4.20.3", "4.17.0", ""},
		{"4.20.3", "4.20.4", higher("4.20.4", "4.20.3")},
		{"4.20.3", "4.16.9", older("4.16", "4.17", "4.20")},
		{"4.21.0", "4.18.0", ""},
		{"4.21.0", "4.17.0", older("4.17", "4.18", "4.21")},
		{"5.0.0", "4.22.0", ""},
		{"5.0.0", "4.21.0", ""},
		{"5.0.0", "4.20.0", ""},
		{"5.0.0", "4.19.0", older("4.19", "4.20", "5.0")},
		{"5.0.0", "5.0.0", ""},
		{"5.0.0", "4.23.0", ""},
		{"4.23.0", "5.0.0", ""},
		{"4.23.0", "5.0.1", higher("5.0.1", "4.23.0")},
		{"4.23.0", "4.22.0", ""},
		{"4.23.0", "4.19.0", older("4.19", "4.20", "4.23")},
		{"5.0.0", "5.1.0", higher("5.1.0", "5.0.0")},
		{"5.1.0", "4.21.0", ""},
		{"5.1.0", "4.20.0", older("4.20", "4.21", "5.1")},
		{"5.0.3", "4.22.7", ""},
	} {
		c := versionSkew(clusterAt(tc.cluster), release.Payload{Version: tc.pool})
		if tc.want == "" && c.Status != metav1.ConditionTrue || tc.want != "" && (c.Status != metav1.ConditionFalse ||
			c.Reason != hyperv1.NodePoolUnsupportedSkewReason || c.Message != tc.want) {
			t.Errorf("cluster %s, pool %s: %+v", tc.cluster, tc.pool, c)
		}
	}
	if c := versionSkew(&hyperv1.HostedCluster{},
		release.Payload{Version: "4.20.3"}); c.Status != metav1.ConditionUnknown {
		t.Errorf("before there is a version: %+v", c)
	}
}

// During an upgrade the last completed version counts for NodePools.
func TestPoolFollowsTheControlPlane(t *testing.T) {
	hc := clusterAt("4.19.9")
	hc.Status.Version.History = append([]configv1.UpdateHistory{{State: configv1.PartialUpdate, Version: "4.20.3"}},
		hc.Status.Version.History...)
	if got := controlPlaneVersion(hc); got != "4.19.9" {
		t.Errorf("the control plane is at %s", got)
	}
	g := reconciler.Features{Versions: []string{"4.20", "4.19", "4.18", "4.17"}, LeastOnKubeVirt: "4.17"}
	np := testPool()
	err := poolSupported(g, np, release.Payload{Version: "4.20.3"}, controlPlaneVersion(hc))
	if err == nil || err.Error() != `the latest version supported is: "4.19.9". Attempting to use: "4.20.3"` {
		t.Errorf("a pool ahead of its control plane: %v", err)
	}
	np.Status.Version = "4.19.9"
	if err := poolSupported(g, np, release.Payload{Version: "4.18.1"}, "4.19.9"); err == nil {
		t.Error("a pool may go back a minor")
	}
	if err := poolSupported(g, np, release.Payload{Version: "4.19.1"}, "4.19.9"); err != nil {
		t.Errorf("a pool may not go back a patch: %v", err)
	}
}
