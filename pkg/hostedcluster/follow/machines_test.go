package follow

import (
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
)

// autoscaled is a pool that is scaled automatically.
func autoscaled(least, most, have int32, rows ...hostedtest.Row) *hyperv1.NodePool {
	np := hostedtest.Pool(0, have, rows...)
	np.Spec.Replicas, np.Spec.AutoScaling = nil, &hyperv1.NodePoolAutoScaling{Min: least, Max: most}
	return np
}

func vms(ready ...bool) []kubevirtv1.VirtualMachine {
	var list []kubevirtv1.VirtualMachine
	for i, r := range ready {
		vm := kubevirtv1.VirtualMachine{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: "clusters-plain",
				Name:      "vm-" + string(rune('a'+i)),
				Labels:    map[string]string{hyperv1.NodePoolNameLabel: "plain"},
			},
		}
		vm.Status.Ready, vm.Status.PrintableStatus = r, kubevirtv1.VirtualMachineStatusProvisioning
		list = append(list, vm)
	}
	return list
}

func TestPoolsOfManySizes(t *testing.T) {
	ready := []hostedtest.Row{{"AllNodesHealthy", "True", "AsExpected", ""}, {"Ready", "True", "AsExpected", ""}}
	leaving := vms(true, true, true)
	leaving[2].DeletionTimestamp = ptr.To(metav1.Now())
	unschedulable := vms(true, false)
	unschedulable[1].Status.PrintableStatus = kubevirtv1.VirtualMachineStatusUnschedulable
	const np, vm = "NodePool clusters/plain: ", "VirtualMachine clusters-plain/"
	for name, tc := range map[string]struct {
		np              *hyperv1.NodePool
		vms             []kubevirtv1.VirtualMachine
		machines, nodes string
	}{
		"more than are to be": {hostedtest.Pool(2, 3, ready...), vms(true, true, true), "pending: " + np +
			"3 of 2 worker VMs ready: 1 too many", "pending: " + np + "3 of 2 nodes joined and ready"},
		"one leaves": {hostedtest.Pool(2, 2, ready...), leaving, "pending: " + vm + "vm-c: 2 of 2 worker VMs ready; " +
			"another is being removed", "ok: " + np + "2 of 2 nodes joined and ready"},
		"one comes": {hostedtest.Pool(2, 1, ready...), vms(true, false), "pending: " + vm + "vm-b: 1 of 2 worker " +
			"VMs ready: Provisioning", "pending: " + np + "1 of 2 nodes joined and ready"},
		"none": {hostedtest.Pool(0, 0), nil, "ok: " + np + "0 of 0 worker VMs ready", "ok: " + np +
			"0 of 0 nodes joined and ready"},
		"within its bounds": {autoscaled(2, 5, 4, ready...), vms(true, true, true, true), "ok: " + np +
			"4 of 2 to 5 worker VMs ready", "ok: " + np + "4 of 2 to 5 nodes joined and ready"},
		"below its bounds": {autoscaled(2, 5, 1, ready...), vms(true), "pending: " + np + "1 of 2 to 5 worker VMs ready",
			"pending: " + np + "1 of 2 to 5 nodes joined and ready"},
		"above its bounds": {autoscaled(1, 2, 3, ready...), vms(true, true, true), "pending: " + np +
			"3 of 1 to 2 worker VMs ready: 1 too many", "pending: " + np + "3 of 1 to 2 nodes joined and ready"},
		"fits on no node": {hostedtest.Pool(2, 1, ready...), unschedulable, "pending: " + vm + "vm-b: 1 of 2 worker VMs " +
			"ready: ErrorUnschedulable", "pending: " + np + "1 of 2 nodes joined and ready"},
		"of another pool only": {hostedtest.Pool(0, 0), func() []kubevirtv1.VirtualMachine {
			l := vms(true)
			l[0].Labels[hyperv1.NodePoolNameLabel] = "x"
			return l
		}(), "ok: " + np + "0 of 0 worker VMs ready", "ok: " + np + "0 of 0 nodes joined and ready"},
	} {
		t.Run(name, func(t *testing.T) {
			f := Machines(tc.np, tc.vms)
			hostedtest.Expect(t, f, tc.machines)
			if f.Trouble != (name == "fits on no node") {
				t.Errorf("trouble: %v", f.Trouble)
			}
			hostedtest.Expect(t, Nodes(tc.np), tc.nodes)
		})
	}
}

func TestSettled(t *testing.T) {
	ready := []hostedtest.Row{{"AllNodesHealthy", "True", "AsExpected", ""}, {"Ready", "True", "AsExpected", ""}}
	seen := func(np *hyperv1.NodePool, generation, observed int64) *hyperv1.NodePool {
		np.Generation = generation
		for i := range np.Status.Conditions {
			np.Status.Conditions[i].ObservedGeneration = observed
		}
		return np
	}
	const np = "NodePool clusters/plain: "
	for name, tc := range map[string]struct {
		np   *hyperv1.NodePool
		want string
	}{
		"not seen yet": {seen(hostedtest.Pool(2, 2, ready...), 4, 3), "pending: " + np + "the HyperShift operator " +
			"has not processed the change yet"},
		"seen":                   {seen(hostedtest.Pool(2, 2, ready...), 4, 4), "ok: " + np + "2 of 2 nodes joined and ready"},
		"reports no generations": {seen(hostedtest.Pool(2, 2, ready...), 4, 0), "ok: " + np + "2 of 2 nodes joined and ready"},
		"rolling": {seen(hostedtest.Pool(2, 2,
			append(ready, hostedtest.Row{"UpdatingVersion", "True", "AsExpected",
				"Updating version in progress. Target version: 4.20.4"})...), 4, 4), "pending: " + np +
			"2 of 2 nodes joined and ready; UpdatingVersion: Updating version in progress. Target version: 4.20.4"},
		"rolling, one away": {seen(
			hostedtest.Pool(2, 1, append(ready, hostedtest.Row{"UpdatingConfig", "True", "AsExpected", ""})...), 4, 4), "pending: " +
			np + "1 of 2 nodes joined and ready; UpdatingConfig"},
	} {
		t.Run(name, func(t *testing.T) { hostedtest.Expect(t, unlessRolling(tc.np, Nodes(tc.np)), tc.want) })
	}
}
