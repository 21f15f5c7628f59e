package follow

import (
	"slices"
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/step"
)

// TestAdvised: what is told at the end of a create is what the one table of conditions counts as advice, and no more.
func TestAdvised(t *testing.T) {
	const alarm = " (on multicluster engine 2.11, and with releases that have its change, this is known to be a false alarm: the nodes of KubeVirt share the " +
		"management cluster's network)"
	condition := func(of, status string) hostedtest.Object {
		return hostedtest.Object{"type": of, "status": status, "reason": "X", "message": "why"}
	}
	nodePool := func(cluster string, conditions ...any) hostedtest.Object {
		return hostedtest.Object{
			"metadata": hostedtest.MetaOf("clusters", "workers", nil),
			"spec":     hostedtest.Object{"clusterName": cluster},
			"status":   hostedtest.Object{"conditions": conditions},
		}
	}
	for name, tc := range map[string]struct {
		cluster []any
		pools   any
		want    string
	}{
		"nothing": {nil, hostedtest.Items(nodePool("kv-00")), "ok: HostedCluster clusters/kv-00: " +
			"no advice"},
		"as it should be": {[]any{condition("ValidKubeVirtInfraNetworkMTU", "True")},
			hostedtest.Items(nodePool("kv-00", condition("ClusterNetworkCIDRConflict", "False"))),
			"ok: HostedCluster clusters/kv-00: no advice"},
		"not known": {[]any{condition("ExternalDNSReachable", "Unknown")}, hostedtest.Items(),
			"ok: HostedCluster clusters/kv-00: no advice"},
		"infrastructure": {[]any{condition("ValidKubeVirtInfraNetworkMTU", "False")}, hostedtest.Items(),
			"missing: HostedCluster clusters/kv-00: ValidKubeVirtInfraNetworkMTU False (X): why"},
		"a proxy": {[]any{condition("ValidProxyConfiguration", "False")}, hostedtest.Items(),
			"missing: HostedCluster clusters/kv-00: ValidProxyConfiguration False (X): why"},
		"a later matter": {[]any{condition("ClusterVersionUpgradeable", "False")}, hostedtest.Items(),
			"ok: HostedCluster clusters/kv-00: no advice"},
		"what milestones tell": {[]any{condition("Degraded", "True")}, hostedtest.Items(),
			"ok: HostedCluster clusters/kv-00: no advice"},
		"the false alarm": {nil, hostedtest.Items(nodePool("kv-00", condition("ClusterNetworkCIDRConflict", "True"))),
			"missing: HostedCluster clusters/kv-00: NodePool workers: ClusterNetworkCIDRConflict True (X): why" + alarm},
		"of another's pool": {nil, hostedtest.Items(nodePool("other", condition("ClusterNetworkCIDRConflict", "True"))),
			"ok: HostedCluster clusters/kv-00: no advice"},
		"pools cannot be listed": {nil, nil, "unknown: NodePools in namespace clusters: "},
	} {
		t.Run(name, func(t *testing.T) {
			world := map[string]any{hostedtest.ClustersPath + "/kv-00": hostedtest.Live(hostedtest.Object{"conditions": tc.cluster})}
			if tc.pools != nil {
				world[hostedtest.PoolsPath] = tc.pools
			}
			f := New(hostedtest.ReadOnly(t, world), "clusters", "kv-00")
			got := f.withHostedCluster(f.adviceFinding)(t.Context(), f.client)
			if tc.pools == nil {
				got.Message = ""
			}
			hostedtest.Expect(t, got, tc.want)
		})
	}
}

// TestAdviceReadsNoHostedCluster: the last milestone has read it just now, and whoever waits is kept waiting by each
// read. Without a milestone it does.
func TestAdviceReadsNoHostedCluster(t *testing.T) {
	world := map[string]any{
		hostedtest.ClustersPath + "/kv-00": hostedtest.Live(hostedtest.Object{"conditions": []any{}}),
		hostedtest.PoolsPath:               hostedtest.Items(),
	}
	advice := func(f *Cluster) step.Step {
		steps := f.Steps(options.WaitComplete)
		return steps[slices.IndexFunc(steps, func(s step.Step) bool { return s.ID == adviceStep })]
	}
	alone := New(hostedtest.ReadOnly(t, world), "clusters", "kv-00")
	hostedtest.Expect(t, advice(alone).Check(t.Context(), nil), "ok: HostedCluster clusters/kv-00: no advice")

	followed := New(hostedtest.ReadOnly(t, world), "clusters", "kv-00")
	for _, s := range followed.Steps(options.WaitComplete) {
		if s.ID == rolloutStep {
			s.Check(t.Context(), nil)
		}
	}
	delete(world, hostedtest.ClustersPath+"/kv-00")
	hostedtest.Expect(t, advice(followed).Check(t.Context(), nil), "ok: HostedCluster clusters/kv-00: no advice")
	hostedtest.Expect(
		t,
		advice(New(hostedtest.ReadOnly(t, world), "clusters", "kv-00")).Check(t.Context(), nil),
		"broken: HostedCluster clusters/kv-00: deleted while hcctl waited for it",
	)
}
