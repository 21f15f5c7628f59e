package nodepool

import (
	"context"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
)

// holdMachine adds a finalizer to one machine of a pool that is being deleted, so that its deletion hangs.
func (p *pool) holdMachine(ctx context.Context) error {
	if !p.Faults.Active(fault.MachineHeld) || len(p.machines) == 0 {
		return nil
	}
	vm := &p.machines[0].vm
	if p.machines[0].leaving() || slices.Contains(vm.Finalizers, metadata.BackupFinalizer) {
		return nil
	}
	before := vm.DeepCopy()
	vm.Finalizers = append(vm.Finalizers, metadata.BackupFinalizer)
	if err := p.vms.Patch(ctx, vm, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("hold VirtualMachine %s/%s: %w", vm.Namespace, vm.Name, err)
	}
	return nil
}
