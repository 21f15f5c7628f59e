package upgrade_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/pkg/hostedcluster/placement"
	"github.com/hcctl/hcctl/pkg/hostedcluster/upgrade"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

// onHosts has so many nodes, each of which may run one VM of pool-a.
func (m *management) onHosts(t *testing.T, n int) *kubetest.Server {
	t.Helper()
	nodes := kubetest.New("v1", "Node", "nodes")
	for i := range n {
		name := fmt.Sprintf("n%d", i+1)
		nodes.Put(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			corev1.LabelHostname: name, "kubevirt.io/schedulable": "true"}}})
	}
	instances := kubetest.New("kubevirt.io/v1", "VirtualMachineInstance", "virtualmachineinstances")
	var err error
	if m.client, err = kube.New(kubetest.Together(m.clusters, m.pools, m.sets, m.configs, m.planes, m.components, nodes,
		instances)); err != nil {
		t.Fatal(err)
	}
	return nodes
}

// TestAnUpgradeNeedsAPlaceForOneVMMore looks at three workers of which no two share a host.
func TestAnUpgradeNeedsAPlaceForOneVMMore(t *testing.T) {
	patch, err := placement.VMs{InfraID: "kv-00-abcde", Pool: "pool-a",
		Spread: []placement.Spread{{Label: corev1.LabelHostname, Required: true, Max: 1}}}.JSONPatch()
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		hosts   int
		edit    func(*hyperv1.NodePool)
		refused bool
	}{
		"a host is free": {4, nil, false},
		"none is":        {3, nil, true},
		"one may be away": {3, func(np *hyperv1.NodePool) {
			np.Spec.Management.Replace = &hyperv1.ReplaceUpgrade{Strategy: hyperv1.UpgradeStrategyRollingUpdate,
				RollingUpdate: &hyperv1.RollingUpdate{MaxUnavailable: ptr.To(intstr.FromInt32(1))}}
		}, false},
		"none may be away": {3, func(np *hyperv1.NodePool) {
			np.Spec.Management.Replace = &hyperv1.ReplaceUpgrade{Strategy: hyperv1.UpgradeStrategyRollingUpdate,
				RollingUpdate: &hyperv1.RollingUpdate{MaxUnavailable: ptr.To(intstr.FromInt32(0))}}
		}, true},
		"in place": {3, func(np *hyperv1.NodePool) { np.Spec.Management.UpgradeType = hyperv1.UpgradeTypeInPlace }, false},
		"by hand": {3, func(np *hyperv1.NodePool) {
			np.Spec.Management.Replace = &hyperv1.ReplaceUpgrade{Strategy: hyperv1.UpgradeStrategyOnDelete}
		}, false},
		"no workers": {3, func(np *hyperv1.NodePool) { np.Spec.Replicas = ptr.To[int32](0) }, false},
		"scaled by itself, and small now": {3, func(np *hyperv1.NodePool) {
			np.Spec.Replicas, np.Spec.AutoScaling = nil, &hyperv1.NodePoolAutoScaling{Min: 1, Max: 3}
			np.Status.Replicas = 2
		}, false},
		"scaled by itself, and full": {3, func(np *hyperv1.NodePool) {
			np.Spec.Replicas, np.Spec.AutoScaling = nil, &hyperv1.NodePoolAutoScaling{Min: 1, Max: 3}
			np.Status.Replicas = 3
		}, true},
	} {
		list := editedPools(pools("4.18.3"), func(np *hyperv1.NodePool) {
			np.Spec.Replicas = ptr.To[int32](3)
			metav1.SetMetaDataAnnotation(&np.ObjectMeta, hyperv1.JSONPatchAnnotation, patch)
			if tc.edit != nil {
				tc.edit(np)
			}
		})
		m := manage(t, cluster("4.19.4"), list, "4.19.5")
		nodes := m.onHosts(t, tc.hosts)
		_, one := preparePool(t, m, "", "", upgrade.WaitComplete)
		_, all := upgrade.Prepare(t.Context(), m.client, request(func(r *upgrade.Request) { r.Version = "4.19.5" }))
		for what, err := range map[string]error{"pool": one, "cluster": all} {
			var refused *upgrade.RefusedError
			switch {
			case !tc.refused && err != nil:
				t.Errorf("%s: %s: %v", name, what, err)
			case tc.refused && (!errors.As(err, &refused) || !strings.Contains(err.Error(),
				"NodePool clusters/pool-a") || !strings.Contains(err.Error(), "finds no place: 3 hosts, 4 workers")):
				t.Errorf("%s: %s: %v", name, what, err)
			}
		}
		// The control plane alone, and a pool that has the release, are upgraded; so are those of users who see no hosts.
		if _, err := upgrade.Prepare(t.Context(), m.client, request(func(r *upgrade.Request) {
			r.Version, r.NodePools = "4.19.5", nil
		})); err != nil {
			t.Errorf("%s: without pools: %v", name, err)
		}
		if !tc.refused {
			continue
		}
		nodes.Forbid(http.MethodGet)
		plan, err := upgrade.Prepare(t.Context(), m.client, request(func(r *upgrade.Request) { r.Version = "4.19.5" }))
		if err != nil || !strings.Contains(strings.Join(plan.Notes, "\n"), "was not counted") {
			t.Errorf("%s: without rights: %+v, %v", name, plan, err)
		}
	}
}
