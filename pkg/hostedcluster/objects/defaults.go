package objects

import (
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// WithoutDefaults returns a copy of a HostedCluster or NodePool without the fields that an older HyperShift lacks, if
// they have hcctl's default value. Such a field means the same as no field, by the default of the CRD
// (+kubebuilder:default in hypershift, api/hypershift/v1beta1) or, for nodeVolumeDetachTimeout, by its documentation.
// It is for clients that apply server-side without hcctl: Argo CD and the work agent of a site. A server-side apply
// refuses an object with any field that the CRD lacks.
func WithoutDefaults(u *unstructured.Unstructured) *unstructured.Unstructured {
	u = u.DeepCopy()
	if u.GetKind() == hostedcluster.HostedClusterKind {
		removeEqual(u, []string{"spec", "capabilities"}, map[string]any{})
	}
	if u.GetKind() != "NodePool" {
		return u
	}
	o := options.ValidatedDefaults("any", options.Defaults().Namespace, "")
	defaults := userFields(NodePool(o, o.NodePools[0], Inputs{}))
	for _, f := range options.NodePoolFields() {
		if path := f.Path("NodePool"); f.Needs != "" {
			value, _, _ := unstructured.NestedFieldNoCopy(defaults, path...)
			removeEqual(u, path, value)
		}
	}
	return u
}

// removeEqual removes a field that has this value.
func removeEqual(u *unstructured.Unstructured, path []string, value any) {
	is, found, err := unstructured.NestedFieldNoCopy(u.Object, path...)
	if err == nil && found && reflect.DeepEqual(is, value) {
		unstructured.RemoveNestedField(u.Object, path...)
	}
}
