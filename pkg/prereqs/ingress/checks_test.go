package ingress

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestJudgeDNS(t *testing.T) {
	own := []string{"192.0.2.4"}
	prereqtest.Expect(t, judgeDNS("apps.example.com", []string{"192.0.2.4"}, nil, own), step.StateOK,
		"*.apps.example.com resolves to 192.0.2.4, asked from where hcctl runs")
	prereqtest.Expect(t, judgeDNS("apps.example.com", []string{"198.51.100.9"}, nil, own), step.StateOK,
		"not the cluster's own ingress address 192.0.2.4")
	prereqtest.Expect(t, judgeDNS("apps.example.com", []string{"198.51.100.9"}, nil, nil), step.StateOK, "198.51.100.9")
	absent := judgeDNS("apps.example.com", nil, &net.DNSError{Err: "no such host", Name: "x", IsNotFound: true}, own)
	prereqtest.Expect(t, absent, step.StateMissing, "does not resolve")
	if !strings.Contains(absent.Hint.String(), "192.0.2.4") {
		t.Errorf("got %s", absent.Hint.String())
	}
	prereqtest.Expect(t, judgeDNS("apps.example.com", nil, &net.DNSError{Err: "i/o timeout", IsTimeout: true}, own),
		step.StateUnknown, "no answer within 2s")
	prereqtest.Expect(t, judgeDNS("apps.example.com", nil, errors.New("odd"), own), step.StateUnknown, "odd")
}

func TestJudgeIngress(t *testing.T) {
	ingress := func(policy string, observed int64, progressing metav1.ConditionStatus) *kube.DefaultIngress {
		ic := &kube.DefaultIngress{ObjectMeta: metav1.ObjectMeta{Generation: 2}}
		ic.Spec.RouteAdmission.WildcardPolicy = policy
		ic.Status.ObservedGeneration = observed
		ic.Status.Conditions = []metav1.Condition{{Type: "Available", Status: "True"},
			{Type: "Degraded", Status: "False"}, {Type: "Progressing", Status: progressing, Message: "rolling"}}
		return ic
	}
	prereqtest.Expect(t, judgeIngress(&kube.DefaultIngress{}), step.StateMissing, "WildcardsDisallowed")
	prereqtest.Expect(t, judgeIngress(ingress("", 2, "False")), step.StateMissing, "WildcardsDisallowed")
	prereqtest.Expect(t, judgeIngress(ingress("WildcardsAllowed", 1, "False")), step.StatePending, "latest change")
	prereqtest.Expect(t, judgeIngress(ingress("WildcardsAllowed", 2, "True")), step.StatePending, "rolling")
	prereqtest.Expect(t, judgeIngress(ingress("WildcardsAllowed", 2, "False")), step.StateOK, "WildcardsAllowed")
}

func TestJudgeRouters(t *testing.T) {
	routers := func(value string, updated, available, all int32) *appsv1.Deployment {
		want := int32(2)
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Generation: 2}, Spec: appsv1.DeploymentSpec{Replicas: &want}}
		d.Spec.Template.Spec.Containers = []corev1.Container{{Env: []corev1.EnvVar{{Name: "OTHER", Value: "true"},
			{Name: wildcardVariable, Value: value}}}}
		d.Status = appsv1.DeploymentStatus{ObservedGeneration: 2, UpdatedReplicas: updated, AvailableReplicas: available,
			ReadyReplicas: available, Replicas: all, Conditions: []appsv1.DeploymentCondition{
				{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue},
				{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "NewReplicaSetAvailable"}}}
		return d
	}
	prereqtest.Expect(t, judgeRouters(routers("true", 2, 2, 2), time.Time{}), step.StateOK, "all 2 routers")
	prereqtest.Expect(t, judgeRouters(routers("false", 2, 2, 2), time.Time{}), step.StatePending, "has not configured the routers")
	prereqtest.Expect(t, judgeRouters(routers("true", 1, 2, 3), time.Time{}), step.StatePending, "1 of 2 routers")
	prereqtest.Expect(t, judgeRouters(routers("true", 2, 1, 2), time.Time{}), step.StatePending, "1 of 2 routers")
	prereqtest.Expect(t, judgeRouters(routers("true", 2, 2, 3), time.Time{}), step.StatePending, "2 of 2 routers")
	late := routers("true", 2, 2, 2)
	late.Generation = 5
	prereqtest.Expect(t, judgeRouters(late, time.Time{}), step.StatePending, "routers have been replaced")
	stuck := routers("true", 1, 2, 3)
	stuck.Namespace, stuck.Name = "openshift-ingress", "router-default"
	stuck.Status.Conditions[1] = appsv1.DeploymentCondition{Type: appsv1.DeploymentProgressing,
		Status: corev1.ConditionFalse, Reason: "ProgressDeadlineExceeded", Message: "timed out"}
	prereqtest.Expect(t, judgeRouters(stuck, time.Time{}), step.StateBroken,
		"Deployment openshift-ingress/router-default: Progressing False (ProgressDeadlineExceeded): timed out")
}
