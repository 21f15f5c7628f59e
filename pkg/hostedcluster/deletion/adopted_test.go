package deletion

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
)

// TestWhatStaysInAnAdoptedNamespace: what somebody added stays with all that belongs to it, by whichever tool they also
// changed objects of the control plane; what belongs to an owner that is gone does not keep a deletion waiting for
// ever.
func TestWhatStaysInAnAdoptedNamespace(t *testing.T) {
	object := func(kind, name string, uid types.UID, owner types.UID, managers ...string) *metav1.PartialObjectMetadata {
		o := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: kind},
			ObjectMeta: metav1.ObjectMeta{Name: name, UID: uid}}
		if owner != "" {
			o.OwnerReferences = []metav1.OwnerReference{{Kind: "Any", UID: owner}}
		}
		for _, m := range managers {
			o.ManagedFields = append(o.ManagedFields, metav1.ManagedFieldsEntry{Manager: m})
		}
		return o
	}
	claim := object("PersistentVolumeClaim", "data-etcd-0", "c", "", "kube-controller-manager")
	claim.Labels = map[string]string{"app": "etcd"}
	for want, o := range map[bool][]*metav1.PartialObjectMetadata{
		true: {
			object("Pod", "web-1", "p", "r"), object("ReplicaSet", "web", "r", "d"), object("Deployment", "web", "d", "",
				"kubectl"),
			object("Endpoints", "web", "e", ""), object("Service", "web", "s", "", "kubectl"), object("Lease", "mine", "l", "",
				"a"),
			object("Secret", "before", "b", "", kube.FieldOwner), object("ConfigMap", "shared", "m", "", kube.FieldOwner,
				"kubectl"),
			object("PersistentVolumeClaim", "data-etcd-mine", "o", "", "kubectl"),
		},
		false: {
			object("Pod", "etcd-0", "x", "gone"), object("Endpoints", "etcd-client", "y", ""), claim,
			object("ConfigMap", "made", "z", "", kube.FieldOwner),
		},
	} {
		for _, one := range o {
			all := append([]*metav1.PartialObjectMetadata{}, o...)
			if got := keptObjects(all, hostedcluster.Adopted{Objects: []string{"Secret before"}})[one]; got != want {
				t.Errorf("%s %s stays: %v, want %v", one.Kind, one.Name, got, want)
			}
		}
	}
}
