package controlplane

import (
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
)

// The reasons come in the operator's order: the recorded stages 1 to 4.
func TestAvailableStages(t *testing.T) {
	etcdUp, kasUp := status.True(hyperv1.EtcdAvailable, ""), status.True(hyperv1.KubeAPIServerAvailable, msgKASAvailable)
	etcdDown := status.False(hyperv1.EtcdAvailable, hyperv1.EtcdWaitingForQuorumReason, msgEtcdWaiting)
	kasDown := status.False(hyperv1.KubeAPIServerAvailable, hyperv1.NotFoundReason, msgKASNotFound)
	noAddress := infra{missing: []string{
		msgLoadBalancerPending("kube-apiserver", 0, nil), msgOAuthRouteWithoutHost(0),
	}}
	up := []componentState{{name: "etcd", available: true}, {name: "b"}, {name: "a"}}
	for _, tc := range []struct {
		name            string
		view            observation
		already         bool
		reason, message string
	}{
		{"1 no address", observation{infra: noAddress, etcd: etcdDown, kas: kasDown}, false, "WaitingOnInfrastructureReady",
			"kube-apiserver load balancer is not provisioned; 0s since creation.; OAuth service route does not contain valid " +
				"host; 0s since creation"},
		{"2 no kubeconfig", observation{etcd: etcdUp, kas: kasDown}, false, "KubeconfigWaitingForCreate",
			"Waiting for hosted control plane kubeconfig to be created"},
		{"etcd lost", observation{etcd: etcdDown, kas: kasUp, kubeconfig: true}, false, "EtcdWaitingForQuorum",
			"Waiting for etcd to reach quorum"},
		{"api server lost", observation{etcd: etcdUp, kas: kasDown, kubeconfig: true}, false, "NotFound",
			"Kube APIServer deployment not found"},
		{"3 endpoint", observation{etcd: etcdUp, kas: kasUp, kubeconfig: true,
			health: msgUnhealthyEndpoint("10.0.0.1", 404, nil)},
			false,
			"KASLoadBalancerNotReachable", "APIServer endpoint 10.0.0.1 is not healthy (status 404)"},
		{"nothing started", observation{etcd: etcdUp, kas: kasUp, kubeconfig: true}, false, "ComponentsNotAvailable",
			msgNoComponents},
		{"4 components", observation{etcd: etcdUp, kas: kasUp, kubeconfig: true, components: up}, false,
			"ComponentsNotAvailable",
			"Waiting for components to be available: a, b"},
		{"once available", observation{etcd: etcdUp, kas: kasUp, kubeconfig: true, components: up}, true, "AsExpected", ""},
	} {
		got := hcpAvailable(&tc.view, tc.already, true)
		if got.Reason != tc.reason || got.Message != tc.message {
			t.Errorf("%s: %s %q, want %s %q", tc.name, got.Reason, got.Message, tc.reason, tc.message)
		}
	}
}
