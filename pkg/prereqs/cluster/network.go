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

// Network is the prerequisite of this file.
const Network step.ID = "cluster/network"

// clusterNetwork checks that the network is OVN-Kubernetes, which KubeVirt workers need on their management cluster.
type clusterNetwork struct{}

func (s clusterNetwork) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Network, Title: "cluster network",
		Check:  s.check,
		Rights: prereq.Rights{Check: []access.Rule{prereq.ReadNetwork()}},
	}
}

func (s clusterNetwork) check(ctx context.Context, r kube.Reader) step.Finding {
	network := &configv1.Network{}
	if err := r.Get(ctx, types.NamespacedName{Name: "cluster"}, network); err != nil {
		return kube.Unknown(err).On("Network cluster")
	}
	return judgeNetwork(network.Status).On("Network cluster")
}

func judgeNetwork(n configv1.NetworkStatus) step.Finding {
	switch n.NetworkType {
	case "":
		return step.Pending("the network type is not reported yet")
	case "OVNKubernetes":
		return step.OK("OVNKubernetes")
	default:
		return step.Broken("the network type is %s; hosted clusters on KubeVirt need OVNKubernetes", n.NetworkType).
			WithHint("migrate the management cluster to OVN-Kubernetes: oc patch network.operator.openshift.io cluster " +
				"--type=merge -p '{\"spec\":{\"migration\":{\"networkType\":\"OVNKubernetes\"}}}' begins it; read OpenShift's " +
				"documentation first, for every node restarts")
	}
}
