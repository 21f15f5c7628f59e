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

// updateOrder are the operators in the order in which they are updated: multicluster engine has to fit an OpenShift
// before it is installed, storage comes before what has its volumes on it.
func updateOrder() []Operator {
	return []Operator{MulticlusterEngine(), LocalStorage(), DataFoundation(), LVMStorage(), MetalLB(), Virtualization()}
}

// updatesDue is the finding about updates that wait for an approval or are stuck, and about versions that do not fit
// OpenShift, in the order in which to update; nil where there is none.
func updatesDue(ctx context.Context, r kube.Reader, subs []olmv1alpha1.Subscription) *step.Finding {
	openShift, err := prereq.OpenShift(ctx, r)
	if err != nil {
		openShift = nil // what a version fits is not known then; what waits is
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
		what := op.due(&subs[i], openShift)
		if what == "" {
			continue
		}
		due = append(due, fmt.Sprintf("%d. %s %s", len(due)+1, op.Title, what))
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

// alongWith says what else the InstallPlan of an update installs: OLM makes one for all Subscriptions of a namespace.
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

// due says what is due of one operator; empty if nothing is.
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
	// Packages of the same name by the community have numbers of their own.
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

// waits reports whether an update waits for somebody's approval.
func waits(sub *olmv1alpha1.Subscription) bool {
	return sub.Status.State == olmv1alpha1.SubscriptionStateUpgradePending &&
		sub.Spec.InstallPlanApproval == olmv1alpha1.ApprovalManual && sub.Status.CurrentCSV != sub.Status.InstalledCSV
}
