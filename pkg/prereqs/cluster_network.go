package prereqs

import (
	"context"

	configv1 "github.com/openshift/api/config/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// roomyMTU is the cluster network MTU below which a guest's own overlay gets cramped: its MTU falls under 8800, and
// HyperShift (4.14 and later) reports KubeVirtSuboptimalMTUDetected.
const roomyMTU = 8900

// clusterNetwork: OVN-Kubernetes, which KubeVirt workers need on their management cluster.
type clusterNetwork struct{ c *kube.Client }

func (s clusterNetwork) step() step.Step {
	return step.Step{ID: ClusterNetwork, Title: "cluster network", Check: s.check}
}

func (s clusterNetwork) check(ctx context.Context) step.Finding {
	network := &configv1.Network{}
	if err := s.c.Get(ctx, types.NamespacedName{Name: "cluster"}, network); err != nil {
		return kube.Unread(err).On("Network cluster")
	}
	return judgeNetwork(network.Status).On("Network cluster")
}

func judgeNetwork(n configv1.NetworkStatus) step.Finding {
	switch {
	case n.NetworkType == "":
		return step.Waiting("the network type is not reported yet")
	case n.NetworkType != "OVNKubernetes":
		return step.Stuck("the network type is %s; hosted clusters on KubeVirt need OVNKubernetes", n.NetworkType).
			WithHint("migrate the management cluster to OVN-Kubernetes")
	case n.ClusterNetworkMTU > 0 && n.ClusterNetworkMTU < roomyMTU:
		return step.Okay("OVNKubernetes, MTU %d (guests run best from %d up: jumbo frames on the node network)", n.ClusterNetworkMTU, roomyMTU)
	default:
		return step.Okay("OVNKubernetes, MTU %d", n.ClusterNetworkMTU)
	}
}
