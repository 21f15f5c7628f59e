package creation

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

// worker is a node of 16 cores and 64Gi that takes VMs and control planes.
func worker(name string, edits ...func(hostedtest.Object)) hostedtest.Object {
	n := hostedtest.Object{"metadata": hostedtest.Object{"name": name, "labels": hostedtest.Object{
		"kubernetes.io/hostname": name, "kubernetes.io/arch": "amd64", "kubevirt.io/schedulable": "true"}},
		"spec": hostedtest.Object{}, "status": hostedtest.Object{
			"allocatable": hostedtest.Object{"cpu": "16", "memory": "64Gi", "pods": "250"}}}
	for _, edit := range edits {
		edit(n)
	}
	return n
}

func cordoned(n hostedtest.Object) { specOf(n)["unschedulable"] = true }

func tainted(key string) func(hostedtest.Object) {
	return func(n hostedtest.Object) {
		specOf(n)["taints"] = []any{hostedtest.Object{"key": key, "value": "yes", "effect": "NoSchedule"}}
	}
}

// pod requests memory on a node; empty for one that waits for one.
func pod(namespace, name, node, memory string, labels hostedtest.Object) hostedtest.Object {
	p := hostedtest.Object{"metadata": hostedtest.MetaOf(namespace, name, labels), "spec": hostedtest.Object{
		"containers": []any{hostedtest.Object{"name": "c", "resources": hostedtest.Object{
			"requests": hostedtest.Object{"cpu": "100m", "memory": memory}}}}}}
	if node != "" {
		specOf(p)["nodeName"] = node
	}
	return p
}

// poolOf is a NodePool of another cluster; the cluster's name is the pool's.
func poolOf(name string, replicas, there int, memory string) hostedtest.Object {
	return hostedtest.Object{"metadata": hostedtest.MetaOf("clusters", name, nil),
		"status": hostedtest.Object{"replicas": there},
		"spec": hostedtest.Object{"clusterName": name, "replicas": replicas, "arch": "amd64",
			"platform": hostedtest.Object{"type": "KubeVirt", "kubevirt": hostedtest.Object{
				"compute": hostedtest.Object{"memory": memory, "cores": 2}}}}}
}

