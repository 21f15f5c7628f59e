package cluster

import (
	"context"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// ConfigPools is the prerequisite of this file.
const ConfigPools step.ID = "cluster/machine-config-pools"

// configPools checks that no node is about to be drained and restarted with a new configuration.
type configPools struct{}

func (s configPools) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: ConfigPools, Title: "machine config pools",
		Check: s.check, Timeout: 30 * time.Minute,
		Rights: prereq.Rights{
			Check: readPools(),
		},
	}
}

// readPools are the rights of its check.
func readPools() []access.Rule {
	return append(readDrains(), prereq.ListConfig("machineconfigpools.machineconfiguration.openshift.io"))
}

func (s configPools) check(ctx context.Context, r kube.Reader) step.Finding {
	f, _ := readConfigPools(ctx, r)
	return f
}

// readConfigPools judges the pools, with what holds up the drain of a node, and returns them.
func readConfigPools(ctx context.Context, r kube.Reader) (f step.Finding, pools []unstructured.Unstructured) {
	list := kube.MachineConfigPool.NewList()
	err := r.List(ctx, list)
	switch {
	case kube.IsKindMissing(err):
		return step.OK("the cluster has no MachineConfigPools: nothing here rolls its nodes").On("MachineConfigPools"), nil
	case err != nil:
		return kube.Unknown(err).On("MachineConfigPools"), nil
	}
	f = judgeConfigPools(list.Items)
	if f.State == step.StatePending {
		if held := heldDrain(ctx, r); held != nil {
			held.Message += "; " + f.Object + ": " + f.Message
			f = *held
		}
	}
	return f, list.Items
}

// judgeConfigPools reads the conditions as the machine config operator of OpenShift 4.12 and later writes them. A pool
// that is paused holds nothing up while it has nothing to roll out.
func judgeConfigPools(pools []unstructured.Unstructured) step.Finding {
	if len(pools) == 0 {
		return step.OK("there are none: nothing here rolls its nodes").On("MachineConfigPools")
	}
	var waiting *step.Finding
	var paused []string
	for i := range pools {
		pool := &pools[i]
		name := pool.GetName()
		conditions := kube.Conditions(pool)
		degraded, updated := kube.FindCondition(conditions, "Degraded"), kube.FindCondition(conditions, "Updated")
		held := kube.Flag(pool, "spec", "paused")
		switch {
		case degraded.True():
			return step.Missing("%s", degradedPool(conditions)).On("MachineConfigPool %s", name).
				WithHint("oc describe machineconfigpool %s", name)
		case held && !updated.True():
			return step.Missing("it is paused with changes waiting: its nodes restart, one after another, as soon as "+
				"it is unpaused").On("MachineConfigPool %s", name).
				WithHint(`oc patch machineconfigpool %s --type=merge -p '{"spec":{"paused":false}}', and wait for it`, name)
		case held:
			paused = append(paused, name)
		case (!updated.True() || !kube.Observed(pool)) && waiting == nil:
			f := step.Pending("its nodes are being updated: %d of %d are", kube.Number(pool, "status", "updatedMachineCount"),
				kube.Number(pool, "status", "machineCount")).
				On("MachineConfigPool %s", name).WithHint("oc get machineconfigpool %s", name)
			waiting = &f
		}
	}
	switch {
	case waiting != nil:
		return *waiting
	case len(paused) > 0:
		return step.OK("%d are updated, none is degraded; paused: %s (certificates of nodes are not renewed meanwhile)",
			len(pools), strings.Join(paused, ", ")).On("MachineConfigPools")
	}
	return step.OK("%d are updated, none is degraded or paused", len(pools)).On("MachineConfigPools")
}

// degradedPool prefers the conditions that say why to the one that sums them up.
func degradedPool(conditions []kube.Condition) string {
	for _, t := range []string{"RenderDegraded", "NodeDegraded", "PinnedImageSetsDegraded"} {
		if c := kube.FindCondition(conditions, t); c.True() && c.Message != "" {
			return c.Describe()
		}
	}
	return kube.FindCondition(conditions, "Degraded").Describe()
}
