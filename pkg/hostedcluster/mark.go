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

// Mark says which HostedCluster an object is for. An object without one has the zero value.
type Mark struct {
	// Cluster is "namespace/name".
	Cluster string
	UID     types.UID
	InfraID string
}

// MarkFor is the mark of what is made for a HostedCluster that exists.
func MarkFor(hc *hyperv1.HostedCluster) Mark {
	return Mark{Cluster: hc.Namespace + "/" + hc.Name, UID: hc.UID, InfraID: hc.Spec.InfraID}
}

// MarkOf reads the mark of an object.
func MarkOf(o client.Object) Mark {
	annotations := o.GetAnnotations()
	return Mark{annotations[ClusterAnnotation], types.UID(annotations[ClusterUIDAnnotation]), o.GetLabels()[InfraLabel]}
}

// SetOn marks an object as made for the HostedCluster of the mark.
func (m Mark) SetOn(o client.Object) {
	labels, annotations := o.GetLabels(), o.GetAnnotations()
	if labels == nil {
		labels = map[string]string{}
	}
	if annotations == nil {
		annotations = map[string]string{}
	}
	labels[InfraLabel] = m.InfraID
	annotations[ClusterAnnotation] = m.Cluster
	delete(annotations, ClusterUIDAnnotation)
	if m.UID != "" {
		annotations[ClusterUIDAnnotation] = string(m.UID)
	}
	o.SetLabels(labels)
	o.SetAnnotations(annotations)
}

// WrittenByHcctl tells whether hcctl wrote the object and labelled it as its own. Whoever may write the object can
// forge both.
func WrittenByHcctl(o client.Object) bool {
	return o.GetLabels()[kube.ManagedByLabel] == kube.FieldOwner && kube.WrittenBy(o, kube.FieldOwner)
}