// TestPreflightCountsOnSingleNodes has what other objects take and promise, and says whether a cluster fits beside it.
func TestPreflightCountsOnSingleNodes(t *testing.T) {
	three := []hostedtest.Object{worker("n1"), worker("n2"), worker("n3")}
	launcher := hostedtest.Object{"hypershift.openshift.io/nodepool-name": "kv-01"}
	for name, tc := range map[string]struct {
		flags string
		nodes []hostedtest.Object
		pods  []hostedtest.Object
		pools []hostedtest.Object
		want  string
	}{
		"room": {flags: "--replicas 3 --memory 50Gi", nodes: three},
		"room in all, and on no single node": {flags: "--replicas 1 --memory 60Gi", nodes: three, pods: []hostedtest.Object{
			pod("x", "a", "n1", "10Gi", nil), pod("x", "b", "n2", "20Gi", nil), pod("x", "c", "n3", "30Gi", nil)},
			want: "a VM of pool kv-00 needs memory 60.4Gi with KubeVirt's overhead: the largest worker has 54Gi free (n1)"},
		"one too many": {flags: "--replicas 4 --memory 50Gi", nodes: three,
			want: "only 3 of 4 workers of pool kv-00 find room on 3 hosts: each needs CPU 0.2, memory 50.4Gi, and then the " +
				"largest worker (n1) has memory 7.6Gi free"},
		"beside VMs that are to come": {flags: "--replicas 2 --memory 50Gi", nodes: three,
			pools: []hostedtest.Object{poolOf("kv-01", 2, 0, "50Gi")},
			want:  "only 1 of 2 workers of pool kv-00 find room on 3 hosts: each needs CPU 0.2, memory 50.4Gi, and then the largest worker (n1) has memory 7.6Gi free; counted with 2 pods that are to come first (NodePool clusters/kv-01)"},
		"which are there": {flags: "--replicas 1 --memory 50Gi", nodes: three,
			pools: []hostedtest.Object{poolOf("kv-01", 2, 2, "50Gi")}},
		"which have their pods": {flags: "--replicas 1 --memory 50Gi", nodes: three,
			pools: []hostedtest.Object{poolOf("kv-01", 2, 0, "50Gi")}, pods: []hostedtest.Object{
				pod("clusters-kv-01", "a", "n1", "50Gi", launcher), pod("clusters-kv-01", "b", "n2", "50Gi", launcher)}},
		"which have one pod, and room is left for the other": {flags: "--replicas 2 --memory 50Gi", nodes: three,
			pools: []hostedtest.Object{poolOf("kv-01", 2, 0, "50Gi")}, pods: []hostedtest.Object{
				pod("clusters-kv-01", "a", "n1", "50Gi", launcher)},
			want: "counted with 1 pod that is to come first (NodePool clusters/kv-01)"},
		"beside pods that wait": {flags: "--replicas 3 --memory 50Gi", nodes: three,
			pods: []hostedtest.Object{pod("x", "a", "", "50Gi", nil)},
			want: "counted with 1 pod that is to come first (namespace x)"},
		"what fits nowhere takes no room": {flags: "--replicas 3 --memory 50Gi", nodes: three,
			pods:  []hostedtest.Object{pod("x", "a", "", "500Gi", nil)},
			pools: []hostedtest.Object{poolOf("kv-01", 2, 0, "500Gi")}},
		"the smallest number of a pool that scales": {flags: "--min-replicas 3 --max-replicas 30 --memory 50Gi", nodes: three},
		"a control plane on too few": {flags: "--replicas 1", nodes: []hostedtest.Object{worker("n1"), worker("n2"),
			worker("n3", cordoned), worker("n4", tainted("storage"))},
			want: "the control plane needs 3 nodes, no two of its pods of a kind on one, and 2 may run it: 1 of 4 workers " +
				"is cordoned, 1 has taint storage=yes:NoSchedule"},
		"one that tolerates it": {flags: "--replicas 1 --toleration key=storage,operator=Exists", nodes: []hostedtest.Object{
			worker("n1"), worker("n2"), worker("n4", tainted("storage"))}},
		"one for which others request too much": {flags: "--replicas 1", nodes: three,
			pods: []hostedtest.Object{pod("x", "a", "n1", "60Gi", nil)},
			want: "the control plane needs about CPU 1.7, memory 6Gi on each of 3 nodes, and 2 likely have that free"},
		"a single replica": {flags: "--replicas 1 --control-plane-availability-policy SingleReplica",
			nodes: []hostedtest.Object{worker("n1")}},
		"by its selector": {flags: "--replicas 1 --node-selector role=plane --control-plane-availability-policy " +
			"SingleReplica", nodes: three, want: "and 0 may run it: 3 of 3 workers lack label role=plane"},
	} {
		t.Run(name, func(t *testing.T) {
			w := world(t)
			w.Set("Node", tc.nodes...)
			w.Set("Pod", tc.pods...)
			w.Set("NodePool", tc.pools...)
			state := step.StateOK
			if tc.want != "" {
				state = step.StateMissing
			}
			expect(t, prepared(t, w, flags(t, tc.flags)).Preflight(), preflightPlacement, state, tc.want)
		})
	}
}

// TestPlacesOfWhatIsPatched looks at the pool as it is written, with the patch of its options.
func TestPlacesOfWhatIsPatched(t *testing.T) {
	const full = "3 hosts, 6 workers, at most 2 each"
	for patch, tight := range map[string]bool{
		"": true,
		`{spec: {management: {replace: {strategy: OnDelete}}}}`: false,
		`[{op: add, path: /spec/management/replace, value: {strategy: RollingUpdate, rollingUpdate: {maxUnavailable: 1,
  maxSurge: 0}}}]`: false,
		`{spec: {management: {replace: 5}}}`: true, // which the API server refuses
	} {
		t.Run(patch, func(t *testing.T) {
			w := world(t)
			w.Set("Node", worker("n1"), worker("n2"), worker("n3"))
			p := prepared(t, w, patchedFlags(t, "--replicas 6 --spread host,max=2", "", patch))
			f := steptest.Check(t, p.Preflight(), preflightPlacement)
			if told := strings.Contains(f.Message, "an upgrade by replacing"); told != tight ||
				!strings.HasPrefix(f.Message, full) {
				t.Errorf("got %q", f.Message)
			}
		})
	}
}

