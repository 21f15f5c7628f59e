package client

import (
	"encoding/json"
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/types"
)

// Patch is a change of an object.
type Patch interface {
	Type() types.PatchType
	// Data returns the patch for the object that Client.Patch gets.
	Data(obj Object) ([]byte, error)
}

// RawPatch returns a patch with this data, whatever the object.
func RawPatch(kind types.PatchType, data []byte) Patch { return rawPatch{kind, data} }

type rawPatch struct {
	kind types.PatchType
	data []byte
}

func (p rawPatch) Type() types.PatchType       { return p.kind }
func (p rawPatch) Data(Object) ([]byte, error) { return p.data, nil }

// MergeFromUnchanged returns the merge patch from the object that was read to the object that Client.Patch gets. The
// API server rejects it if the object has changed since (optimistic lock).
func MergeFromUnchanged(read Object) Patch { return mergeFrom{read} }

type mergeFrom struct{ read Object }

func (mergeFrom) Type() types.PatchType { return types.MergePatchType }

func (p mergeFrom) Data(obj Object) ([]byte, error) {
	version := p.read.GetResourceVersion()
	if version == "" {
		return nil, fmt.Errorf("%s/%s: it has no resource version", obj.GetNamespace(), obj.GetName())
	}
	before, after := p.read.DeepCopyObject().(Object), obj.DeepCopyObject().(Object)
	before.SetResourceVersion("")
	after.SetResourceVersion(version)
	from, err := json.Marshal(before)
	if err != nil {
		return nil, err
	}
	to, err := json.Marshal(after)
	if err != nil {
		return nil, err
	}
	return jsonpatch.CreateMergePatch(from, to)
}
