package kube

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	operatorv1 "github.com/openshift/api/operator/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// decodeInto decodes an object of a Go type as it is read from an API server.
func decodeInto(t *testing.T, object, into any) {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err == nil {
		err = runtime.DefaultUnstructuredConverter.FromUnstructured(content, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestDefaultIngress shows that the fields and values are those of OpenShift's own type.
func TestDefaultIngress(t *testing.T) {
	routes := &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}
	theirs := &operatorv1.IngressController{ObjectMeta: metav1.ObjectMeta{Generation: 3}}
	theirs.Spec.RouteAdmission = &operatorv1.RouteAdmissionPolicy{WildcardPolicy: operatorv1.WildcardPolicyAllowed}
	theirs.Spec.RouteSelector, theirs.Spec.NamespaceSelector = routes, &metav1.LabelSelector{}
	theirs.Spec.EndpointPublishingStrategy = &operatorv1.EndpointPublishingStrategy{Type: operatorv1.PrivateStrategyType}
	theirs.Status.EndpointPublishingStrategy = &operatorv1.EndpointPublishingStrategy{Type: "HostNetwork"}
	theirs.Status.ObservedGeneration = 2
	theirs.Status.Conditions = []operatorv1.OperatorCondition{
		{Type: operatorv1.OperatorStatusTypeAvailable, Status: operatorv1.ConditionTrue},
		{Type: operatorv1.OperatorStatusTypeProgressing, Status: operatorv1.ConditionUnknown},
		{Type: operatorv1.OperatorStatusTypeDegraded, Status: operatorv1.ConditionFalse, Reason: "r", Message: "m"}}

	want := &DefaultIngress{ObjectMeta: metav1.ObjectMeta{Generation: 3}}
	want.Spec.RouteAdmission.WildcardPolicy = WildcardsAllowed
	want.Spec.RouteSelector, want.Spec.NamespaceSelector = routes, &metav1.LabelSelector{}
	want.Spec.EndpointPublishingStrategy.Type = PrivateStrategy
	want.Status.EndpointPublishingStrategy.Type = "HostNetwork"
	want.Status.ObservedGeneration = 2
	want.Status.Conditions = []metav1.Condition{{Type: ConditionAvailable, Status: metav1.ConditionTrue},
		{Type: ConditionProgressing, Status: metav1.ConditionUnknown},
		{Type: ConditionDegraded, Status: metav1.ConditionFalse, Reason: "r", Message: "m"}}

	got := &DefaultIngress{}
	decodeInto(t, theirs, got)
	if difference := cmp.Diff(want, got); difference != "" {
		t.Error(difference)
	}
	if WildcardsDisallowed != string(operatorv1.WildcardPolicyDisallowed) {
		t.Errorf("the default policy is %s", operatorv1.WildcardPolicyDisallowed)
	}
}
