package hostedcluster

import (
	"encoding/json"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/kube/client"
)

// AdoptedAnnotation is on a control plane's namespace that was there before its HostedCluster, and has an Adopted.
const AdoptedAnnotation = "hcctl.dev/adopted"

// Adopted is what a namespace was before it became that of a control plane.
type Adopted struct {
	// Cluster is the HostedCluster, "namespace/name".
	Cluster string `json:"cluster"`
	// Labels are the keys of its labels, and Objects what was in it beside default objects (AdoptedName).
	Labels  []string `json:"labels,omitempty"`
	Objects []string `json:"objects,omitempty"`
}

// AdoptedOf reads the annotation of a namespace; the zero value where there is none.
func AdoptedOf(ns client.Object) Adopted {
	var a Adopted
	if json.Unmarshal([]byte(ns.GetAnnotations()[AdoptedAnnotation]), &a) != nil {
		return Adopted{}
	}
	return a
}

// Text is the value of the annotation.
func (a Adopted) Text() (string, error) {
	slices.Sort(a.Labels)
	slices.Sort(a.Objects)
	data, err := json.Marshal(a)
	return string(data), err
}

// AdoptedName is an object of a namespace, such as "Secret pull" or "NetworkAttachmentDefinition.k8s.cni.cncf.io vlan".
func AdoptedName(o *metav1.PartialObjectMetadata) string {
	return o.GroupVersionKind().GroupKind().String() + " " + o.Name
}
