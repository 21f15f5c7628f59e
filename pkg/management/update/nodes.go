package update

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/management"
	"github.com/hcctl/hcctl/pkg/step"
)

// controlPlanePool is the MachineConfigPool of the control plane nodes, which must not wait.
const controlPlanePool = "master"

// judgeConfigPools says which MachineConfigPools cannot roll an update out. In an EUS-to-EUS update the pools of
// workers are paused on purpose.
func (w *world) judgeConfigPools(r route) []step.Finding {
	const all = "MachineConfigPools"
	switch {
	case kube.IsKindMissing(w.configPools.Err), w.configPools.Err == nil && len(w.configPools.Items) == 0:
		return []step.Finding{step.Unknown("there are none, so it is not known how nodes are updated").On("%s", all)}
	case w.configPools.Err != nil:
		return []step.Finding{management.Unread(all, w.configPools.Err)}
	}
	var out []step.Finding
	var waiting []string
	for i := range w.configPools.Items {
		pool := &w.configPools.Items[i]
		if f, held := judgeConfigPool(pool, r); f != nil {
			out = append(out, *f)
		} else if held {
			waiting = append(waiting, pool.GetName())
		}
	}
	if len(waiting) > 0 {
		out = append(out, step.OK("paused, as the two steps ask for: %s", strings.Join(waiting, ", ")).On("%s", all))
	}
	if len(out) == 0 {
		return []step.Finding{step.OK("%s updated, none is degraded or paused",
			are(len(w.configPools.Items))).On("%s", all)}
	}
	return out
}

// judgeConfigPool judges one by what the machine config operator of OpenShift 4.12 and later writes. held is whether it
// is paused where that is wanted.
func judgeConfigPool(pool *unstructured.Unstructured, r route) (f *step.Finding, held bool) {
	name := pool.GetName()
	object, look := "MachineConfigPool "+name, "oc describe machineconfigpool "+name
	conditions := kube.Conditions(pool)
	degraded, updated := kube.FindCondition(conditions, "Degraded"), kube.FindCondition(conditions, "Updated")
	updating := kube.FindCondition(conditions, "Updating")
	blocked := func(hint, format string, args ...any) (*step.Finding, bool) {
		found := step.Failing(format, args...).On("%s", object).WithHint("%s", hint)
		return &found, false
	}
	unpause := fmt.Sprintf(`oc patch machineconfigpool %s --type=merge -p '{"spec":{"paused":false}}', and wait for it`,
		name)
	switch {
	case degraded.True():
		return blocked(look, "%s", degraded.Describe())
	case kube.Flag(pool, "spec", "paused") && r.twoSteps() && name != controlPlanePool && updated.True():
		return nil, true
	case kube.Flag(pool, "spec", "paused") && !updated.True():
		return blocked(unpause, "it is paused with changes waiting: its nodes restart as soon as it is unpaused")
	case kube.Flag(pool, "spec", "paused"):
		return blocked(unpause, "it is paused: its nodes stay at their version, and an update does not complete")
	case updating.True(), updated.False(), !kube.Observed(pool):
		return blocked("oc get machineconfigpool "+name, "its nodes are being updated: %d of %d are",
			kube.Number(pool, "status", "updatedMachineCount"), kube.Number(pool, "status", "machineCount"))
	case !updated.True():
		found := step.Unknown("%s", updated.Describe()).On("%s", object).WithHint("%s", look)
		return &found, false
	}
	return nil, false
}

// pausing is the command that pauses the pools of workers, or lets them go on: all but that of the control plane. A
// node of a pool that is left out restarts twice.
func (w *world) pausing(paused bool) string {
	var names []string
	for i := range w.configPools.Items {
		if name := w.configPools.Items[i].GetName(); name != controlPlanePool {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		names = []string{"NAME"}
	}
	slices.Sort(names)
	return fmt.Sprintf(`oc patch machineconfigpool %s --type=merge -p '{"spec":{"paused":%t}}'`,
		strings.Join(names, " "), paused)
}
