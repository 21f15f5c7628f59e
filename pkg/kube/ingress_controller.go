package kube

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/kube/client"
)

// The default IngressController, which serves *.apps of hosted clusters.
const (
	IngressNamespace      = "openshift-ingress-operator"
	IngressControllerName = "default"
)

// GitOpsNamespace is the namespace of the Argo CD instance that OpenShift GitOps creates by default
// (contracts/gitops.yaml).
const GitOpsNamespace = "openshift-gitops"

// Values of an IngressController (operator.openshift.io/v1, OpenShift 4.12 to 4.21).
const (
	WildcardsAllowed    = "WildcardsAllowed"
	WildcardsDisallowed = "WildcardsDisallowed"
	// PrivateStrategy is the endpointPublishingStrategy for which the user publishes the routers.
	PrivateStrategy = "Private"

	ConditionAvailable   = "Available"
	ConditionProgressing = "Progressing"
	ConditionDegraded    = "Degraded"
)

// DefaultIngress has the fields of the default IngressController that hcctl reads. Its Go type would link all types of
// operator.openshift.io into the program.
type DefaultIngress struct {
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		RouteAdmission struct {
			WildcardPolicy string `json:"wildcardPolicy"`
		} `json:"routeAdmission"`
		DefaultCertificate struct {
			Name string `json:"name"`
		} `json:"defaultCertificate"`
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

// PublishingStrategy is the operator's way to publish the routers.
type PublishingStrategy struct {
	Type string `json:"type"`
}

// ReadDefaultIngress reads the default IngressController. Its errors are those of Reader.Get.
func ReadDefaultIngress(ctx context.Context, r Reader) (*DefaultIngress, error) {
	ic := &DefaultIngress{}
	key := client.ObjectKey{Namespace: IngressNamespace, Name: IngressControllerName}
	return ic, readAs(ctx, r, IngressController, key, ic)
}
