package status

import (
	"fmt"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube/health"
)

// networkKind is the kind of the part about a missing network plug-in, in a cluster that brings its own.
const networkKind = "Network"

// noPlugIn returns the part about nodes whose kubelet waits for a network plug-in that the user has to install
// (networkType Other).
func (v *snapshot) noPlugIn(phase Phase) (Part, bool) {
	waiting, worst := 0, OK
	for i := range v.nodes.items {
		node := &v.nodes.items[i]
		if c := health.NodeReadyCondition(node); c != nil && !health.NodeReady(node) &&
			strings.Contains(c.Message, "NetworkPluginNotReady") {
			waiting++
			worst = Worse(worst, v.nodeHealth(node, phase))
		}
	}
	if waiting == 0 || v.hc.Spec.Networking.NetworkType != hyperv1.Other {
		return Part{}, false
	}
	this := hostedcluster.Argument(v.hc.Namespace, v.hc.Name)
	return Part{Kind: networkKind, Health: worst,
		Message: fmt.Sprintf("no network plug-in yet: networkType is Other, and %d of %d nodes wait for one", waiting,
			len(v.nodes.items)),
		Hint: hint.New("create cluster and apply bring one that is given with %s; what it waits for: %s, then oc get "+
			"daemonsets,pods -A", hint.Flag("cni"), hint.Run("kubeconfig", this).Flag("merge"))}, true
}
