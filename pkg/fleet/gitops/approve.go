package gitops

import (
	"context"
	"fmt"
	"slices"
	"strings"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/step"
)

// Approval approves the InstallPlan of one version of one operator, and no other.
type Approval struct {
	Namespace string
	// Subscription is the name of the operator's Subscription.
	Subscription string
	// CSV is the version, as the name of its ClusterServiceVersion.
	CSV string
}

// Steps returns one step, which ends when the version is installed.
func (a Approval) Steps(c *kube.Client) []step.Step {
	return []step.Step{{
		ID: "gitops/approval", Title: "version " + a.CSV, Group: "gitops",
		Check: c.Reading(a.check), Apply: func(ctx context.Context) (step.Change, error) { return a.approve(ctx, c) },
	}}
}

func (a Approval) check(ctx context.Context, r kube.Reader) step.Finding {
	sub := &olmv1alpha1.Subscription{}
	key := client.ObjectKey{Namespace: a.Namespace, Name: a.Subscription}
	on := fmt.Sprintf("Subscription %s", key)
	switch err := r.Get(ctx, key, sub); {
	case kube.IsKindMissing(err):
		return step.Broken("there is no Operator Lifecycle Manager").On("%s", on)
	case client.IgnoreNotFound(err) != nil:
		return kube.Unknown(err).On("%s", on)
	case err != nil:
		return step.Pending("does not exist yet").On("%s", on)
	case sub.Spec != nil && sub.Spec.StartingCSV != a.CSV:
		return step.Broken("it wants %q, and %s was to be approved", sub.Spec.StartingCSV, a.CSV).On("%s", on).
			WithHint("both have to be the same in Git")
	case sub.Status.InstalledCSV == a.CSV:
		return step.OK("%s is installed", a.CSV).On("%s", on)
	}
	plans := &olmv1alpha1.InstallPlanList{}
	if err := r.List(ctx, plans, client.InNamespace(a.Namespace)); err != nil {
		return kube.Unknown(err).On("InstallPlans of %s", a.Namespace)
	}
	return a.judge(plans.Items, on)
}

// judge returns the progress of the InstallPlans. A plan for several versions needs a user's approval: OLM
// resolves a whole namespace, so one approval could install or update other operators.
func (a Approval) judge(plans []olmv1alpha1.InstallPlan, on string) step.Finding {
	for i := range plans {
		p := &plans[i]
		if !slices.Contains(p.Spec.ClusterServiceVersionNames, a.CSV) {
			continue
		}
		switch names := p.Spec.ClusterServiceVersionNames; {
		case p.Spec.Approved || p.Status.Phase == olmv1alpha1.InstallPlanPhaseFailed:
			return olm.JudgePlan(p)
		case len(names) > 1:
			return step.Broken("it would install %s, not %s alone", strings.Join(names, ", "), a.CSV).
				On("InstallPlan %s", kube.Name(p)).WithHint("if all of it is wanted: %s", olm.Approval(p.Namespace, p.Name))
		}
		return step.Missing("it waits for approval to install %s", a.CSV).On("InstallPlan %s", kube.Name(p))
	}
	return step.Pending("OLM has made no InstallPlan for %s yet", a.CSV).On("%s", on)
}

// approve reads the plans again, and approves the one that check has judged.
func (a Approval) approve(ctx context.Context, c *kube.Client) (step.Change, error) {
	plans := &olmv1alpha1.InstallPlanList{}
	if err := c.List(ctx, plans, client.InNamespace(a.Namespace)); err != nil {
		return "", err
	}
	for i := range plans.Items {
		p := &plans.Items[i]
		if !p.Spec.Approved && slices.Equal(p.Spec.ClusterServiceVersionNames, []string{a.CSV}) {
			patch := fmt.Sprintf(`{"metadata":{"resourceVersion":%q},"spec":{"approved":true}}`, p.ResourceVersion)
			return step.Configured, c.Patch(ctx, p, client.RawPatch(types.MergePatchType, []byte(patch)))
		}
	}
	return step.Unchanged, nil
}
