package olm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// approvalGrace is how long a foreign InstallPlan may wait for approval before that counts as a problem: odf-operator
// approves the plans of the operators it installs, and GitOps repositories approve theirs.
const approvalGrace = time.Minute

// TakesOver describes what taking over the step of an operator means, for help texts.
const TakesOver = "approves the operator's InstallPlan although somebody else's Subscription wants that " +
	"to be done by hand"

// Replaces returns the fields of foreign objects whose value Apply changes: the approval of a plan.
func Replaces() []string { return []string{"spec.approved"} }

// awaitsApproval reports whether OLM waits for an approval of the plan. False for nil.
func awaitsApproval(plan *olmv1alpha1.InstallPlan) bool {
	return plan != nil && plan.Status.Phase == olmv1alpha1.InstallPlanPhaseRequiresApproval && !plan.Spec.Approved
}

func own(sub *olmv1alpha1.Subscription) bool {
	return sub.Labels[kube.ManagedByLabel] == kube.FieldOwner
}

// Approval returns the command that approves an InstallPlan.
func Approval(namespace, name string) string {
	return fmt.Sprintf(`oc patch installplan %s -n %s --type=merge -p '{"spec":{"approved":true}}'`, name, namespace)
}

// followApproval returns who has to approve a plan. OLM resolves a namespace as a whole: one Subscription with manual
// approval makes every plan of its namespace wait, and a plan can serve several Subscriptions.
func (i Installer) followApproval(ctx context.Context, r kube.Reader, sub *olmv1alpha1.Subscription,
	plan *olmv1alpha1.InstallPlan) step.Finding {
	if !own(sub) {
		return i.judgeForeignApproval(plan, r.Now().Sub(plan.CreationTimestamp.Time))
	}
	requested, err := i.requested(ctx, r, sub.Namespace)
	if err != nil {
		return kube.Unknown(err).On("Subscriptions")
	}
	return i.judgeApproval(plan, requested)
}

// judgeForeignApproval judges a plan of a foreign Subscription, which its owner has to approve.
func (i Installer) judgeForeignApproval(plan *olmv1alpha1.InstallPlan, age time.Duration) step.Finding {
	names := strings.Join(plan.Spec.ClusterServiceVersionNames, ", ")
	next := hint.Plain(Approval(plan.Namespace, plan.Name))
	if i.op.Pin.TakeOver {
		return i.judgeApproval(plan, i.named(plan))
	}
	if i.op.Pin.Step != "" {
		next = hint.New("%s, or: %s", next, hint.Run("bootstrap").Flag("take-over", i.op.Pin.Step))
	}
	if age < approvalGrace {
		return step.Pending("it waits for approval to install %s", names).On("InstallPlan %s", kube.Name(plan)).
			WithHint("%s", next).RecheckAfter(approvalGrace - age)
	}
	return step.Broken("it waits for manual approval to install %s; hcctl approves only what it asked for itself",
		names).
		On("InstallPlan %s", kube.Name(plan)).WithHint("%s", next)
}

// judgeApproval returns whether hcctl may approve a plan: only if the plan installs nothing but what hcctl requested in
// this namespace.
func (i Installer) judgeApproval(plan *olmv1alpha1.InstallPlan, requested []string) step.Finding {
	object := "InstallPlan " + kube.Name(plan)
	foreign := i.foreign(plan, requested)
	if len(foreign) > 0 {
		return step.Broken("it would install %s too, which hcctl did not ask for, along with %s", strings.Join(foreign, ", "),
			prereq.Listed(without(plan.Spec.ClusterServiceVersionNames, foreign))).
			On("%s", object).WithHint("if all of it is wanted: %s; then run hcctl again", Approval(plan.Namespace, plan.Name))
	}
	return step.Missing("it waits for approval to install %s, as hcctl asked",
		strings.Join(plan.Spec.ClusterServiceVersionNames, ", ")).
		On("%s", object).WithHint("%s approves it", hint.Run("bootstrap"))
}

// named returns the versions in a plan that belong to the operator.
func (i Installer) named(plan *olmv1alpha1.InstallPlan) []string {
	return slices.DeleteFunc(slices.Clone(plan.Spec.ClusterServiceVersionNames), func(n string) bool {
		return !strings.HasPrefix(n, i.op.CSVPrefix)
	})
}

// foreign returns the versions in a plan that hcctl did not request. Known dependencies of an operator count as
// requested if the operator itself is in the plan.
func (i Installer) foreign(plan *olmv1alpha1.InstallPlan, requested []string) []string {
	names := plan.Spec.ClusterServiceVersionNames
	main := slices.ContainsFunc(names, func(n string) bool {
		return slices.Contains(requested, n) && strings.HasPrefix(n, i.op.CSVPrefix)
	})
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		dependency := main && slices.ContainsFunc(i.op.brings,
			func(prefix string) bool { return strings.HasPrefix(n, prefix) })
		return slices.Contains(requested, n) || dependency
	})
}

// requested returns the versions that hcctl's own Subscriptions in a namespace wait for: their startingCSV, or the
// newest of their channel. A Subscription that has installed something requests nothing more: upgrades are a user's
// decision.
func (i Installer) requested(ctx context.Context, r kube.Reader, namespace string) ([]string, error) {
	list := &olmv1alpha1.SubscriptionList{}
	if err := r.List(ctx, list); err != nil {
		return nil, err
	}
	var requested []string
	for n := range list.Items {
		sub := &list.Items[n]
		if sub.Namespace != namespace || sub.Spec == nil || !own(sub) || sub.Status.InstalledCSV != "" {
			continue
		}
		switch {
		case sub.Spec.StartingCSV != "":
			requested = append(requested, sub.Spec.StartingCSV)
		case sub.Status.CurrentCSV != "":
			requested = append(requested, sub.Status.CurrentCSV)
		}
	}
	return requested, nil
}

// approve judges a plan again and approves it if hcctl may.
func (i Installer) approve(ctx context.Context, c *kube.Client, sub *olmv1alpha1.Subscription,
	plan *olmv1alpha1.InstallPlan) (step.Change, error) {
	if f := i.followApproval(ctx, c, sub, plan); f.State != step.StateMissing {
		return step.Unchanged, nil
	}
	return prereq.MergePatch(ctx, c, plan, `{"spec":{"approved":true}}`)
}

// carries reports whether the plan installs the version.
func carries(plan *olmv1alpha1.InstallPlan, csv string) bool {
	return slices.Contains(plan.Spec.ClusterServiceVersionNames, csv)
}

func without(all, drop []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(drop, s) })
}
