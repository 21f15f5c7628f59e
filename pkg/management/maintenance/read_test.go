package maintenance

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

type object = kubetest.Object

const (
	nodesPath   = "/api/v1/nodes"
	podsPath    = "/api/v1/pods"
	machinePath = "/apis/kubevirt.io/v1/virtualmachineinstances"
	claimPath   = "/api/v1/persistentvolumeclaims"
	volumePath  = "/api/v1/persistentvolumes"
	budgetPath  = "/apis/policy/v1/poddisruptionbudgets"
	hostedPath  = "/apis/hypershift.openshift.io/v1beta1/hostedclusters"
	etcdPath    = "/apis/apps/v1/statefulsets"
	cephPath    = "/apis/ceph.rook.io/v1/cephclusters"
	virtPath    = "/apis/hco.kubevirt.io/v1beta1/hyperconvergeds"
)

func nodeNamed(name string) object {
	return object{"apiVersion": "v1", "kind": "Node", "metadata": object{"name": name}, "status": object{
		"allocatable": object{"cpu": "8", "memory": "32Gi", "pods": "250"},
		"conditions":  []any{object{"type": "Ready", "status": "True"}}}}
}

func podOn(node, namespace, name, phase string, more object) object {
	metadata := object{"namespace": namespace, "name": name,
		"ownerReferences": []any{object{"kind": "ReplicaSet", "name": "x", "controller": true}}}
	for key, value := range more {
		metadata[key] = value
	}
	return object{"apiVersion": "v1", "kind": "Pod", "metadata": metadata,
		"spec": object{"nodeName": node, "containers": []any{object{"name": "c"}},
			"volumes": []any{object{"name": "v", "persistentVolumeClaim": object{"claimName": "data"}}}},
		"status": object{"phase": phase, "conditions": []any{object{"type": "Ready", "status": "True"}}}}
}

