package nodepool

import (
	"slices"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

func testMachine(name, hash string, healthy bool) machine {
	status := corev1.ConditionFalse
	if healthy {
		status = corev1.ConditionTrue
	}
	return machine{
		vm: kubevirtv1.VirtualMachine{ObjectMeta: metav1.ObjectMeta{Name: name,
			Labels: map[string]string{machineHashLabel: hash}}},
		node: &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status}}},
		},
	}
}

func TestPlan(t *testing.T) {
	m := func(hash string, healthy bool) machine { return testMachine("m", hash, healthy) }
	rolling := func(desired int) strategy { return strategy{desired: desired, surge: 1} }
	for _, tc := range []struct {
		name     string
		machines []machine
		strategy strategy
		create   int
		remove   []int
	}{
		{"empty", nil, rolling(2), 2, nil},
		{"as wanted", []machine{m("new", true), m("new", false)}, rolling(2), 0, nil},
		{"scale down takes the unhealthy one", []machine{m("new", true), m("new", false)}, rolling(1), 0, []int{1}},
		{"to nothing", []machine{m("new", true)}, rolling(0), 0, []int{0}},
		{"a new template surges by one", []machine{m("old", true), m("old", true)}, rolling(2), 1, nil},
		{"and waits for the surge", []machine{m("old", true), m("old", true), m("new", false)}, rolling(2), 0, nil},
		{"then removes an old one", []machine{m("old", true), m("old", true), m("new", true)}, rolling(2), 0, []int{0}},
		{"then surges again", []machine{m("old", true), m("new", true)}, rolling(2), 1, nil},
		{"last old one goes", []machine{m("old", true), m("new", true), m("new", true)}, rolling(2), 0, []int{0}},
		{"a surge of two", []machine{m("old", true), m("old", true), m("old", true)}, strategy{desired: 3, surge: 2}, 2, nil},
		{"no surge, one unavailable", []machine{m("old", true), m("old", true)}, strategy{desired: 2, unavailable: 1},
			0, []int{0}},
		{"and then the new one", []machine{m("old", true)}, strategy{desired: 2, unavailable: 1}, 1, nil},
		{"on delete: nothing by itself", []machine{m("old", true), m("old", true)},
			strategy{desired: 2, surge: 1, onDelete: true}, 0, nil},
		{"on delete: what was deleted comes back new", []machine{m("old", true)},
			strategy{desired: 2, surge: 1, onDelete: true},
			1, nil},
		{"on delete: scale down", []machine{m("old", true), m("new", true)}, strategy{desired: 1, surge: 1, onDelete: true},
			0,
			[]int{0}},
		{"in place: never replaced", []machine{m("old", true), m("old", true)},
			strategy{desired: 2, unavailable: 1, inPlace: true}, 0, nil},
		{"in place: scale up", []machine{m("old", true)}, strategy{desired: 2, unavailable: 1, inPlace: true}, 1, nil},
	} {
		got := plan(tc.machines, "new", tc.strategy)
		if got.create != tc.create || !slices.Equal(got.remove, tc.remove) {
			t.Errorf("%s: %+v, want create %d remove %v", tc.name, got, tc.create, tc.remove)
		}
	}
}

// During a roll-out the plan keeps the minimum of healthy machines and the maximum of all machines.
func TestPlanKeepsItsLimits(t *testing.T) {
	for _, p := range []strategy{{desired: 3, surge: 1}, {desired: 3, unavailable: 1},
		{desired: 4, surge: 2, unavailable: 1},
		{desired: 1, surge: 1}} {
		var machines []machine
		for range p.desired {
			machines = append(machines, testMachine("old", "old", true))
		}
		done := false
		for range 50 {
			s := plan(machines, "new", p)
			if s.create == 0 && len(s.remove) == 0 {
				done = true
				break
			}
			var left []machine
			for i := range machines {
				if !slices.Contains(s.remove, i) {
					left = append(left, machines[i])
				}
			}
			if len(left) < p.desired-p.unavailable {
				t.Errorf("%+v: %d healthy machines left", p, len(left))
			}
			for range s.create {
				left = append(left, testMachine("new", "new", true))
			}
			if len(left) > p.desired+p.surge {
				t.Errorf("%+v: %d machines at once", p, len(left))
			}
			machines = left
		}
		if !done || len(machines) != p.desired || slices.ContainsFunc(machines, func(m machine) bool {
			return !m.matches("new")
		}) {
			t.Errorf("%+v ends with %d machines, done %v", p, len(machines), done)
		}
	}
}

func TestStrategyOf(t *testing.T) {
	np := testPool()
	np.Spec.Management = hyperv1.NodePoolManagement{UpgradeType: hyperv1.UpgradeTypeReplace,
		Replace: &hyperv1.ReplaceUpgrade{
			Strategy: hyperv1.UpgradeStrategyRollingUpdate,
			RollingUpdate: &hyperv1.RollingUpdate{MaxSurge: ptr.To(intstr.FromString("30%")),
				MaxUnavailable: ptr.To(intstr.FromString("30%"))},
		}}
	if got, err := strategyOf(np, 4); err != nil || got != (strategy{desired: 4, surge: 2, unavailable: 1}) {
		t.Errorf("30%% of 4: %+v, %v: a surge is rounded up, what may be missing down", got, err)
	}
	np.Spec.Management = hyperv1.NodePoolManagement{UpgradeType: hyperv1.UpgradeTypeInPlace}
	if got, err := strategyOf(np, 4); err != nil ||
		got != (strategy{desired: 4, surge: 1, unavailable: 1, inPlace: true}) {
		t.Errorf("in place: %+v, %v", got, err)
	}
	np.Spec.Management = hyperv1.NodePoolManagement{UpgradeType: hyperv1.UpgradeTypeReplace,
		Replace: &hyperv1.ReplaceUpgrade{
			RollingUpdate: &hyperv1.RollingUpdate{MaxSurge: ptr.To(intstr.FromString("many"))},
		}}
	if _, err := strategyOf(np, 4); err == nil {
		t.Error("a maxSurge that is neither number nor percentage is accepted")
	}
}
