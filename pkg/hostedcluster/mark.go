package hostedcluster

import (
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube"
)

// The marks on every object that hcctl makes beside a HostedCluster, besides InfraLabel. docs/delete.md explains them.
const (
	// ClusterAnnotation names the HostedCluster that the object is for: "namespace/name".
	ClusterAnnotation = "hcctl.dev/hosted-cluster"
	// ClusterUIDAnnotation holds its UID. It is written once the HostedCluster exists.
	ClusterUIDAnnotation = "hcctl.dev/hosted-cluster-uid"
)

// mark says which HostedCluster an object is for. An object without one has the zero value.
type mark struct {
	// cluster is "namespace/name".
	cluster string
	uid     types.UID
	infraID string
}

// markFor is the mark of what is made for a HostedCluster that exists.
func markFor(hc *hyperv1.HostedCluster) mark {
	return mark{cluster: hc.Namespace + "/" + hc.Name, uid: hc.UID, infraID: hc.Spec.InfraID}
}

// markOf reads the mark of an object.
func markOf(o client.Object) mark {
	annotations := o.GetAnnotations()
	return mark{annotations[ClusterAnnotation], types.UID(annotations[ClusterUIDAnnotation]), o.GetLabels()[InfraLabel]}
}

// setOn marks an object as made for the HostedCluster of the mark.
func (m mark) setOn(o client.Object) {
	labels, annotations := o.GetLabels(), o.GetAnnotations()
	if labels == nil {
		labels = map[string]string{}
	}
	if annotations == nil {
		annotations = map[string]string{}
	}
	labels[InfraLabel] = m.infraID
	annotations[ClusterAnnotation] = m.cluster
	delete(annotations, ClusterUIDAnnotation)
	if m.uid != "" {
		annotations[ClusterUIDAnnotation] = string(m.uid)
	}
	o.SetLabels(labels)
	o.SetAnnotations(annotations)
}

// byHcctl tells whether hcctl wrote the object and labelled it as its own. Whoever may write the object can forge both.
func byHcctl(o client.Object) bool {
	return o.GetLabels()[kube.ManagedByLabel] == kube.FieldOwner && kube.WrittenBy(o, kube.FieldOwner)
}
