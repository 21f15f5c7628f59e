package cluster

import (
	"context"

	configv1 "github.com/openshift/api/config/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// MTU is the prerequisite of this file.
const MTU step.ID = "cluster/mtu"

// MTUs of the cluster network that matter to guests, whose own overlay runs inside it and has 100 bytes less.
const (
	// minMTU gives guests an MTU of 8800. Below, HyperShift (4.14 and later) reports KubeVirtSuboptimalMTUDetected.
	minMTU = 8900
	// multiqueueMTU is the MTU from which on HyperShift gives guests' network cards several queues.
	multiqueueMTU = 9000
)

// networkMTU checks that the MTU is large enough for the network of a hosted cluster inside the pod network.
type networkMTU struct{}

func (s networkMTU) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: MTU, Title: "network MTU", Severity: step.Advisory,
		Check:  s.check,
		Rights: prereq.Rights{Check: []access.Rule{prereq.ReadNetwork()}},
	}
}

func (s networkMTU) check(ctx context.Context, r kube.Reader) step.Finding {
	network := &configv1.Network{}
	if err := r.Get(ctx, types.NamespacedName{Name: "cluster"}, network); err != nil {
		return kube.Unknown(err).On("Network cluster")
	}
	return judgeMTU(network.Status).On("Network cluster")
}

func judgeMTU(n configv1.NetworkStatus) step.Finding {
	mtu := n.ClusterNetworkMTU
	switch {
	case mtu == 0:
		return step.Pending("the MTU of the cluster network is not reported yet")
	case mtu < minMTU:
		return step.Missing("MTU %d: guests' own networks get %d, HyperShift wants 8800 for them and reports "+
			"KubeVirtSuboptimalMTUDetected; clusters work, their network is slower", mtu, mtu-100).
			WithHint("give the nodes' network jumbo frames (9000 or more), then change the cluster's MTU to %d or more: "+
				"OpenShift's documentation, \"Changing the MTU for the cluster network\"", minMTU)
	case mtu < multiqueueMTU:
		return step.OK("MTU %d, guests get %d", mtu, mtu-100)
	}
	return step.OK("MTU %d, guests get %d and several queues for each network card", mtu, mtu-100)
}