// answers is a cluster of nodes a and b, with a pod, a VM, and a member of etcd on a.
func answers() map[string]any {
	vm := object{"labels": object{"kubevirt.io": "virt-launcher"}, "annotations": object{"kubevirt.io/domain": "vm"}}
	pods := []any{
		podOn("a", "clusters-kv-00", "web", "Running", nil), podOn("a", "clusters-kv-00", "done", "Succeeded", nil),
		podOn("b", "clusters-kv-00", "other", "Running", nil), podOn("", "clusters-kv-00", "waits", "Pending", nil),
		podOn("a", "clusters-kv-00", "virt-launcher-vm", "Running", vm),
		podOn("a", "clusters-kv-00", "etcd-0", "Running", object{"labels": object{"app": "etcd"}}),
		podOn("b", "clusters-kv-00", "etcd-1", "Running", object{"labels": object{"app": "etcd"}}),
		podOn("a", "openshift-storage", "osd", "Running", object{"labels": object{"app": "rook-ceph-osd"}}),
	}
	return map[string]any{
		nodesPath: []any{nodeNamed("a"), nodeNamed("b")}, podsPath: pods,
		machinePath: []any{object{"metadata": object{"namespace": "clusters-kv-00", "name": "vm"},
			"status": object{"nodeName": "a", "conditions": []any{object{"type": "LiveMigratable", "status": "True"}}}}},
		claimPath: []any{object{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": object{
			"namespace": "clusters-kv-00", "name": "data"}, "spec": object{"volumeName": "pv"}}},
		volumePath: []any{object{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": object{"name": "pv"}}},
		budgetPath: []any{object{"metadata": object{"namespace": "clusters-kv-00", "name": "etcd"}, "spec": object{
			"selector": object{"matchLabels": object{"app": "etcd"}}}, "status": object{"disruptionsAllowed": 1}}},
		hostedPath: []any{object{"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "HostedCluster",
			"metadata": object{"namespace": "clusters", "name": "kv-00"}}},
		etcdPath: []any{object{"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": object{
			"namespace": "clusters-kv-00", "name": "etcd"}, "spec": object{"replicas": 2}}},
		cephPath: []any{object{"apiVersion": "ceph.rook.io/v1", "kind": "CephCluster", "metadata": object{
			"namespace": "openshift-storage", "name": "ceph"}, "status": object{"ceph": object{"health": "HEALTH_OK"}}}},
		virtPath: []any{object{"apiVersion": "hco.kubevirt.io/v1beta1", "kind": "HyperConverged", "metadata": object{
			"namespace": "openshift-cnv", "name": "kubevirt-hyperconverged"}, "spec": object{}}},
	}
}

func of(t *testing.T, answers map[string]any, node string, asked func(*http.Request)) (*Plan, error) {
	t.Helper()
	api := kubetest.ServePaths(t, answers)
	api.Answer = func(_ http.ResponseWriter, r *http.Request) bool {
		if asked != nil {
			asked(r)
		}
		return false
	}
	return Of(t.Context(), api.Client, node)
}

func TestOfReadsEachThingOnce(t *testing.T) {
	var mu sync.Mutex
	asked := map[string]int{}
	p, err := of(t, answers(), "a", func(r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if asked[r.URL.Path]++; r.Method != http.MethodGet {
			t.Errorf("%s %s", r.Method, r.URL)
		}
		if fields := r.URL.Query().Get("fieldSelector"); r.URL.Path == etcdPath && fields != "metadata.name=etcd" {
			t.Errorf("StatefulSets are selected by %q", fields)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, p, "clear CephCluster openshift-storage/ceph", "blocked hosted cluster clusters/kv-00",
		"blocked StatefulSet clusters-kv-00/etcd: etcd of hosted cluster clusters/kv-00 has 1 ready members elsewhere and "+
			"needs 2 of 2", "clear clusters-kv-00/etcd-0: moves", "clear clusters-kv-00/web: moves",
		"clear clusters-kv-00/vm: migrates", "clear openshift-storage/osd: stays", "= blocked")
	if e := p.HostedClusters[0].Etcd; *e != (Etcd{Members: 2, Here: 1, ReadyElsewhere: 1, Quorum: 2}) {
		t.Errorf("%+v", e)
	}
	if p.Outcomes[Moves] != 2 || p.Outcomes[Migrates] != 1 || p.Outcomes[Stays] != 1 || len(p.Outcomes) != 3 {
		t.Errorf("%v", p.Outcomes)
	}
	for path := range answers() {
		if asked[path] != 1 {
			t.Errorf("%s is asked for %d times", path, asked[path])
		}
	}
}

// What cannot be read makes unknown what depends on it; without nodes or pods there is no plan.
func TestWhatCannotBeReadIsUnknown(t *testing.T) {
	for path, want := range map[string]string{
		machinePath: "unknown VirtualMachineInstances are not read: not allowed: ",
		claimPath:   "unknown PersistentVolumeClaims are not read: not allowed: ",
		volumePath:  "unknown PersistentVolumes are not read: not allowed: ",
		budgetPath:  "unknown PodDisruptionBudgets are not read: not allowed: ",
		hostedPath:  "unknown HostedClusters: not read: not allowed: ",
		etcdPath:    "unknown StatefulSet clusters-kv-00/etcd: not read: not allowed: ",
		cephPath:    "unknown CephClusters in openshift-storage: not read: not allowed: ",
		virtPath:    "unknown it has no evictionStrategy, and HyperConverged is not read: not allowed: ",
	} {
		all := answers()
		all[podsPath] = append(all[podsPath].([]any),
			podOn("b", "clusters-kv-00", "etcd-2", "Running", object{"labels": object{"app": "etcd"}}))
		all[etcdPath].([]any)[0].(object)["spec"].(object)["replicas"] = 3
		all[path] = http.StatusForbidden
		p, err := of(t, all, "a", nil)
		if err != nil || step.State(p.Verdict) != step.StateUnknown || !strings.Contains(told(p), want) {
			t.Errorf("%s: %v, want %s in\n%s", path, err, want, told(p))
		}
	}
	for path, want := range map[string]string{nodesPath: "list Nodes: ", podsPath: "list Pods: "} {
		all := answers()
		all[path] = http.StatusForbidden
		if _, err := of(t, all, "a", nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := of(t, answers(), "c", nil); err == nil || err.Error() != `no node "c"` {
		t.Errorf("%v", err)
	}
}

// A cluster without virtualization, HyperShift and Ceph has nothing of them on a node.
func TestKindsThatAreNotThere(t *testing.T) {
	all := answers()
	for _, path := range []string{hostedPath, cephPath, virtPath} {
		delete(all, path)
	}
	all[podsPath] = []any{podOn("a", "clusters-kv-00", "web", "Running", nil)}
	p, err := of(t, all, "a", nil)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, p, "clear clusters-kv-00/web: moves", "= clear")
}
