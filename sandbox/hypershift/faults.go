package hypershift

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// FaultsAnnotation on a HostedCluster or NodePool names faults, with commas between them, that are in effect for it alone for
// as long as the annotation says so: what --fault is for all of them.
const FaultsAnnotation = "sandbox.hcctl.dev/faults"

// The cluster operators that faults are about.
const (
	stuckOperator          = "monitoring"
	notUpgradeableOperator = "operator-lifecycle-manager"
)

// wrong tells whether a fault is in effect, for all or for one of the objects.
func (b *base) wrong(name string, objects ...client.Object) bool {
	if b.Faults.On(name) {
		return true
	}
	return slices.ContainsFunc(objects, func(o client.Object) bool {
		return slices.Contains(strings.Split(o.GetAnnotations()[FaultsAnnotation], ","), name)
	})
}

func msgIncompatibleOperator(minor int) string {
	return fmt.Sprintf("ClusterServiceVersions blocking minor version upgrades to 4.%d.0 or higher:\n"+
		"- maximum supported OCP version for openshift-logging/cluster-logging.v6.0.0 is 4.%d", minor+1, minor)
}

// passFaultsOn has the volumes of machines that are not ready yet go wrong, or right, as the NodePool's annotation says.
func (p *pool) passFaultsOn(ctx context.Context) error {
	want := p.np.Annotations[FaultsAnnotation]
	for i := range p.machines {
		m := &p.machines[i]
		if m.ready() || want == "" && m.vm.Annotations[FaultsAnnotation] == "" {
			continue
		}
		for _, t := range m.vm.Spec.DataVolumeTemplates {
			dv := &cdiv1.DataVolume{ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: t.Name}}
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

func (b *base) note(ctx context.Context, o client.Object, faults string) error {
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, FaultsAnnotation, faults)
	if err := b.Client.Patch(ctx, o, client.RawPatch(types.MergePatchType, []byte(patch))); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("note the faults of %T %s: %w", o, o.GetName(), err)
	}
	return nil
}
