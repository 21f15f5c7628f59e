package hypershift

import (
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// finishedControlPlane is what the status of a finished control plane tells.
type finishedControlPlane struct {
	payload release
	// address is the API server's, oauthHost is the host of the OAuth server's Route.
	address, oauthHost string
	// channel is the update channel of the HostedCluster.
	channel string
	// nodes are how many nodes are ready.
	nodes int
}

// describeFinishedControlPlane gives a control plane the status it has when all its components are rolled out.
func describeFinishedControlPlane(b base, hcp *hyperv1.HostedControlPlane, f finishedControlPlane) {
	etcd := isTrue(hyperv1.EtcdAvailable, "")
	etcd.reason = hyperv1.EtcdQuorumAvailableReason
	v := view{
		payload: f.payload, infra: infra{apiHost: f.address, oauthHost: f.oauthHost},
		etcd: etcd, kas: isTrue(hyperv1.KubeAPIServerAvailable, msgKASAvailable), kasUp: true,
		guest: guestState{phase: guestRunning}, nodes: f.nodes, kubeconfig: true, password: true,
		version: rollout{
			reported: true, payload: f.payload, done: true, nodes: f.nodes, way: way{open: true},
			updates: updatesFrom(nil, f.payload.Version, f.channel),
		},
	}
	for _, c := range componentsOf(b.gen.modern) {
		v.components = append(v.components, componentState{name: c.name, available: true, current: true})
	}
	v.told = v.version.status(hcp, 1, metav1.NewTime(hcp.CreationTimestamp.Add(20*time.Minute)))
	r := controlPlanes{base: b}
	r.describe(hcp, &v)
}
