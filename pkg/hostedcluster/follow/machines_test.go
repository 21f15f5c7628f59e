package follow

import (
	"testing"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/fakeapi"
)

func TestSizesSurviveTheirAnnotation(t *testing.T) {
	for _, s := range []hostedcluster.Size{{}, {Min: 3, Max: 3}, {Min: 2, Max: 5, Auto: true},
		{Min: 2, Max: 2, Auto: true}} {
		if got, ok := hostedcluster.ParseSize(s.Encode()); !ok || got != s {
			t.Errorf("%+v became %q became %+v", s, s.Encode(), got)
		}
	}
	for _, code := range []string{"", "x", "-1", "3-", "-3", "5-2", "0-2", "1-2-3", " 3", "99999999999"} {
		if got, ok := hostedcluster.ParseSize(code); ok {
			t.Errorf("%q is taken for %+v", code, got)
		}
	}
}

func TestPauseOf(t *testing.T) {
	now := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	for value, want := range map[string]string{
		"true": "until it is resumed", "True": "until it is resumed", "false": "", "False": "",
		"2026-03-01T10:00:01Z": "until 2026-03-01T10:00:01Z", "2026-03-01T12:30:00+02:00": "until 2026-03-01T10:30:00Z",
		"2026-03-01T10:00:00Z": "", "2025-03-01T10:00:00Z": "", "2027-03-01T10:00": "",
	} {
		p := hostedcluster.PauseOf(&value, now)
		if p.Active != (want != "") || p.Active && p.String() != want {
			t.Errorf("%s: %+v, want %q", value, p, want)
		}
	}
	if hostedcluster.PauseOf(nil, now).Active {
		t.Error("not set, and paused")
	}
}

// autoscaled is a pool that is scaled automatically.
func autoscaled(least, most, have int32, rows ...fakeapi.Row) *hyperv1.NodePool {
	np := fakeapi.Pool(0, have, rows...)
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
	ready := []fakeapi.Row{{"AllNodesHealthy", "True", "AsExpected", ""}, {"Ready", "True", "AsExpected", ""}}
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
		"more than are to be": {fakeapi.Pool(2, 3, ready...), vms(true, true, true), "pending: " + np +
			"3 of 2 worker VMs ready: 1 too many", "pending: " + np + "3 of 2 nodes joined and ready"},
		"one leaves": {fakeapi.Pool(2, 2, ready...), leaving, "pending: " + vm + "vm-c: 2 of 2 worker VMs ready; " +
			"another is being removed", "ok: " + np + "2 of 2 nodes joined and ready"},
		"one comes": {fakeapi.Pool(2, 1, ready...), vms(true, false), "pending: " + vm + "vm-b: 1 of 2 worker " +
			"VMs ready: Provisioning", "pending: " + np + "1 of 2 nodes joined and ready"},
		"none": {fakeapi.Pool(0, 0), nil, "ok: " + np + "0 of 0 worker VMs ready", "ok: " + np +
			"0 of 0 nodes joined and ready"},
		"within its bounds": {autoscaled(2, 5, 4, ready...), vms(true, true, true, true), "ok: " + np +
			"4 of 2 to 5 worker VMs ready", "ok: " + np + "4 of 2 to 5 nodes joined and ready"},
		"below its bounds": {autoscaled(2, 5, 1, ready...), vms(true), "pending: " + np + "1 of 2 to 5 worker VMs ready",
			"pending: " + np + "1 of 2 to 5 nodes joined and ready"},
		"above its bounds": {autoscaled(1, 2, 3, ready...), vms(true, true, true), "pending: " + np +
			"3 of 1 to 2 worker VMs ready: 1 too many", "pending: " + np + "3 of 1 to 2 nodes joined and ready"},
		"fits on no node": {fakeapi.Pool(2, 1, ready...), unschedulable, "pending: " + vm + "vm-b: 1 of 2 worker VMs " +
			"ready: ErrorUnschedulable", "pending: " + np + "1 of 2 nodes joined and ready"},
		"of another pool only": {fakeapi.Pool(0, 0), func() []kubevirtv1.VirtualMachine {
			l := vms(true)
			l[0].Labels[hyperv1.NodePoolNameLabel] = "x"
			return l
		}(), "ok: " + np + "0 of 0 worker VMs ready", "ok: " + np + "0 of 0 nodes joined and ready"},
	} {
		t.Run(name, func(t *testing.T) {
			f := Machines(tc.np, tc.vms)
			fakeapi.Expect(t, f, tc.machines)
			if f.Trouble != (name == "fits on no node") {
				t.Errorf("trouble: %v", f.Trouble)
			}
			fakeapi.Expect(t, Nodes(tc.np), tc.nodes)
		})
	}
}

func TestSettled(t *testing.T) {
	ready := []fakeapi.Row{{"AllNodesHealthy", "True", "AsExpected", ""}, {"Ready", "True", "AsExpected", ""}}
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
		"not seen yet": {seen(fakeapi.Pool(2, 2, ready...), 4, 3), "pending: " + np + "the HyperShift operator " +
			"has not looked at the change yet"},
		"seen":                   {seen(fakeapi.Pool(2, 2, ready...), 4, 4), "ok: " + np + "2 of 2 nodes joined and ready"},
		"reports no generations": {seen(fakeapi.Pool(2, 2, ready...), 4, 0), "ok: " + np + "2 of 2 nodes joined and ready"},
		"rolling": {seen(fakeapi.Pool(2, 2,
			append(ready, fakeapi.Row{"UpdatingVersion", "True", "AsExpected",
				"Updating version in progress. Target version: 4.20.4"})...), 4, 4), "pending: " + np +
			"2 of 2 nodes joined and ready; UpdatingVersion: Updating version in progress. Target version: 4.20.4"},
		"rolling, one away": {seen(
			fakeapi.Pool(2, 1, append(ready, fakeapi.Row{"UpdatingConfig", "True", "AsExpected", ""})...), 4, 4), "pending: " +
			np + "1 of 2 nodes joined and ready; UpdatingConfig"},
	} {
		t.Run(name, func(t *testing.T) { fakeapi.Expect(t, unlessRolling(tc.np, Nodes(tc.np)), tc.want) })
	}
}

func TestVersionsInTheirOrder(t *testing.T) {
	order := []string{
		"4.19.30",
		"4.20.0-ec.1",
		"4.20.0-rc.2",
		"4.20.0-rc.10",
		"4.20.0",
		"4.20.3",
		"4.20.10",
		"4.21.0",
		"5.0.0",
	}
	for i, a := range order {
		for j, b := range order {
			v, _ := hostedcluster.ParseVersion(a)
			w, _ := hostedcluster.ParseVersion(b)
			if v.Before(w) != (i < j) {
				t.Errorf("%s before %s: %v", a, b, v.Before(w))
			}
			if v.String() != a {
				t.Errorf("%s is written %s", a, v)
			}
		}
	}
	last, _ := hostedcluster.ParseVersion("4.22.9")
	first, _ := hostedcluster.ParseVersion("5.0.0")
	if first.MinorNumber()-last.MinorNumber() != 1 {
		t.Errorf("5.0 is %d minors after 4.22", first.MinorNumber()-last.MinorNumber())
	}
}
