package update

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/management"
	"github.com/hcctl/hcctl/pkg/step"
)

// controlPlanePool names the MachineConfigPool of the control plane nodes, which must not be paused.
const controlPlanePool = "master"

// judgeConfigPools reports the MachineConfigPools that cannot roll out an update. In an EUS-to-EUS update the pools of
// workers are paused on purpose.
func (w *snapshot) judgeConfigPools(r route) []step.Finding {
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

// judgeConfigPool returns a finding if the pool blocks the update. held reports whether it is paused on purpose.
func judgeConfigPool(pool *unstructured.Unstructured, r route) (f *step.Finding, held bool) {
	v := health.Judge(pool, time.Time{})
	switch {
	case v.State == step.StateOK:
		return nil, false
	case v.OK() && r.twoSteps() && pool.GetName() != controlPlanePool:
		return nil, true
	}
	found := blocking(v)
	return &found, false
}

// pausing returns the command that pauses or unpauses all pools but that of the control plane. The nodes of a pool that
// is left out restart twice.
func (w *snapshot) pausing(paused bool) string {
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
