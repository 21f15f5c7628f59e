package nodepool

import (
	"context"
	"fmt"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
)

// machinesReady returns AllMachinesReady, with the reason of Cluster API's KubeVirt provider for each machine that is
// not ready.
func (p *pool) machinesReady(ctx context.Context) (status.Condition, error) {
	kind := hyperv1.NodePoolAllMachinesReadyConditionType
	if len(p.machines) == 0 {
		return p.noMachines(kind), nil
	}
	bad := map[string][]string{}
	for i := range p.machines {
		m := &p.machines[i]
		if m.ready() && !m.leaving() {
			continue
		}
		reason, detail, err := p.notReady(ctx, m)
		if err != nil {
			return status.Condition{}, err
		}
		m.reason, m.message = reason, detail
		bad[reason] = append(bad[reason], msgMachine(m.vm.Name, reason, detail))
	}
	return p.verdict(kind, machinesReady, bad), nil
}

// notReady returns the provider's reason and message: the machine's pod cannot be scheduled, or one of its volumes is
// not ready. Source: pkg/kubevirt/machine.go of cluster-api-provider-kubevirt.
func (p *pool) notReady(ctx context.Context, m *machine) (reason, message string, err error) {
	if state := p.drainOf(m); state != nil {
		return reasonDraining, state.message, nil
	}
	if m.vm.Status.PrintableStatus == "" {
		return reasonWaitingInfrastructure, "", nil
	}
	for _, c := range m.vm.Status.Conditions {
		if c.Type == kubevirtv1.VirtualMachineConditionType(corev1.PodScheduled) && c.Status == corev1.ConditionFalse &&
			c.Reason == corev1.PodReasonUnschedulable {
			return c.Reason, c.Message, nil
		}
	}
	for _, t := range m.vm.Spec.DataVolumeTemplates {
		dv := &cdiv1.DataVolume{}
		err := p.vms.Get(ctx, types.NamespacedName{Namespace: p.vmNamespace, Name: t.Name}, dv)
		if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
			continue
		}
		if err != nil {
			return "", "", fmt.Errorf("get DataVolume %s/%s: %w", p.namespace, t.Name, err)
		}
		if reason, message := volumeNotReady(dv); reason != "" {
			return reason, message, nil
		}
	}
	return reasonVMNotReady, msgVMNotReady(string(m.vm.Status.PrintableStatus)), nil
}

func volumeNotReady(dv *cdiv1.DataVolume) (reason, message string) {
	message = fmt.Sprintf("DataVolume %s is not ready; Phase: %s", dv.Name, dv.Status.Phase)
	switch dv.Status.Phase {
	case cdiv1.Succeeded:
		return "", ""
	case cdiv1.Pending:
		return "DVPending", message
	case cdiv1.Failed:
		return "DVFailed", message
	}
	reason = "DVNotReady"
	for _, c := range dv.Status.Conditions {
		if c.Type == cdiv1.DataVolumeRunning && c.Status == corev1.ConditionFalse {
			message = fmt.Sprintf("DataVolume %s import is not running: %s", dv.Name, c.Message)
			if c.Reason == "ImagePullFailed" {
				reason = "DVImagePullFailed"
			}
		}
	}
	return reason, message
}

// The operator's settings of the MachineHealthCheck of a pool with autoRepair.
const (
	repairAfter  = 8 * time.Minute
	maxUnhealthy = 2
)

// repair simulates the MachineHealthCheck. It deletes a machine whose node has been unready for long, unless too many
// are unready.
func (p *pool) repair(ctx context.Context) (time.Duration, error) {
	if !p.np.Spec.Management.AutoRepair || !poolIs(p.np, condReachedIgnitionEndpoint) || p.guest.Phase != guest.Running {
		return 0, nil
	}
	var sick []*machine
	var wait time.Duration
	for i := range p.machines {
		m := &p.machines[i]
		key := p.key() + "sick/" + m.vm.Name
		if m.node == nil || m.leaving() || m.healthy() || m.node.Annotations[nodeStateAnnotation] == configWorking {
			p.Stages.Restart(key)
			continue
		}
		sick = append(sick, m)
		wait = reconciler.Soonest(wait, p.Stages.Remaining(key, repairAfter))
	}
	if len(sick) > maxUnhealthy {
		return wait, nil
	}
	for _, m := range sick {
		if p.Stages.Remaining(p.key()+"sick/"+m.vm.Name, repairAfter) > 0 {
			continue
		}
		left, err := p.remove(ctx, m)
		if err != nil {
			return 0, err
		}
		wait = reconciler.Soonest(wait, left)
	}
	return wait, nil
}
