package virtualization

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// machines blocks the removal of KubeVirt while virtual machines exist. Its operator would refuse too, by the default
// uninstallStrategy BlockUninstallIfWorkloadsExist.
type machines struct{}

func (s machines) check(ctx context.Context, r kube.Reader, hc *unstructured.Unstructured) *step.Finding {
	vms := &kubevirtv1.VirtualMachineList{}
	if err := r.List(ctx, vms); err != nil && !kube.IsKindMissing(err) {
		f := kube.Unknown(err).On("VirtualMachines")
		return &f
	}
	instances := &kubevirtv1.VirtualMachineInstanceList{}
	if err := r.List(ctx, instances); err != nil && !kube.IsKindMissing(err) {
		f := kube.Unknown(err).On("VirtualMachineInstances")
		return &f
	}
	var names []string
	for i := range vms.Items {
		names = append(names, "VirtualMachine "+kube.Name(&vms.Items[i]))
	}
	for i := range instances.Items {
		if len(instances.Items[i].OwnerReferences) == 0 {
			names = append(names, "VirtualMachineInstance "+kube.Name(&instances.Items[i]))
		}
	}
	if len(names) == 0 {
		return nil
	}
	f := step.Broken("virtual machines are there: %s", strings.Join(names, ", ")).On("HyperConverged %s", kube.Name(hc)).
		WithHint("delete them first: oc get vm,vmi -A")
	return &f
}
