package conditions

import (
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// hintAbout is the hint that a wait gives for a HostedCluster with this condition.
func hintAbout(conditionType, reason, message string) string {
	hc := &hyperv1.HostedCluster{}
	hc.Status.Conditions = []metav1.Condition{{Type: conditionType, Status: metav1.ConditionFalse, Reason: reason,
		Message: message}}
	r := OfCluster(hc)
	return r.Waiting(r.Get(conditionType)).Hint.String()
}

// The message says more than the reason about what to do.
func TestHintsGoByTheMessage(t *testing.T) {
	for name, tc := range map[string]struct{ condition, reason, message, want, not string }{
		"no host": {"InfrastructureReady", "WaitingOnInfrastructureReady",
			"OAuth service route does not contain valid host; 2m3s since creation", "the Route has no host", "address"},
		"no address": {"InfrastructureReady", "WaitingOnInfrastructureReady", "APIServer load balancer is not provisioned",
			"whether an address is free for the API server", "Route"},
		"no base domain": {"ReconciliationSucceeded", "ReconciliationError", "unable to autodetect kubevirt platform base " +
			"domain, temporary route is not giving a host value", "default ingress controller is available", "address"},
		"no registry": {"ReconciliationSucceeded", "ReconciliationError", "failed to get controlPlaneOperatorImageLabels: " +
			"failed to look up image metadata for quay.io/a@sha256:b: failed to create repository client for https://quay.io: " +
			`Get "https://quay.io/v2/": Bad Gateway`, "the operator keeps trying", "mirrored"},
		"no manifest": {"ReconciliationSucceeded", "ReconciliationError", "failed to get controlPlaneOperatorImage: failed " +
			"to extract release metadata: failed to obtain root manifest for quay.io/a:b: unauthorized",
			"looks for credentials", "mirrored"},
		"no image": {"ReconciliationSucceeded", "ReconciliationError", "failed to get controlPlaneOperatorImage: failed to " +
			"extract release metadata: failed to obtain root manifest for quay.io/a:b: manifest unknown",
			"the registry has no such image", "credentials"},
	} {
		got := hintAbout(tc.condition, tc.reason, tc.message)
		if !strings.Contains(got, tc.want) || strings.Contains(got, tc.not) {
			t.Errorf("%s: %q, want %q and not %q", name, got, tc.want, tc.not)
		}
	}
}

// Ignition is no trouble before a VM runs that asks for it.
func TestIgnitionNeedsAVM(t *testing.T) {
	for status, want := range map[corev1.ConditionStatus]string{
		corev1.ConditionTrue: "the VMs have to reach the Routes of the management cluster (*.apps, port 443): " +
			"hcctl logs kv-00 ignition-server shows who asked",
		corev1.ConditionFalse: "",
	} {
		np := &hyperv1.NodePool{}
		np.Namespace, np.Name, np.Spec.ClusterName, np.Spec.Replicas = "clusters", "kv-00", "kv-00", ptr.To[int32](2)
		np.Status.Conditions = []hyperv1.NodePoolCondition{
			{Type: hyperv1.NodePoolReachedIgnitionEndpoint, Status: "False", Reason: hyperv1.IgnitionNotReached},
			{Type: hyperv1.NodePoolAllMachinesReadyConditionType, Status: status},
		}
		r := OfPool(np)
		if got := r.Waiting(r.Get(hyperv1.NodePoolReachedIgnitionEndpoint)).Hint.String(); got != want {
			t.Errorf("machines ready %s: %q, want %q", status, got, want)
		}
		for _, j := range r.Evaluate(true) {
			if j.Type == hyperv1.NodePoolReachedIgnitionEndpoint && j.Hint.String() != want {
				t.Errorf("machines ready %s: %q, want %q", status, j.Hint.String(), want)
			}
		}
	}
}
