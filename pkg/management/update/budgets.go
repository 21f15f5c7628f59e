package update

import (
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/management/cluster"
	"github.com/hcctl/hcctl/pkg/management/finding"
)

// judgeBudgets names PodDisruptionBudgets that let no pod go: no node with such a pod can be drained. KubeVirt's own
// budgets of VMs are left out: they hold a VM's pod until the VM has left.
func (w *world) judgeBudgets() []finding.Finding {
	const all = "PodDisruptionBudgets"
	if w.budgets.Err != nil {
		return []finding.Finding{finding.Unread(all, w.budgets.Err)}
	}
	planes := cluster.Planes(w.hosted.Items)
	var ours, others []finding.Finding
	for i := range w.budgets.Items {
		b := &w.budgets.Items[i]
		if b.OfVM() || b.Status.ExpectedPods == 0 && b.Current() {
			continue
		}
		object := "PodDisruptionBudget " + b.Name()
		hc := planes[b.Metadata.Namespace]
		var f finding.Finding
		switch {
		case !b.Current():
			f = finding.IsUnknown(object, "its status is not that of its latest change")
		case b.Status.DisruptionsAllowed > 0:
			continue
		default:
			f = finding.IsBlocked(object, "%s", noDisruption(b, hc)).WithHint(remedy(b, hc))
		}
		if hc != nil {
			ours = append(ours, f)
		} else {
			others = append(others, f)
		}
	}
	out := slices.Concat(ours, others)
	if len(out) == 0 {
		return []finding.Finding{finding.IsClear(all, "each lets at least one pod go")}
	}
	return out
}

func noDisruption(b *cluster.Budget, hc *hyperv1.HostedCluster) string {
	s := b.Says() + ": a node with one of these pods cannot be drained"
	if hc == nil {
		return s
	}
	s += "; it is of the control plane of hosted cluster " + hc.Namespace + "/" + hc.Name
	if cluster.SingleReplica(hc) {
		s += ", which has a single replica of everything"
	}
	return s
}

func remedy(b *cluster.Budget, hc *hyperv1.HostedCluster) string {
	switch {
	case hc != nil && cluster.SingleReplica(hc):
		return "its API server is unavailable while such a pod moves: agree on a time with its users, and delete the pods " +
			"of the node by hand then; a control plane's availability cannot be changed later"
	case hc != nil:
		return "hcctl status " + hostedcluster.Argument(hc.Namespace, hc.Name) + " says which of its pods are not ready"
	}
	return strings.Join([]string{"oc describe poddisruptionbudget", b.Metadata.Name, "-n", b.Metadata.Namespace}, " ")
}
