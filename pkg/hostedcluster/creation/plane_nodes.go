package creation

import (
	"context"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/placement"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// planeNodesThere looks for the nodes that the control plane is isolated on: enough of them, and closed to worker VMs.
func (p *Plan) planeNodesThere(ctx context.Context, r kube.Reader) step.Finding {
	var nodes corev1.NodeList
	if err := r.List(ctx, &nodes); err != nil {
		return kube.Unknown(err).On("Nodes")
	}
	key, value, _ := p.Options.PlaneLabel()
	needs := 1
	if p.Options.ControlPlaneAvailabilityPolicy != string(hyperv1.SingleReplica) {
		needs = planeCopies
	}
	f := judgePlaneNodes(nodes.Items, p.Options, p.placed(), needs)
	if f.State != step.StateOK {
		f = f.WithHint("oc label node NAME %[1]s=%[2]s; oc adm taint node NAME %[1]s=%[2]s:NoSchedule", key, value)
	}
	return f.On("Nodes")
}

// planeCopies is how many pods of each kind a highly available control plane has at most; no two share a node
// (support/controlplane-component, setMultizoneSpread).
const planeCopies = 3

// judgePlaneNodes counts the nodes that take the control plane's pods, with the tolerations that HyperShift gives them.
func judgePlaneNodes(nodes []corev1.Node, o options.Validated, pools []PlacedPool, needs int) step.Finding {
	key, value, _ := o.PlaneLabel()
	tolerations := slices.Clone(o.Toleration)
	for k, v := range map[string]string{options.ControlPlaneLabel: "true",
		hyperv1.HostedClusterLabel: hostedcluster.ControlPlaneNamespace(o.Namespace, o.Name)} {
		tolerations = append(tolerations, corev1.Toleration{Key: k, Operator: corev1.TolerationOpEqual, Value: v,
			Effect: corev1.TaintEffectNoSchedule})
	}
	labelled, open := 0, []string(nil)
	var fit []string
	for i := range nodes {
		n := &nodes[i]
		if n.Labels[key] != value {
			continue
		}
		labelled++
		if !labels.SelectorFromSet(o.PlaneSelector()).Matches(labels.Set(n.Labels)) || n.Spec.Unschedulable ||
			!kube.Tolerates(n, tolerations) {
			continue
		}
		fit = append(fit, n.Name)
		if slices.ContainsFunc(pools, func(pool PlacedPool) bool {
			w, err := placement.Read(pool.Patch)
			return err == nil && takesVMs(n, pool.NodeSelector, w)
		}) {
			open = append(open, n.Name)
		}
	}
	switch {
	case labelled == 0:
		return step.Missing("no node has the label %s=%s", key, value)
	case len(fit) < needs:
		return step.Missing("%s with the label %s=%s, of which %d take the control plane (node selector, taints, cordon), "+
			"and %d needed: no two pods of a kind share a node", plural.Count(labelled, "node"), key, value, len(fit), needs)
	case len(open) > 0:
		return step.Missing("worker VMs of this cluster may run on %s: without the taint %s=%s:NoSchedule the control plane "+
			"is not apart from them", strings.Join(open, ", "), key, value)
	}
	return step.OK("%s for the control plane, closed to worker VMs: %s", plural.Count(len(fit), "node"),
		strings.Join(fit[:min(len(fit), 10)], ", "))
}
