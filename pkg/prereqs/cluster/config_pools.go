package cluster

import (
	"context"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// ConfigPools is the prerequisite of this file.
const ConfigPools step.ID = "cluster/machine-config-pools"

// configPools checks that no node is about to be drained and restarted for a new configuration.
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

// readPools returns the rights of its check.
func readPools() []access.Rule {
	return append(readDrains(), prereq.ListConfig("machineconfigpools.machineconfiguration.openshift.io"))
}

func (s configPools) check(ctx context.Context, r kube.Reader) step.Finding {
	f, _ := readConfigPools(ctx, r)
	return f
}

// readConfigPools judges the pools, with what blocks the drain of a node, and returns them.
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

// judgeConfigPools judges all pools. A paused pool is acceptable while it has nothing to roll out.
func judgeConfigPools(pools []unstructured.Unstructured) step.Finding {
	if len(pools) == 0 {
		return step.OK("there are none: nothing here rolls its nodes").On("MachineConfigPools")
	}
	var waiting *step.Finding
	var paused []string
	for i := range pools {
		switch v := health.Judge(&pools[i], time.Time{}); {
		case v.Trouble:
			v.State, v.Trouble = step.StateMissing, false
			return v.Finding
		case v.Reason == health.ReasonPaused:
			paused = append(paused, pools[i].GetName())
		case !v.OK() && waiting == nil:
			waiting = &v.Finding
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
