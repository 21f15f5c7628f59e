package hypershift

import (
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
)

// The reasons a control plane is unavailable for come in the operator's order: the recorded stages 1 to 4.
func TestAvailableStages(t *testing.T) {
	etcdUp, kasUp := isTrue(hyperv1.EtcdAvailable, ""), isTrue(hyperv1.KubeAPIServerAvailable, msgKASAvailable)
	etcdDown := isFalse(hyperv1.EtcdAvailable, hyperv1.EtcdWaitingForQuorumReason, msgEtcdWaiting)
	kasDown := isFalse(hyperv1.KubeAPIServerAvailable, hyperv1.NotFoundReason, msgKASNotFound)
	noAddress := infra{missing: []string{
		msgLoadBalancerPending("kube-apiserver", 0, nil), msgOAuthRouteWithoutHost(0),
	}}
	up := []componentState{{name: "etcd", available: true}, {name: "b"}, {name: "a"}}
	for _, tc := range []struct {
		name            string
		view            view
		already         bool
		reason, message string
	}{
		{"1 no address", view{infra: noAddress, etcd: etcdDown, kas: kasDown}, false, "WaitingOnInfrastructureReady",
			"kube-apiserver load balancer is not provisioned; 0s since creation.; OAuth service route does not contain valid host; 0s since creation"},
		{"2 no kubeconfig", view{etcd: etcdUp, kas: kasDown}, false, "KubeconfigWaitingForCreate",
			"Waiting for hosted control plane kubeconfig to be created"},
		{"etcd lost", view{etcd: etcdDown, kas: kasUp, kubeconfig: true}, false, "EtcdWaitingForQuorum", "Waiting for etcd to reach quorum"},
		{"api server lost", view{etcd: etcdUp, kas: kasDown, kubeconfig: true}, false, "NotFound", "Kube APIServer deployment not found"},
		{"3 endpoint", view{etcd: etcdUp, kas: kasUp, kubeconfig: true, health: msgUnhealthyEndpoint("10.0.0.1", 404, nil)}, false,
			"KASLoadBalancerNotReachable", "APIServer endpoint 10.0.0.1 is not healthy (status 404)"},
		{"nothing started", view{etcd: etcdUp, kas: kasUp, kubeconfig: true}, false, "ComponentsNotAvailable", msgNoComponents},
		{"4 components", view{etcd: etcdUp, kas: kasUp, kubeconfig: true, components: up}, false, "ComponentsNotAvailable",
			"Waiting for components to be available: a, b"},
		{"once available", view{etcd: etcdUp, kas: kasUp, kubeconfig: true, components: up}, true, "AsExpected", ""},
	} {
		got := hcpAvailable(&tc.view, tc.already)
		if got.reason != tc.reason || got.message != tc.message {
			t.Errorf("%s: %s %q, want %s %q", tc.name, got.reason, got.message, tc.reason, tc.message)
		}
	}
}
