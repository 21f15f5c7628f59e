package nodepool

import (
	"encoding/json"
	"fmt"

	jsonpatch "github.com/evanphx/json-patch/v5"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// patched applies the JSON patches of annotations to a machine, in their order, as the operator does to its template
// (nodepool/kubevirt, applyJsonPatches): what is added gets its parents.
func patched(vm *kubevirtv1.VirtualMachine, patches ...string) (*kubevirtv1.VirtualMachine, error) {
	for _, text := range patches {
		if text == "" {
			continue
		}
		patch, err := jsonpatch.DecodePatch([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("failed to parse the %s annotation; wrong jsonpatch format: %w",
				hyperv1.JSONPatchAnnotation, err)
		}
		data, err := json.Marshal(vm)
		if err != nil {
			return nil, fmt.Errorf("json: failed to encode the vm template: %w", err)
		}
		options := jsonpatch.NewApplyOptions()
		options.EnsurePathExistsOnAdd = true
		if data, err = patch.ApplyWithOptions(data, options); err != nil {
			return nil, fmt.Errorf("failed to apply json patch annotation: %w", err)
		}
		vm = &kubevirtv1.VirtualMachine{}
		if err := json.Unmarshal(data, vm); err != nil {
			return nil, fmt.Errorf("json: failed to decode the vm template: %w", err)
		}
	}
	return vm, nil
}
