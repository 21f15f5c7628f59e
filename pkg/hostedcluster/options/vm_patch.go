package options

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// operation is one step of a JSON patch (RFC 6902).
type operation struct {
	Op    string           `json:"op"`
	Path  string           `json:"path"`
	From  string           `json:"from,omitempty"`
	Value *json.RawMessage `json:"value,omitempty"`
}

// vmPatch is what the NodePool API has no fields for, as one JSON patch of the VirtualMachine template: tolerations,
// affinity and pinned processors first, then the user's own. The operator makes the parents of what is added; a
// template of its own has none of these three (nodepool/kubevirt in HyperShift v0.1.80). Empty if there is nothing to
// patch.
func vmPatch(pool *validatedPool, own []operation) (string, error) {
	var ops []operation
	add := func(path string, value any) error {
		data, err := json.Marshal(value)
		ops = append(ops, operation{Op: "add", Path: path, Value: (*json.RawMessage)(&data)})
		return err
	}
	var errs []error
	if len(pool.VMToleration) > 0 {
		errs = append(errs, add("/spec/template/spec/tolerations", pool.VMToleration))
	}
	if pool.VMAffinity != nil {
		errs = append(errs, add("/spec/template/spec/affinity", pool.VMAffinity))
	}
	if pool.CPUPinning {
		errs = append(errs, add("/spec/template/spec/domain/cpu/dedicatedCpuPlacement", true))
	}
	ops = append(ops, own...)
	if err := errors.Join(errs...); err != nil || len(ops) == 0 {
		return "", err
	}
	data, err := json.Marshal(ops)
	return string(data), err
}

func parseAffinity(content []byte) (*corev1.Affinity, error) {
	affinity := &corev1.Affinity{}
	if err := yaml.UnmarshalStrict(content, affinity); err != nil {
		return nil, fmt.Errorf("not the YAML of a pod's spec.affinity: %s", plainly(err))
	}
	if affinity.NodeAffinity == nil && affinity.PodAffinity == nil && affinity.PodAntiAffinity == nil {
		return nil, errors.New("there is neither nodeAffinity nor podAffinity nor podAntiAffinity in it")
	}
	return affinity, nil
}

// parsePatch reads a JSON patch, in JSON or YAML, strictly; what it does to a virtual machine only the operator can
// tell.
func parsePatch(content []byte) ([]operation, error) {
	data, err := yaml.YAMLToJSONStrict(content)
	if err != nil {
		return nil, fmt.Errorf("neither JSON nor YAML: %s", plainly(err))
	}
	var ops []operation
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&ops); err != nil {
		return nil, fmt.Errorf(
			`not a JSON patch, a list like [{"op":"add","path":"/spec/template/spec/hostname","value":"a"}]: %s`,
			plainly(err),
		)
	}
	if len(ops) == 0 {
		return nil, errors.New("the patch is empty")
	}
	for i, op := range ops {
		switch {
		case !slices.Contains([]string{"add", "remove", "replace", "move", "copy", "test"}, op.Op):
			return nil, fmt.Errorf("operation %d: unknown op %q; there are add, remove, replace, move, copy, test", i+1, op.Op)
		case !strings.HasPrefix(op.Path, "/"):
			return nil, fmt.Errorf("operation %d: path %q does not begin with /", i+1, op.Path)
		case (op.Op == "move" || op.Op == "copy") && !strings.HasPrefix(op.From, "/"):
			return nil, fmt.Errorf("operation %d: %s needs from, a path that begins with /", i+1, op.Op)
		case (op.Op == "add" || op.Op == "replace" || op.Op == "test") && op.Value == nil:
			return nil, fmt.Errorf("operation %d: %s needs a value", i+1, op.Op)
		}
	}
	return ops, nil
}
