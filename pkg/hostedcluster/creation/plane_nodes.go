package creation

import (
	"context"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/placement"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/fit"
	"github.com/hcctl/hcctl/pkg/step"
)

// checkPlaneNodes checks the nodes that the control plane is isolated on: there must be enough, and they must reject
// worker VMs.
func (p *Plan) checkPlaneNodes(ctx context.Context, r kube.Reader) step.Finding {
	var nodes corev1.NodeList
	if err := r.List(ctx, &nodes); err != nil {
		return kube.Unknown(err).On("Nodes")
	}
	key, value, _ := p.Options.PlaneLabel()
	plane := p.plane()
	f := judgePlaneNodes(nodes.Items, p.Options, plane.Pod, p.placed(), plane.copies)
	if f.State != step.StateOK {
		f = f.WithHint("oc label node NAME %[1]s=%[2]s; oc adm taint node NAME %[1]s=%[2]s:NoSchedule", key, value)
	}
	return f.On("Nodes")
}

// plane returns the pods of the control plane, with the node selector and the tolerations that HyperShift sets.
func (p *Plan) plane() *plane {
	o := p.Options
	tolerations := slices.Clone(o.Toleration)
	for k, v := range map[string]string{options.ControlPlaneLabel: "true",
		hyperv1.HostedClusterLabel: hostedcluster.ControlPlaneNamespace(o.Namespace, o.Name)} {
		tolerations = append(tolerations, corev1.Toleration{Key: k, Operator: corev1.TolerationOpEqual, Value: v,
			Effect: corev1.TaintEffectNoSchedule})
	}
	requests, copies := fit.ControlPlane(o.ControlPlaneAvailabilityPolicy != string(hyperv1.SingleReplica))
	return &plane{fit.Pod{NodeSelector: o.PlaneSelector(), Tolerations: tolerations, Requests: requests.Part(copies)},
		int(copies)}
}

// judgePlaneNodes counts the nodes that accept the control plane's pods.
func judgePlaneNodes(nodes []corev1.Node, o options.Validated, plane fit.Pod, pools []PlacedPool,
	needs int) step.Finding {
	key, value, _ := o.PlaneLabel()
	plane.Requests = nil
	labelled, open := 0, []string(nil)
	var taking []string
	for i := range nodes {
		n := fit.Node{Node: &nodes[i]}
		if n.Labels[key] != value {
			continue
		}
		labelled++
		if n.Refuses(plane).Kind != fit.Takes {
			continue
		}
		taking = append(taking, n.Name)
		if slices.ContainsFunc(pools, func(pool PlacedPool) bool {
			l, err := placement.LauncherOf(pool.NodePool, pool.ClusterPatch, placement.HypervisorOf(nil))
			l.Requests = nil
			return err == nil && n.Refuses(l.Pod).Kind == fit.Takes
		}) {
			open = append(open, n.Name)
		}
	}
	switch {
	case labelled == 0:
		return step.Missing("no node has the label %s=%s", key, value)
	case len(taking) < needs:
		return step.Missing("%s with the label %s=%s, of which %d take the control plane (node selector, taints, cordon), "+
			"and %d needed: no two pods of a kind share a node", plural.Count(labelled, "node"), key, value, len(taking), needs)
	case len(open) > 0:
		return step.Missing("worker VMs of this cluster may run on %s: without the taint %s=%s:NoSchedule the control plane "+
			"is not apart from them", strings.Join(open, ", "), key, value)
	}
	return step.OK("%s for the control plane, closed to worker VMs: %s", plural.Count(len(taking), "node"),
		strings.Join(taking[:min(len(taking), 10)], ", "))
}
