package objects

import (
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// defaults are fields that every HostedCluster and NodePool has as hcctl writes it, where their values mean the same as
// no field: the CRD's default (+kubebuilder:default in hypershift, api/hypershift/v1beta1), or for
// nodeVolumeDetachTimeout what its documentation says of none. Older releases lack the fields.
var defaults = map[string][]struct {
	path  []string
	value any
}{
	"HostedCluster": {{[]string{"spec", "capabilities"}, map[string]any{}}},
	"NodePool": {
		{[]string{"spec", "arch"}, "amd64"},
		{[]string{"spec", "nodeVolumeDetachTimeout"}, "0s"},
		{[]string{"spec", "platform", "kubevirt", "attachDefaultNetwork"}, true},
		{[]string{"spec", "platform", "kubevirt", "networkInterfaceMultiqueue"}, "Enable"},
	},
}

// WithoutDefaults is a copy of a HostedCluster or NodePool without the fields that an older HyperShift lacks and that
// have their default. It is for those who apply as a server does and do not ask hcctl: Argo CD and a site's work agent.
// A server-side apply refuses an object with a field that the CRD lacks, whatever its value.
func WithoutDefaults(u *unstructured.Unstructured) *unstructured.Unstructured {
	u = u.DeepCopy()
	for _, field := range defaults[u.GetKind()] {
		value, found, err := unstructured.NestedFieldNoCopy(u.Object, field.path...)
		if err == nil && found && reflect.DeepEqual(value, field.value) {
			unstructured.RemoveNestedField(u.Object, field.path...)
		}
	}
	return u
}