// TestTheOlderClusterKeepsTheRoom has two HostedClusters whose workers both fit alone, and not together.
func TestTheOlderClusterKeepsTheRoom(t *testing.T) {
	cluster := func(name, made string) hostedtest.Object {
		meta := hostedtest.MetaOf("clusters", name, nil)
		meta["creationTimestamp"] = made
		return hostedtest.Object{"metadata": meta, "spec": hostedtest.Object{"controllerAvailabilityPolicy": "SingleReplica"}}
	}
	const first, second = "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"
	for name, tc := range map[string]struct {
		own, other string
		pods       []hostedtest.Object
		want       step.State
	}{
		"the older one":         {own: first, other: second, want: step.StateOK},
		"the younger one":       {own: second, other: first, want: step.StateBroken},
		"as old, by their name": {own: first, other: first, want: step.StateOK},
		"its own pods are not counted twice": {own: first, other: second, want: step.StateOK, pods: []hostedtest.Object{
			pod("clusters-kv-00", "a", "n1", "50Gi", nil), pod("clusters-kv-00", "b", "n2", "50Gi", nil)}},
		"the younger one was faster": {own: first, other: second, want: step.StateBroken, pods: []hostedtest.Object{
			pod("clusters-kv-01", "a", "n1", "50Gi", hostedtest.Object{"hypershift.openshift.io/nodepool-name": "kv-01"}),
			pod("clusters-kv-01", "b", "n2", "50Gi", hostedtest.Object{"hypershift.openshift.io/nodepool-name": "kv-01"})}},
	} {
		t.Run(name, func(t *testing.T) {
			w := world(t)
			w.Set("Node", worker("n1"), worker("n2"), worker("n3"))
			p := prepared(t, w, flags(t, "--replicas 2 --memory 50Gi --control-plane-availability-policy SingleReplica"))
			w.Set("HostedCluster", cluster("kv-00", tc.own), cluster("kv-01", tc.other))
			other := poolOf("kv-01", 2, 0, "50Gi")
			other["metadata"].(hostedtest.Object)["creationTimestamp"] = tc.other
			w.Set("NodePool", other, poolOf("kv-00", 2, 0, "50Gi"))
			w.Set("Pod", tc.pods...)
			if f := p.checkRoom(t.Context(), w.Client); f.State != tc.want {
				t.Errorf("%s: %s", f.State, f.Message)
			}
		})
	}
}

// TestTheOlderClusterOfAnOwnerStays has two creates at once, of an owner who may have one cluster.
func TestTheOlderClusterOfAnOwnerStays(t *testing.T) {
	const first, second = "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"
	for name, tc := range map[string]struct {
		own, other string
		want       step.State
	}{
		"the older one":      {first, second, step.StateOK},
		"the younger one":    {second, first, step.StateBroken},
		"of the same second": {first, first, step.StateBroken},
	} {
		t.Run(name, func(t *testing.T) {
			w := world(t)
			p := prepared(t, w, flags(t, "--owner e2e"))
			p.MaxClusters = 1
			var made []hostedtest.Object
			for name, at := range map[string]string{"kv-00": tc.own, "kv-01": tc.other} {
				meta := hostedtest.MetaOf("clusters", name, hostedtest.Object{"hcctl.dev/owner": "e2e"})
				meta["creationTimestamp"] = at
				made = append(made, hostedtest.Object{"metadata": meta})
			}
			w.Set("HostedCluster", made...)
			if f := p.ownerLimitSteps(nil)[0].Check(t.Context(), nil); f.State != tc.want {
				t.Errorf("%s: %s", f.State, f.Message)
			}
		})
	}
}

