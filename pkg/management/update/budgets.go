package update

import (
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/management"
	"github.com/hcctl/hcctl/pkg/step"
)

// judgeBudgets reports PodDisruptionBudgets that allow no eviction: a node with such a pod cannot be drained.
// KubeVirt's budgets of VMs are left out: they keep a VM's pod until the VM has left.
func (w *snapshot) judgeBudgets() []step.Finding {
	const all = "PodDisruptionBudgets"
	if w.budgets.Err != nil {
		return []step.Finding{management.Unread(all, w.budgets.Err)}
	}
	planes := management.Planes(w.hosted.Items)
	var hostedClusters, others []step.Finding
	for i := range w.budgets.Items {
		b := &w.budgets.Items[i]
		if b.OfVM() || b.Status.ExpectedPods == 0 && b.Current() {
			continue
		}
		object := "PodDisruptionBudget " + b.Name()
		hc := planes[b.Metadata.Namespace]
		var f step.Finding
		switch {
		case !b.Current():
			f = step.Unknown("its status is not that of its latest change").On("%s", object)
		case b.Status.DisruptionsAllowed > 0:
			continue
		default:
			f = step.Failing("%s", noDisruption(b, hc)).On("%s", object).WithHint("%s", remedy(b, hc))
		}
		if hc != nil {
			hostedClusters = append(hostedClusters, f)
		} else {
			others = append(others, f)
		}
	}
	out := slices.Concat(hostedClusters, others)
	if len(out) == 0 {
		return []step.Finding{step.OK("each lets at least one pod go").On("%s", all)}
	}
	return out
}

func noDisruption(b *management.Budget, hc *hyperv1.HostedCluster) string {
	s := b.Says() + ": a node with one of these pods cannot be drained"
	if hc == nil {
		return s
	}
	s += "; it is of the control plane of hosted cluster " + hc.Namespace + "/" + hc.Name
	if management.SingleReplica(hc) {
		s += ", which has a single replica of everything"
	}
	return s
}

func remedy(b *management.Budget, hc *hyperv1.HostedCluster) hint.Text {
	switch {
	case hc != nil && management.SingleReplica(hc):
		return hint.New("its API server is unavailable while such a pod moves: agree on a time with its users, and " +
			"delete the pods of the node by hand then; a control plane's availability cannot be changed later")
	case hc != nil:
		return hint.New("%s says which of its pods are not ready",
			hint.Run("status", hostedcluster.Argument(hc.Namespace, hc.Name)))
	}
	return hint.New("oc describe poddisruptionbudget %s -n %s", b.Metadata.Name, b.Metadata.Namespace)
}
