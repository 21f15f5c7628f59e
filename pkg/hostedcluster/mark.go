package hostedcluster

import (
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// These annotations, and InfraLabel, are on every object that hcctl creates for a HostedCluster. See docs/delete.md.
const (
	// ClusterAnnotation has the HostedCluster of the object, "namespace/name".
	ClusterAnnotation = "hcctl.dev/hosted-cluster"
	// ClusterUIDAnnotation has the UID of the HostedCluster. It is set once the HostedCluster exists.
	ClusterUIDAnnotation = "hcctl.dev/hosted-cluster-uid"
)

// SpreadAnnotation and AvoidAnnotation are on a HostedCluster. They have the placement of worker VMs for pools that are
// added later (pkg/hostedcluster/placement).
const (
	SpreadAnnotation = "hcctl.dev/spread"
	AvoidAnnotation  = "hcctl.dev/avoid"
)

// PatchesAnnotation is on a HostedCluster or NodePool. It has the changes that the user's patches made, as a merge
// patch, so that apply can revert them.
const PatchesAnnotation = "hcctl.dev/patches"

// RestoreAnnotation is on a HostedCluster that is being restored from a backup. See pkg/hostedcluster/backup/restore.
const RestoreAnnotation = "hcctl.dev/restore"

// Mark identifies the HostedCluster that an object belongs to. The zero value means that there is none.
type Mark struct {
	// Cluster is "namespace/name".
	Cluster string
	UID     types.UID
	InfraID string
}

// MarkFor returns the mark for objects of an existing HostedCluster.
func MarkFor(hc *hyperv1.HostedCluster) Mark {
	return Mark{Cluster: hc.Namespace + "/" + hc.Name, UID: hc.UID, InfraID: hc.Spec.InfraID}
}

// MarkOf reads the mark of an object.
func MarkOf(o client.Object) Mark {
	annotations := o.GetAnnotations()
	return Mark{annotations[ClusterAnnotation], types.UID(annotations[ClusterUIDAnnotation]), o.GetLabels()[InfraLabel]}
}

// SetOn writes the mark to an object.
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

// ReservedFor reports whether an administrator reserved the namespace for the services of a HostedCluster,
// "namespace/name". Only an administrator can set these labels and annotations on a namespace.
func ReservedFor(ns client.Object, cluster string) bool {
	mark := MarkOf(ns)
	return ns.GetAnnotations()[ReservedAnnotation] == "true" && ns.GetLabels()[kube.ManagedByLabel] == kube.FieldOwner &&
		mark.Cluster == cluster && mark.UID == ""
}

// WrittenByHcctl reports whether hcctl is a field manager of the object and labelled it. Users who can write the object
// can forge both.
func WrittenByHcctl(o client.Object) bool {
	return o.GetLabels()[kube.ManagedByLabel] == kube.FieldOwner && kube.WrittenBy(o, kube.FieldOwner)
}
