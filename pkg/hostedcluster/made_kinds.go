package hostedcluster

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// KindsAnnotation is on the pull Secret of a cluster, which create writes first. Its value are the kinds of the objects
// that hcctl makes for the cluster besides UsualKinds, as Kind.version.group with commas between them, so that delete
// searches no other kind. It is empty if there are none.
const KindsAnnotation = "hcctl.dev/kinds"

// maxRecordedKinds bounds what is believed of an annotation: beyond it, a search of all kinds costs as much.
const maxRecordedKinds = 32

// UsualKinds are the kinds of the objects that hcctl makes for a cluster outside of the namespaces that go with it, if
// the user brings no manifests of others.
func UsualKinds() []schema.GroupVersionKind {
	return []schema.GroupVersionKind{
		corev1.SchemeGroupVersion.WithKind("Secret"), kube.ConfigMap.GroupVersionKind,
		kube.IPAddressPool.GroupVersionKind, kube.L2Advertisement.GroupVersionKind,
	}
}

// RecordKinds writes the kinds of the made objects to the pull Secret.
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

// RecordedKinds returns UsualKinds and those that the pull Secret lists. It reports false if the Secret has no list, or
// one that cannot be read.
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
