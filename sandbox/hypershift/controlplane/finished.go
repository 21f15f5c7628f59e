package controlplane

import (
	"net"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/workload"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
)

// Finished has the values for the status of a finished control plane.
type Finished struct {
	Payload release.Payload
	// Address is the API server's address, OAuthHost the host of the OAuth server's Route.
	Address, OAuthHost string
	// Channel is the update channel of the HostedCluster.
	Channel string
	// Nodes is the number of ready nodes.
	Nodes int
}

// DescribeFinished writes the status of a control plane whose components are all rolled out.
func DescribeFinished(b reconciler.Base, hcp *hyperv1.HostedControlPlane, f Finished) {
	etcd := status.True(hyperv1.EtcdAvailable, "")
	etcd.Reason = hyperv1.EtcdQuorumAvailableReason
	v := observation{
		payload: f.Payload, infra: infra{api: guest.Endpoint{Host: f.Address, Address: f.Address, Port: metadata.APIPort},
			oauth: net.JoinHostPort(f.OAuthHost, routePort)},
		etcd: etcd, kas: status.True(hyperv1.KubeAPIServerAvailable, msgKASAvailable), kasUp: true,
		guest: guest.State{Phase: guest.Running}, nodes: f.Nodes, kubeconfig: true, password: true,
		version: guest.Rollout{
			Reported: true, Payload: f.Payload, Done: true, Nodes: f.Nodes, Apps: guest.AppsAccess{Reachable: true},
			Updates: release.UpdatesFrom(nil, f.Payload.Version, f.Channel),
		},
	}
	for _, c := range workload.Components(b.Features) {
		v.components = append(v.components, componentState{name: c.Name, available: true, current: true})
	}
	if hcp.Spec.SecretEncryption != nil {
		v.encryption = status.KeyInitialized()
	}
	r := controlPlanes{Base: b}
	v.version.Image = r.handedOn(f.Payload)
	v.versionStatus = v.version.Status(hcp, 1, metav1.NewTime(hcp.CreationTimestamp.Add(20*time.Minute)))
	r.describe(hcp, &v)
}
