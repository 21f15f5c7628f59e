package nodepool_test

import (
	"slices"
	"testing"

	"github.com/hcctl/hcctl/pkg/step/steptest"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/pkg/hostedcluster/nodepool"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/step"
)

// fields are those of these names that an update can change.
func fields(names ...string) []options.Field {
	return slices.DeleteFunc(nodepool.UpdateFields(), func(f options.Field) bool {
		return !slices.Contains(names, f.Name)
	})
}

// kubevirt gives a pool VMs with so much memory, and the label room.
func kubevirt(memory string) func(*hyperv1.NodePool) {
	return func(np *hyperv1.NodePool) {
		o := options.DefaultNodePool()
		np.Spec.Platform.Type = hyperv1.KubevirtPlatform
		np.Spec.Platform.Kubevirt = &hyperv1.KubevirtNodePoolPlatform{Compute: &hyperv1.KubevirtCompute{
			Cores: ptr.To(uint32(o.Cores)),
		}}
		np.Spec.NodeLabels = map[string]string{"room": memory}
	}
}

// relabel decides on one more label of the pool a, and on one less.
func relabel(t *testing.T, m *management, wait nodepool.Wait) (*nodepool.Update, error) {
	t.Helper()
	return nodepool.PrepareUpdate(t.Context(), m.client, "clusters", "a", fields("nodeLabels"), func(o *options.NodePool) {
		o.NodeLabels = map[string]string{"tier": "web"}
	}, []string{"room"}, wait)
}

func TestAPoolIsUpdated(t *testing.T) {
	m := manage(t, cluster(), pool("a", three, kubevirt("x")))
	u, err := relabel(t, m, nodepool.WaitNone)
	if err != nil || steptest.IDs(u.Steps()) != "pool/fields" {
		t.Fatalf("--wait none: %s, %v", steptest.IDs(u.Steps()), err)
	}
	if u, err = relabel(t, m, nodepool.WaitNodes); err != nil ||
		steptest.IDs(u.Steps()) != "pool/fields pool/machines pool/nodes" ||
		len(u.Recreates()) > 0 {
		t.Fatalf("%s, %v", steptest.IDs(u.Steps()), err)
	}
	if _, err := step.New(u.Steps()...); err != nil {
		t.Error(err)
	}
	s := u.Steps()[0]
	steptest.Expect(t, s.Check(t.Context(), nil), step.StateMissing, `spec.nodeLabels: {"room":"x"} -> {"tier":"web"}`,
		"NodePool clusters/a")
	does(t, s, step.Configured)
	steptest.Expect(t, s.Check(t.Context(), nil), step.StateOK, "has the requested settings", "NodePool clusters/a")
	if got := m.pool(t, "a").Spec.NodeLabels; len(got) != 1 || got["tier"] != "web" {
		t.Errorf("written: %v", got)
	}
	does(t, s, step.Unchanged)
	m.pools.Put(pool("a", three, kubevirt("y")))
	fails(t, s, `another client has just changed spec.nodeLabels from {"room":"x"} to {"room":"y"}`)
	touched(t, m, "a", s)
}

// A field that was not set gets a place, with those around it.
func TestAnUpdateMakesRoom(t *testing.T) {
	m := manage(t, cluster(), pool("a", three, kubevirt("x")))
	u, err := nodepool.PrepareUpdate(t.Context(), m.client, "clusters", "a", fields("memory", "cores"),
		func(o *options.NodePool) { o.Memory, o.Cores = "16Gi", 8 }, nil, nodepool.WaitNodes)
	if err != nil || len(u.Changes) != 2 || len(u.Recreates()) != 2 {
		t.Fatalf("%+v, %v", u, err)
	}
	does(t, u.Steps()[0], step.Configured)
	steptest.Expect(t, u.Steps()[0].Check(t.Context(), nil), step.StateOK)
	if c := m.pool(t, "a").Spec.Platform.Kubevirt.Compute; c.Memory.String() != "16Gi" || *c.Cores != 8 {
		t.Errorf("written: %+v", c)
	}
	if got := m.pool(t, "a").Spec.NodeLabels["room"]; got != "x" {
		t.Errorf("the label has become %q", got)
	}
}

// What rests on other settings of the pool is checked against those it has.
func TestUpdatesThatRestOnOtherSettings(t *testing.T) {
	detached := func(np *hyperv1.NodePool) {
		np.Spec.Platform.Kubevirt.AttachDefaultNetwork = ptr.To(false)
		np.Spec.Platform.Kubevirt.AdditionalNetworks = []hyperv1.KubevirtNetwork{{Name: "net/one"}}
	}
	m := manage(t, cluster(), pool("a", three, kubevirt("x"), detached))
	same, err := nodepool.PrepareUpdate(t.Context(), m.client, "clusters", "a", fields("attachDefaultNetwork"),
		func(*options.NodePool) {}, nil, nodepool.WaitNodes)
	if err != nil || len(same.Changes) > 0 {
		t.Errorf("nothing was asked for: %+v, %v", same, err)
	}
	_, err = nodepool.PrepareUpdate(t.Context(), m.client, "clusters", "a", fields("additionalNetwork"),
		func(o *options.NodePool) { o.AdditionalNetwork = nil }, nil, nodepool.WaitNodes)
	if err == nil {
		t.Error("a pool without any network is accepted")
	}
	bare := manage(t, cluster(), pool("a", three))
	if u, err := relabel(t, bare, nodepool.WaitNodes); err != nil || len(u.Changes) != 1 {
		t.Errorf("a pool of another platform: %+v, %v", u, err)
	}
}

func TestPoolsThatCannotBeUpdated(t *testing.T) {
	_, err := relabel(t, manage(t, cluster()), nodepool.WaitNodes)
	refuses(t, "no pool", err, `no node pool "a"`)
	_, err = relabel(t, manage(t, cluster(clusterPaused), pool("a", three)), nodepool.WaitNodes)
	refuses(t, "a paused cluster", err, "HostedCluster clusters/kv-00 is paused")
	_, err = nodepool.PrepareUpdate(t.Context(), manage(t, cluster(), pool("a", three)).client, "clusters", "a",
		fields("memory"), func(o *options.NodePool) { o.Memory = "much" }, nil, nodepool.WaitNodes)
	refuses(t, "no memory", err, "memory")
}
