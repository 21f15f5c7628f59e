package nodepool_test

import (
	"net/http"
	"testing"

	"github.com/hcctl/hcctl/pkg/step/steptest"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/nodepool"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

// prepareDelete decides on the deletion of the pool a.
func prepareDelete(t *testing.T, m *management, wait nodepool.Wait) *nodepool.Deletion {
	t.Helper()
	d, err := nodepool.PrepareDelete(t.Context(), m.client, "clusters", "a", wait)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDeletingTheLastPool(t *testing.T) {
	other := pool("o", three, func(np *hyperv1.NodePool) { np.Spec.ClusterName = "kv-01" })
	for name, tc := range map[string]struct {
		hc    *hyperv1.HostedCluster
		pools []*hyperv1.NodePool
		last  bool
		steps string
	}{
		"one of two": {cluster(), []*hyperv1.NodePool{pool("a", three), pool("b", three)}, false,
			"pool/deleted pool/machines-gone pool/gone"},
		"the only one": {cluster(), []*hyperv1.NodePool{pool("a", three), other}, true,
			"pool/deleted pool/machines-gone pool/gone"},
		"the other goes": {cluster(), []*hyperv1.NodePool{pool("a", three), pool("b", three, poolGoes)}, true,
			"pool/deleted pool/machines-gone pool/gone"},
		"the cluster goes": {cluster(clusterGoes), []*hyperv1.NodePool{pool("a", three)}, false,
			"pool/deleted pool/machines-gone pool/gone"},
		"the cluster is gone": {nil, []*hyperv1.NodePool{pool("a", three)}, false,
			"pool/deleted pool/machines-gone pool/gone"},
		"paused itself": {cluster(), []*hyperv1.NodePool{pool("a", three, pausedUntil("true"))}, true,
			"pool/deleted pool/machines-gone pool/gone"},
		"VMs elsewhere": {cluster(elsewhere), []*hyperv1.NodePool{pool("a", three)}, true, "pool/deleted pool/gone"},
	} {
		m := manage(t, tc.hc, tc.pools...)
		d := prepareDelete(t, m, nodepool.WaitGone)
		if _, err := step.New(d.Steps()...); err != nil || d.Last != tc.last || steptest.IDs(d.Steps()) != tc.steps {
			t.Errorf("%s: last %v, %s, %v", name, d.Last, steptest.IDs(d.Steps()), err)
		}
		if d := prepareDelete(t, m, nodepool.WaitNone); steptest.IDs(d.Steps()) != "pool/deleted" {
			t.Errorf("%s, --wait none: %s", name, steptest.IDs(d.Steps()))
		}
	}
	_, err := nodepool.PrepareDelete(t.Context(), manage(t, cluster(clusterPaused), pool("a", three)).client, "clusters",
		"a",
		nodepool.WaitGone)
	refuses(t, "a paused cluster", err, "HostedCluster clusters/kv-00 is paused")
	_, err = nodepool.PrepareDelete(t.Context(), manage(t, cluster()).client, "clusters", "a", nodepool.WaitGone)
	refuses(t, "no pool", err, `no node pool "a"`)
	m := manage(t, cluster(), pool("a", three))
	m.clusters.Forbid("")
	_, err = nodepool.PrepareDelete(t.Context(), m.client, "clusters", "a", nodepool.WaitGone)
	refuses(t, "a cluster that may not be read", err, "HostedCluster clusters/kv-00: ")
	m = manage(t, cluster(), pool("a", three))
	m.pools.Answer = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/nodepools" {
			return false
		}
		kubetest.Refuse(w, http.StatusForbidden, metav1.StatusReasonForbidden)
		return true
	}
	_, err = nodepool.PrepareDelete(t.Context(), m.client, "clusters", "a", nodepool.WaitGone)
	refuses(t, "pools that may not be listed", err, "list NodePools in namespace clusters")
}

