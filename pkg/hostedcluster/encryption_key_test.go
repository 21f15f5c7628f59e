package hostedcluster_test

import (
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

// TestReadEncryption has HostedClusters as HyperShift 4.21 and 4.22 report them.
func TestReadEncryption(t *testing.T) {
	api := kubetest.Serve(t)
	api.Register(t, kube.HostedCluster)
	api.Put(t, `
{apiVersion: hypershift.openshift.io/v1beta1, kind: HostedCluster, metadata: {name: older, namespace: ns}, status: {}}
---
{apiVersion: hypershift.openshift.io/v1beta1, kind: HostedCluster, metadata: {name: newer, namespace: ns},
  status: {secretEncryption: {activeKey: {provider: AESCBC, aescbc: {secret: {name: old-key}, dataHash: ab}},
    targetKey: {provider: AESCBC, aescbc: {secret: {name: new-key}, dataHash: cd}},
    history: [{state: Migrating}, {state: Completed}]}}}
---
{apiVersion: hypershift.openshift.io/v1beta1, kind: HostedCluster, metadata: {name: same, namespace: ns},
  status: {secretEncryption: {activeKey: {provider: AESCBC, aescbc: {secret: {name: key}, dataHash: ab}},
    targetKey: {provider: AESCBC, aescbc: {secret: {name: key}, dataHash: cd}}, history: [{state: ReadOnlyDeploy}]}}}
---
{apiVersion: hypershift.openshift.io/v1beta1, kind: HostedCluster, metadata: {name: kms, namespace: ns},
  status: {secretEncryption: {activeKey: {provider: AWS, aws: {arn: "arn:a"}}, history: [7]}}}
`)
	if says := (hostedcluster.Encryption{Active: "old-key"}).Describe(); says != "" {
		t.Errorf("one key alone: %q", says)
	}
	for name, want := range map[string]hostedcluster.Encryption{
		"older": {}, "none": {}, "kms": {},
		"newer": {Active: "old-key", Target: "new-key", State: "Migrating"},
		"same":  {Active: "key", Target: "key", State: "ReadOnlyDeploy"},
	} {
		got, err := hostedcluster.ReadEncryption(t.Context(), api.Client, client.ObjectKey{Namespace: "ns", Name: name})
		if got != want || (err != nil) != (name == "none") {
			t.Errorf("%s: %+v, %v, not %+v", name, got, err, want)
		}
	}
}
