package nodepool

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/fault"
)

// propagateFaults copies the NodePool's fault annotation to the DataVolumes of machines that are not ready.
func (p *pool) propagateFaults(ctx context.Context) error {
	want := p.np.Annotations[fault.Annotation]
	for i := range p.machines {
		m := &p.machines[i]
		if m.ready() || want == "" && m.vm.Annotations[fault.Annotation] == "" {
			continue
		}
		for _, t := range m.vm.Spec.DataVolumeTemplates {
			dv := &cdiv1.DataVolume{ObjectMeta: metav1.ObjectMeta{Namespace: p.vmNamespace, Name: t.Name}}
			if err := p.note(ctx, dv, want); err != nil {
				return err
			}
		}
		if err := p.note(ctx, &m.vm, want); err != nil {
			return err
		}
	}
	return nil
}

func (p *pool) note(ctx context.Context, o client.Object, faults string) error {
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, fault.Annotation, faults)
	if err := p.vms.Patch(ctx, o, client.RawPatch(types.MergePatchType, []byte(patch))); client.IgnoreNotFound(
		err) != nil {
		return fmt.Errorf("note the faults of %T %s: %w", o, o.GetName(), err)
	}
	return nil
}
