package kube

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/kube/client"
)

// The default IngressController, through which *.apps of hosted clusters pass.
const (
	IngressNamespace      = "openshift-ingress-operator"
	IngressControllerName = "default"
)

// Values of an IngressController (operator.openshift.io/v1, OpenShift 4.12 to 4.21).
const (
	WildcardsAllowed    = "WildcardsAllowed"
	WildcardsDisallowed = "WildcardsDisallowed"
	// PrivateStrategy is the endpointPublishingStrategy that leaves the address to the user.
	PrivateStrategy = "Private"

	ConditionAvailable   = "Available"
	ConditionProgressing = "Progressing"
	ConditionDegraded    = "Degraded"
)

// DefaultIngress has the fields of the default IngressController that hcctl reads. Its Go type would bring all types of
// operator.openshift.io into the program.
type DefaultIngress struct {
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		RouteAdmission struct {
			WildcardPolicy string `json:"wildcardPolicy"`
		} `json:"routeAdmission"`
		RouteSelector              *metav1.LabelSelector `json:"routeSelector"`
		NamespaceSelector          *metav1.LabelSelector `json:"namespaceSelector"`
		EndpointPublishingStrategy PublishingStrategy    `json:"endpointPublishingStrategy"`
	} `json:"spec"`

	Status struct {
		ObservedGeneration         int64              `json:"observedGeneration"`
		EndpointPublishingStrategy PublishingStrategy `json:"endpointPublishingStrategy"`
		Conditions                 []metav1.Condition `json:"conditions"`
	} `json:"status"`
}

// PublishingStrategy is how the operator publishes the routers.
type PublishingStrategy struct {
	Type string `json:"type"`
}

// ReadDefaultIngress reads the default IngressController.
func ReadDefaultIngress(ctx context.Context, r Reader) (*DefaultIngress, error) {
	ic := &DefaultIngress{}
	key := client.ObjectKey{Namespace: IngressNamespace, Name: IngressControllerName}
	return ic, readAs(ctx, r, IngressController, key, ic)
}
