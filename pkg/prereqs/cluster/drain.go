package cluster

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Annotations of the machine config operator on a node (pkg/daemon/constants, 4.12 and later): its daemon requests a
// drain with the first, and its drain controller copies the value to the second once the node is drained.
const (
	desiredDrain     = "machineconfiguration.openshift.io/desiredDrain"
	lastAppliedDrain = "machineconfiguration.openshift.io/lastAppliedDrain"
)

// draining reports whether a drain of the node was requested and is not complete.
func draining(n *corev1.Node) bool {
	wanted := n.Annotations[desiredDrain]
	return strings.HasPrefix(wanted, "drain-") && n.Annotations[lastAppliedDrain] != wanted
}

// readDrains returns the rights of heldDrain.
func readDrains() []access.Rule {
	return []access.Rule{prereq.ListNodes(), prereq.ListPods(),
		{Verbs: "list", Resources: "poddisruptionbudgets.policy", Why: "what holds up the drain of a node"}}
}

// heldDrain returns a finding about a PodDisruptionBudget that keeps a pod on a node that is being drained, or nil. The
// drain controller only logs it, and retries forever.
func heldDrain(ctx context.Context, r kube.Reader) *step.Finding {
	nodes := &corev1.NodeList{}
	if err := r.List(ctx, nodes); err != nil {
		return nil
	}
	waits := map[string]bool{}
	for i := range nodes.Items {
		if draining(&nodes.Items[i]) {
			waits[nodes.Items[i].Name] = true
		}
	}
	if len(waits) == 0 {
		return nil
	}
	tight := tightBudgets(ctx, r)
	pods := &corev1.PodList{}
	if len(tight) == 0 || r.List(ctx, pods) != nil {
		return nil
	}
	// Budgets of VMs come last: they keep a VM's pod until the VM has migrated, which is normal.
	for _, ofVMs := range []bool{false, true} {
		for i := range pods.Items {
			pod := &pods.Items[i]
			for _, b := range tight {
				if b.OfVM() != ofVMs || !waits[pod.Spec.NodeName] || !b.Selects(pod.Namespace, pod.Labels) {
					continue
				}
				f := step.Pending("its drain waits for pod %s, which PodDisruptionBudget %s keeps: %s", kube.Name(pod), b.Name(),
					b.Says()).On("Node %s", pod.Spec.NodeName).
					WithHint("oc describe poddisruptionbudget %s -n %s", b.Metadata.Name, b.Metadata.Namespace)
				f.Trouble = !ofVMs
				return &f
			}
		}
	}
	return nil
}

// tightBudgets returns the budgets that allow no eviction now, or none if they cannot be read.
func tightBudgets(ctx context.Context, r kube.Reader) []*kube.Budget {
	list := kube.PodDisruptionBudget.NewList()
	if err := r.List(ctx, list); err != nil {
		return nil
	}
	var out []*kube.Budget
	for i := range list.Items {
		b := &kube.Budget{}
		err := runtime.DefaultUnstructuredConverter.FromUnstructured(list.Items[i].Object, b)
		if err == nil && b.Current() && b.Status.ExpectedPods > 0 && b.Status.DisruptionsAllowed == 0 {
			out = append(out, b)
		}
	}
	return out
}
