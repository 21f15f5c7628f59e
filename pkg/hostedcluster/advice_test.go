package hostedcluster

import (
	"testing"

	"github.com/hcctl/hcctl/pkg/step"
)

// TestAdvised: what is told at the end of a create is what the one table of conditions counts as advice, and no more.
func TestAdvised(t *testing.T) {
	const alarm = " (on multicluster engine 2.11 this is known to be a false alarm: the nodes of KubeVirt share the management cluster's network)"
	condition := func(of, status string) object {
		return object{"type": of, "status": status, "reason": "X", "message": "why"}
	}
	nodePool := func(cluster string, conditions ...any) object {
		return object{"metadata": metaOf("clusters", "workers", nil), "spec": object{"clusterName": cluster}, "status": object{"conditions": conditions}}
	}
	for name, tc := range map[string]struct {
		cluster []any
		pools   any
		want    string
	}{
		"nothing":                {nil, items(nodePool("kv-00")), "ok: HostedCluster clusters/kv-00: nothing to advise"},
		"as it should be":        {[]any{condition("ValidKubeVirtInfraNetworkMTU", "True")}, items(nodePool("kv-00", condition("ClusterNetworkCIDRConflict", "False"))), "ok: HostedCluster clusters/kv-00: nothing to advise"},
		"not known":              {[]any{condition("ExternalDNSReachable", "Unknown")}, items(), "ok: HostedCluster clusters/kv-00: nothing to advise"},
		"infrastructure":         {[]any{condition("ValidKubeVirtInfraNetworkMTU", "False")}, items(), "missing: HostedCluster clusters/kv-00: ValidKubeVirtInfraNetworkMTU False (X): why"},
		"a proxy":                {[]any{condition("ValidProxyConfiguration", "False")}, items(), "missing: HostedCluster clusters/kv-00: ValidProxyConfiguration False (X): why"},
		"a later matter":         {[]any{condition("ClusterVersionUpgradeable", "False")}, items(), "ok: HostedCluster clusters/kv-00: nothing to advise"},
		"what milestones tell":   {[]any{condition("Degraded", "True")}, items(), "ok: HostedCluster clusters/kv-00: nothing to advise"},
		"the false alarm":        {nil, items(nodePool("kv-00", condition("ClusterNetworkCIDRConflict", "True"))), "missing: HostedCluster clusters/kv-00: NodePool workers: ClusterNetworkCIDRConflict True (X): why" + alarm},
		"of another's pool":      {nil, items(nodePool("other", condition("ClusterNetworkCIDRConflict", "True"))), "ok: HostedCluster clusters/kv-00: nothing to advise"},
		"pools cannot be listed": {nil, nil, "unknown: NodePools in namespace clusters: "},
	} {
		t.Run(name, func(t *testing.T) {
			world := map[string]any{clustersPath + "/kv-00": live(object{"conditions": tc.cluster})}
			if tc.pools != nil {
				world[poolsPath] = tc.pools
			}
			f := Follow(fakeAPI(t, world), "clusters", "kv-00")
			got := f.following(f.advised)(t.Context())
			if tc.pools == nil {
				got.Message = ""
			}
			expect(t, got, tc.want)
		})
	}
}

// TestAdviceReadsNoHostedCluster: the last milestone has read it just now, and whoever waits is kept waiting by each read. Without a milestone it does.
func TestAdviceReadsNoHostedCluster(t *testing.T) {
	world := map[string]any{clustersPath + "/kv-00": live(object{"conditions": []any{}}), poolsPath: items()}
	advice := func(f *Following) step.Step {
		steps := f.Steps(WaitComplete)
		return steps[len(steps)-1]
	}
	alone := Follow(fakeAPI(t, world), "clusters", "kv-00")
	expect(t, advice(alone).Check(t.Context()), "ok: HostedCluster clusters/kv-00: nothing to advise")

	followed := Follow(fakeAPI(t, world), "clusters", "kv-00")
	for _, s := range followed.Steps(WaitComplete) {
		if s.ID == rolloutStep {
			s.Check(t.Context())
		}
	}
	delete(world, clustersPath+"/kv-00")
	expect(t, advice(followed).Check(t.Context()), "ok: HostedCluster clusters/kv-00: nothing to advise")
	expect(t, advice(Follow(fakeAPI(t, world), "clusters", "kv-00")).Check(t.Context()), "broken: HostedCluster clusters/kv-00: deleted by someone while it was waited for")
}
