package status

import (
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/cause"
	"github.com/hcctl/hcctl/pkg/hostedcluster/infrastructure"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// machines judges the worker VMs.
func (v *snapshot) machines(phase Phase) Part {
	if why := v.platform().NotJudged(); why != "" {
		return Part{Kind: machinesKind, Health: OK, Message: why, NotJudged: true}
	}
	if away := (*infrastructure.NotReachedError)(nil); errors.As(v.vms.err, &away) {
		p := unread(machinesKind, away.Error())
		p.Hint = away.Hint()
		return p
	}
	if v.vms.err != nil {
		return unread(machinesKind, kube.Explain(v.vms.err))
	}
	p := Part{Kind: machinesKind, Health: OK}
	ready := 0
	for i := range v.vms.items {
		vm := &v.vms.items[i]
		verdict := health.Of(vm, v.now)
		if vm.Status.Ready && vm.DeletionTimestamp == nil {
			ready++
			if verdict.State != step.StateWarning {
				verdict = v.migrationTarget(vm.Name)
			}
			if verdict.State == step.StateWarning {
				p.add(objectPart("VirtualMachine", vm.Name, Warning, verdict))
			}
			continue
		}
		worst := v.underWay(vm.CreationTimestamp.Time)
		if vm.DeletionTimestamp != nil {
			worst = v.underWay(vm.DeletionTimestamp.Time)
		} else if verdict.Trouble || verdict.State == step.StateBroken ||
			vm.Status.PrintableStatus == kubevirtv1.VirtualMachineStatusStopped {
			worst = Failing
		}
		p.add(objectPart("VirtualMachine", vm.Name, worst, verdict))
	}
	p.worstFirst()
	if len(v.vms.items) == 0 && v.wanted() == 0 && v.pools.err == nil && phase != Deleting {
		p.Message = "none are wanted"
		return p
	}
	total := len(v.vms.items)
	if phase != Deleting {
		total = max(total, v.wanted())
	}
	p.count(ready, total)
	p.Message = v.volumes()
	if v.infra != nil {
		p.Message = strings.TrimPrefix(p.Message+", ", ", ") + fmt.Sprintf("on infrastructure cluster %s, namespace %s",
			v.infra.site.Cluster.Config().Host, v.infra.site.Namespace)
	}
	if missing := total - len(v.vms.items); missing > 0 {
		worst := Failing
		if phase != Ready || v.nodePools(phase).Health == Progressing {
			worst = Progressing
		}
		p.Health, p.Message = Worse(p.Health, worst), fmt.Sprintf("%d not created yet", missing)
	}
	return p
}

func (v *snapshot) platform() hostedcluster.Platform {
	if v.infra != nil {
		return hostedcluster.PlatformOf(v.hc).Reached()
	}
	return hostedcluster.PlatformOf(v.hc)
}

// volumes counts the volumes of the hosted cluster's claims that are plugged into its VMs, and those that are
// requested. KubeVirt's CSI driver adds them to the running VM (kubevirt/csi-driver, ControllerPublishVolume).
func (v *snapshot) volumes() string {
	plugged, requested := 0, 0
	for i := range v.vms.items {
		vm := &v.vms.items[i]
		if vm.Spec.Template != nil {
			for _, volume := range vm.Spec.Template.Spec.Volumes {
				dv, claim := volume.DataVolume, volume.PersistentVolumeClaim
				if dv != nil && dv.Hotpluggable || claim != nil && claim.Hotpluggable {
					plugged++
				}
			}
		}
		for _, request := range vm.Status.VolumeRequests {
			if request.AddVolumeOptions != nil {
				requested++
			}
		}
	}
	switch {
	case requested > 0:
		return fmt.Sprintf("%s plugged in, %d asked for", plural.Count(plugged, "volume"), requested)
	case plugged > 0:
		return plural.Count(plugged, "volume") + " plugged in"
	}
	return ""
}

// migrationTarget returns a warning if the live migration of a VM waits for a pod that does not start.
func (v *snapshot) migrationTarget(vm string) health.Verdict {
	for i := range v.launchers.items {
		pod := &v.launchers.items[i]
		if pod.Labels[kubevirtv1.MigrationJobLabel] == "" || !cause.RunsVM(pod, vm) {
			continue
		}
		if verdict := health.Of(pod, v.now); verdict.Trouble && pod.Status.Phase == corev1.PodPending {
			verdict.State, verdict.Message = step.StateWarning, fmt.Sprintf("its live migration %s waits for pod %s: %s",
				pod.Annotations[kubevirtv1.MigrationJobNameAnnotation], pod.Name, verdict.Message)
			return verdict
		}
	}
	return health.Verdict{}
}

// movedFrom returns the host in a node's label if its VM now runs on another host, or "".
func (v *snapshot) movedFrom(node *corev1.Node) string {
	label, name := node.Labels[options.TopologyPrefix+"host"], ""
	for i := range v.launchers.items {
		pod := &v.launchers.items[i]
		if !cause.RunsVM(pod, node.Name) || pod.Status.Phase != corev1.PodRunning {
			continue
		}
		if pod.Spec.NodeName == label || len(pod.Spec.NodeName) > validation.LabelValueMaxLength {
			return ""
		}
		name = pod.Spec.NodeName
	}
	if label == "" || name == "" {
		return ""
	}
	return label
}
