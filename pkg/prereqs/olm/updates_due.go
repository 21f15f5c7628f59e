package olm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// updateOrder returns the operators in the order of updates: multicluster engine must fit the next OpenShift before
// that is installed, and storage comes before its users.
func updateOrder() []Operator {
	return []Operator{MulticlusterEngine(), LocalStorage(), DataFoundation(), LVMStorage(), MetalLB(), Virtualization()}
}

// updatesDue returns a finding about updates that wait for an approval or are stuck, and about versions that do not fit
// OpenShift, in the order in which to update. It returns nil if there are none.
func updatesDue(ctx context.Context, r kube.Reader, subs []olmv1alpha1.Subscription) *step.Finding {
	openShift, err := prereq.OpenShift(ctx, r)
	if err != nil {
		openShift = nil // report pending updates without the fit
	}
	var due []string
	next, object := "", ""
	for _, op := range updateOrder() {
		i := slices.IndexFunc(subs, func(s olmv1alpha1.Subscription) bool {
			return s.Spec != nil && s.Spec.Package == op.Package && s.Status.InstalledCSV != ""
		})
		if i < 0 {
			continue
		}
		state := op.due(&subs[i], openShift)
		if state == "" {
			continue
		}
		due = append(due, fmt.Sprintf("%d. %s %s", len(due)+1, op.Title, state))
		if object == "" {
			object = "Subscription " + kube.Name(&subs[i])
		}
		if ref := subs[i].Status.InstallPlanRef; next == "" && waits(&subs[i]) && ref != nil {
			next = fmt.Sprintf("to approve the first%s: %s; ", alongWith(ctx, r, &subs[i]),
				Approval(subs[i].Namespace, ref.Name))
		}
	}
	if len(due) == 0 {
		return nil
	}
	f := step.Missing("to be updated, in this order: %s", strings.Join(due, "; ")).On("%s", object).
		WithHint("%show it all fits together: %s", next, hint.Run("upgrade management").Flag("plan"))
	return &f
}

// alongWith describes what else the InstallPlan of an update installs. OLM makes one plan for all Subscriptions of a
// namespace.
func alongWith(ctx context.Context, r kube.Reader, sub *olmv1alpha1.Subscription) string {
	plan, err := installPlan(ctx, r, sub)
	if err != nil || plan == nil {
		return ""
	}
	others := without(plan.Spec.ClusterServiceVersionNames, []string{sub.Status.CurrentCSV})
	if len(others) == 0 {
		return ""
	}
	return ", and with it " + strings.Join(others, ", ")
}

// due describes the pending update of one operator, or returns "".
func (op Operator) due(sub *olmv1alpha1.Subscription, openShift *semver.Version) string {
	var out []string
	switch c := sub.Status.GetCondition(olmv1alpha1.SubscriptionInstallPlanFailed); {
	case c.Status == corev1.ConditionTrue:
		out = append(out, fmt.Sprintf("(%s) is stuck on the way to %s: %s %s", sub.Status.InstalledCSV,
			sub.Status.CurrentCSV, c.Reason, c.Message))
	case waits(sub):
		out = append(out, fmt.Sprintf("(%s): %s waits for approval", sub.Status.InstalledCSV, sub.Status.CurrentCSV))
	}
	version, err := semver.NewVersion(strings.TrimPrefix(sub.Status.InstalledCSV, op.CSVPrefix))
	// Community packages of the same name have different version numbers.
	numbered := err == nil && openShift != nil && (op.Package == MulticlusterEngine().Package ||
		version.Major() >= 4)
	if numbered {
		if fit, wants := op.Fit(version, openShift); fit != Fits {
			out = append(out, fmt.Sprintf("(%s) is %s for OpenShift %s, which goes with %s", sub.Status.InstalledCSV, fit,
				openShift, wants))
		}
	}
	return strings.Join(out, ", and ")
}

// waits reports whether an update waits for a manual approval.
func waits(sub *olmv1alpha1.Subscription) bool {
	return sub.Status.State == olmv1alpha1.SubscriptionStateUpgradePending &&
		sub.Spec.InstallPlanApproval == olmv1alpha1.ApprovalManual && sub.Status.CurrentCSV != sub.Status.InstalledCSV
}