func TestAPoolIsDeleted(t *testing.T) {
	m := manage(t, cluster(), pool("a", three, func(np *hyperv1.NodePool) {
		np.Finalizers = []string{"hypershift/x", "y"}
	}))
	steps := prepareDelete(t, m, nodepool.WaitGone).Steps()
	deleted, vanished := steps[0], steps[2]
	steptest.Expect(t, deleted.Check(t.Context(), nil), step.StateMissing, "still there", "NodePool clusters/a")
	does(t, deleted, step.Deleted)
	steptest.Expect(t, deleted.Check(t.Context(), nil), step.StateOK, "being deleted", "NodePool clusters/a")
	steptest.Expect(t, vanished.Check(t.Context(), nil), step.StatePending,
		"being removed by its operator; finalizers: hypershift/x, y")
	m.pools.Delete("clusters", "a")
	steptest.Expect(t, deleted.Check(t.Context(), nil), step.StateOK, "gone", "NodePool clusters/a")
	steptest.Expect(t, vanished.Check(t.Context(), nil), step.StateOK, "gone", "NodePool clusters/a")
	does(t, deleted, step.Unchanged)

	// Another pool of its name is another pool.
	m.pools.Put(pool("a", three, func(np *hyperv1.NodePool) { np.UID = "another" }))
	steptest.Expect(t, deleted.Check(t.Context(), nil), step.StateOK, "gone")
	steptest.Expect(t, vanished.Check(t.Context(), nil), step.StateOK, "gone")
	fails(t, deleted, "NodePool clusters/a: ")
	if np := m.pool(t, "a"); np.DeletionTimestamp != nil || np.UID != "another" {
		t.Errorf("the other was touched: %+v", np.ObjectMeta)
	}
	m.pools.Forbid("")
	steptest.Expect(t, deleted.Check(t.Context(), nil), step.StateUnknown, "not allowed", "NodePool clusters/a")
	steptest.Expect(t, vanished.Check(t.Context(), nil), step.StateUnknown, "not allowed", "NodePool clusters/a")
}

func TestAPoolsMachinesGo(t *testing.T) {
	m := manage(t, cluster(), pool("a", three))
	machines := prepareDelete(t, m, nodepool.WaitGone).Steps()[1]
	vm := func(name, of string, goes bool) *kubevirtv1.VirtualMachine {
		v := &kubevirtv1.VirtualMachine{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters-kv-00", Name: name,
			Labels: map[string]string{hyperv1.NodePoolNameLabel: of}}}
		if goes {
			v.DeletionTimestamp = gone
		}
		return v
	}
	m.vms.Put(vm("a-1", "a", false), vm("a-2", "a", false), vm("b-1", "b", false))
	steptest.Expect(t, machines.Check(t.Context(), nil), step.StatePending, "2 worker VMs left: its node is being drained",
		"VirtualMachine clusters-kv-00/a-1", "hcctl exec kv-00 -- oc get pdb -A")
	m.vms.Put(vm("a-1", "a", true))
	steptest.Expect(t, machines.Check(t.Context(), nil), step.StatePending, "2 worker VMs left: being removed")
	m.vms.Delete("clusters-kv-00", "a-1")
	m.vms.Delete("clusters-kv-00", "a-2")
	steptest.Expect(t, machines.Check(t.Context(), nil), step.StateOK, "no worker VM is left", "NodePool clusters/a")
	m.vms.Forbid("")
	steptest.Expect(t, machines.Check(t.Context(), nil), step.StateUnknown, "VirtualMachines in namespace clusters-kv-00")

	// Without the kind there is no VM either.
	c, err := kube.New(kubetest.Together(m.clusters, m.pools))
	if err != nil {
		t.Fatal(err)
	}
	d, err := nodepool.PrepareDelete(t.Context(), c, "clusters", "a", nodepool.WaitGone)
	if err != nil {
		t.Fatal(err)
	}
	steptest.Expect(t, d.Steps()[1].Check(t.Context(), nil), step.StateOK, "no worker VM is left")
}
