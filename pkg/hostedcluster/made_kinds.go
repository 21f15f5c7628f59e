package hostedcluster

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// KindsAnnotation is on the pull Secret of a cluster, which create writes first. It lists the kinds of objects that
// hcctl creates for the cluster besides UsualKinds, as Kind.version.group separated by commas, so that delete searches
// no other kinds. It is empty if there are none.
const KindsAnnotation = "hcctl.dev/kinds"

// maxRecordedKinds limits the kinds that are accepted from an annotation. A search for more costs as much as a search
// for all kinds.
const maxRecordedKinds = 32

// UsualKinds lists the kinds of objects that hcctl creates for a cluster outside of the cluster's own namespaces, if
// the user adds no manifests of other kinds.
func UsualKinds() []schema.GroupVersionKind {
	return []schema.GroupVersionKind{
		corev1.SchemeGroupVersion.WithKind("Secret"), kube.ConfigMap.GroupVersionKind,
		kube.IPAddressPool.GroupVersionKind, kube.L2Advertisement.GroupVersionKind,
	}
}

// RecordKinds writes the kinds of the created objects to the pull Secret's KindsAnnotation.
func RecordKinds(pullSecret client.Object, made []client.Object) {
	var kinds []string
	for _, o := range made {
		if gvk := o.GetObjectKind().GroupVersionKind(); !slices.Contains(UsualKinds(), gvk) {
			kinds = append(kinds, gvk.Kind+"."+gvk.Version+"."+gvk.Group)
		}
	}
	slices.Sort(kinds)
	annotations := pullSecret.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[KindsAnnotation] = strings.Join(slices.Compact(kinds), ",")
	pullSecret.SetAnnotations(annotations)
}

// RecordedKinds returns UsualKinds and the kinds in the pull Secret's KindsAnnotation. It returns false if the
// annotation is missing or invalid.
func RecordedKinds(pullSecret client.Object) ([]schema.GroupVersionKind, bool) {
	value, recorded := pullSecret.GetAnnotations()[KindsAnnotation]
	if !recorded {
		return nil, false
	}
	kinds := UsualKinds()
	if value == "" {
		return kinds, true
	}
	words := strings.Split(value, ",")
	if len(words) > maxRecordedKinds {
		return nil, false
	}
	for _, word := range words {
		gvk, _ := schema.ParseKindArg(word)
		if gvk == nil || gvk.Kind == "" || gvk.Version == "" {
			return nil, false
		}
		kinds = append(kinds, *gvk)
	}
	return kinds, true
}
