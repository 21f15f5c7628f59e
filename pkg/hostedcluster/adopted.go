package hostedcluster

import (
	"encoding/json"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/kube/client"
)

// AdoptedAnnotation is on a control plane's namespace that existed before its HostedCluster. Its value is an Adopted as
// JSON.
const AdoptedAnnotation = "hcctl.dev/adopted"

// Adopted records a namespace as it was before it became the namespace of a control plane.
type Adopted struct {
	// Cluster is the HostedCluster, "namespace/name".
	Cluster string `json:"cluster"`
	// Labels has the keys of the namespace's labels. Objects lists the objects in it by AdoptedName, without default
	// objects.
	Labels  []string `json:"labels,omitempty"`
	Objects []string `json:"objects,omitempty"`
}

// AdoptedOf parses the AdoptedAnnotation of a namespace. It returns the zero value if there is none or it is invalid.
func AdoptedOf(ns client.Object) Adopted {
	var a Adopted
	if json.Unmarshal([]byte(ns.GetAnnotations()[AdoptedAnnotation]), &a) != nil {
		return Adopted{}
	}
	return a
}

// Text returns the value of the AdoptedAnnotation. It sorts a.Labels and a.Objects.
func (a Adopted) Text() (string, error) {
	slices.Sort(a.Labels)
	slices.Sort(a.Objects)
	data, err := json.Marshal(a)
	return string(data), err
}

// AdoptedName returns the name of an object with its kind, such as "Secret pull" or
// "NetworkAttachmentDefinition.k8s.cni.cncf.io vlan".
func AdoptedName(o *metav1.PartialObjectMetadata) string {
	return o.GroupVersionKind().GroupKind().String() + " " + o.Name
}