// TestQuotasOfTheControlPlanesNamespace has a pool grow from one worker to three.
func TestQuotasOfTheControlPlanesNamespace(t *testing.T) {
	for name, tc := range map[string]struct{ spec, used, want string }{
		"room":      {`{"hard": {"pods": "12"}}`, `{"pods": "10"}`, ""},
		"pods":      {`{"hard": {"pods": "11"}}`, `{"pods": "10"}`, "ResourceQuota clusters-kv-01/small leaves 1 pod of 11, and 2 worker VMs more need 2 pods"},
		"by count":  {`{"hard": {"count/pods": "10"}}`, `{"count/pods": "10"}`, "leaves 0 pods of 10"},
		"memory":    {`{"hard": {"requests.memory": "30Gi"}}`, `{"requests.memory": "20Gi"}`, "leaves memory 10Gi of 30Gi, and 2 worker VMs more need memory 16.6Gi"},
		"CPU":       {`{"hard": {"cpu": "1"}}`, `{"cpu": "900m"}`, "leaves CPU 0.1 of 1.0, and 2 worker VMs more need CPU 0.4"},
		"of others": {`{"hard": {"pods": "0"}, "scopes": ["BestEffort"]}`, `{}`, ""},
		"of claims": {`{"hard": {"persistentvolumeclaims": "1"}}`, `{}`, "leaves 1 persistentvolumeclaims of 1, and 2 worker VMs " +
			"more need 2 persistentvolumeclaims"},
		"of claims, by count": {`{"hard": {"count/persistentvolumeclaims": "3"}}`, `{"count/persistentvolumeclaims": "2"}`,
			"leaves 1 persistentvolumeclaims of 3"},
		"of storage":                            {`{"hard": {"requests.storage": "90Gi"}}`, `{"requests.storage": "32Gi"}`, "leaves 58Gi storage of 90Gi, and 2 worker VMs more need 64Gi storage"},
		"of VMs":                                {`{"hard": {"count/virtualmachines.kubevirt.io": "2"}}`, `{"count/virtualmachines.kubevirt.io": "1"}`, "leaves 1 virtualmachines.kubevirt.io of 2"},
		"of Secrets, which VMs have no more of": {`{"hard": {"count/secrets": "0"}}`, `{}`, ""},
		"of other objects":                      {`{"hard": {"count/jobs.batch": "0"}}`, `{}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := world(t)
			w.RegisterKinds(t, "v1", "ResourceQuota")
			w.Set("Node", worker("n1"))
			w.Set("NodePool", poolOf("kv-01", 1, 1, "8Gi"))
			w.Set("Pod", pod("clusters-kv-01", "a", "n1", "8Gi", hostedtest.Object{"hypershift.openshift.io/nodepool-name": "kv-01"}))
			quota := hostedtest.Object{"metadata": hostedtest.MetaOf("clusters-kv-01", "small", nil)}
			var spec, used map[string]any
			if err := errors.Join(json.Unmarshal([]byte(tc.spec), &spec), json.Unmarshal([]byte(tc.used), &used)); err != nil {
				t.Fatal(err)
			}
			quota["spec"], quota["status"] = spec, hostedtest.Object{"used": used}
			w.Set("ResourceQuota", quota)
			pools, err := hostedcluster.Pools(t.Context(), w.Client, "clusters", "kv-01")
			if err != nil || len(pools) != 1 {
				t.Fatal(pools, err)
			}
			hc := &hyperv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: "kv-01"}}
			c, err := CountPool(t.Context(), w.Client, hc, &pools[0], hostedcluster.Size{Min: 3, Max: 3})
			if err != nil || tc.want == "" && c.Impossible != "" || !strings.Contains(c.Impossible, tc.want) {
				t.Errorf("%q, %v, want %q", c.Impossible, err, tc.want)
			}
		})
	}
}

// TestQuotasOfAnAdoptedNamespace counts the control plane, too: it comes into a namespace that has quotas already.
func TestQuotasOfAnAdoptedNamespace(t *testing.T) {
	for _, tc := range []struct{ of, hard, want string }{
		{"pods", "200", ""},
		{"pods", "70", "ResourceQuota clusters-kv-00/small leaves 70 pods of 70, and the control plane and 2 worker VMs need 77 pods"},
		{"secrets", "500", ""},
		{"secrets", "12", "leaves 12 secrets of 12, and the control plane and 2 worker VMs need 40 secrets"},
		{"count/configmaps", "7", "leaves 7 configmaps of 7, and the control plane and 2 worker VMs need 20 configmaps"},
		{"count/services", "3", "leaves 3 services of 3"},
		{"persistentvolumeclaims", "4", "leaves 4 persistentvolumeclaims of 4, and the control plane and 2 worker VMs need 5 persistentvolumeclaims"},
	} {
		t.Run(tc.of+" "+tc.hard, func(t *testing.T) {
			hard, want := tc.hard, tc.want
			w := world(t)
			w.RegisterKinds(t, "v1", "ResourceQuota")
			w.Set("Node", worker("n1"), worker("n2"), worker("n3"))
			w.Set("Namespace", hostedtest.Object{"metadata": hostedtest.Object{"name": "clusters-kv-00"}})
			w.Set("ResourceQuota", hostedtest.Object{"metadata": hostedtest.MetaOf("clusters-kv-00", "small", nil),
				"spec": hostedtest.Object{"hard": hostedtest.Object{tc.of: hard}}})
			state := step.StateOK
			if want != "" {
				state = step.StateMissing
			}
			p := prepared(t, w, flags(t, "--replicas 2 --adopt-namespace true"))
			expect(t, p.Preflight(), preflightPlacement, state, want)
		})
	}
}

// TestSeveralNewClustersTogether has clusters of which each fits alone.
func TestSeveralNewClustersTogether(t *testing.T) {
	w := world(t)
	w.Set("Node", worker("n1"), worker("n2"), worker("n3"))
	plan := func(name string) *Plan {
		o := optionstest.With(t, "--replicas 2 --memory 40Gi --control-plane-availability-policy SingleReplica")
		o.Name = name
		return prepared(t, w, optionstest.Valid(t, o))
	}
	one, two := plan("kv-01"), plan("kv-02")
	if steps := Together([]*Plan{one}); steps != nil {
		t.Errorf("one alone has %v", steps)
	}
	expect(t, Together([]*Plan{one, two}), preflightPlacement, step.StateMissing,
		"only 1 of 2 workers of pool kv-02 find room on 3 hosts", "counted with 3 pods that are to come first (HostedCluster clusters/kv-01)")
	w.Set("Node", worker("n4"))
	expect(t, Together([]*Plan{one, two}), preflightPlacement, step.StateOK, "all 2 find places")
}
