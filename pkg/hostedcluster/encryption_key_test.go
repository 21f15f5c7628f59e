package hostedcluster_test

import (
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

// TestReadEncryptedWith has HostedClusters as HyperShift 4.21 and 4.22 report them.
func TestReadEncryptedWith(t *testing.T) {
	api := kubetest.Serve(t)
	api.Register(t, kube.HostedCluster)
	api.Put(t, `
{apiVersion: hypershift.openshift.io/v1beta1, kind: HostedCluster, metadata: {name: older, namespace: ns}, status: {}}
---
{apiVersion: hypershift.openshift.io/v1beta1, kind: HostedCluster, metadata: {name: newer, namespace: ns},
  status: {secretEncryption: {activeKey: {provider: AESCBC, aescbc: {secret: {name: old-key}, dataHash: ab}},
    targetKey: {provider: AESCBC, aescbc: {secret: {name: new-key}, dataHash: cd}}}}}
`)
	for name, want := range map[string]string{"older": "", "newer": "old-key", "none": ""} {
		if got := hostedcluster.ReadEncryptedWith(t.Context(), api.Client, client.ObjectKey{Namespace: "ns",
			Name: name}); got != want {
			t.Errorf("%s: %q, not %q", name, got, want)
		}
	}
}
