package prereqs

import (
	"fmt"
	"strings"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// judgeVersion decodes a ClusterServiceVersion. OLM goes back from Failed by itself when what made it fail is gone, for every
// reason but those of hopelessVersion, which a person has to resolve.
func judgeVersion(csv *olmv1alpha1.ClusterServiceVersion) step.Finding {
	object := "ClusterServiceVersion " + kube.Name(csv)
	status := csv.Status
	switch {
	case status.Phase == olmv1alpha1.CSVPhaseSucceeded:
		return step.Okay("%s is installed", csv.Name).On("%s", object)
	case hopelessVersion(status.Reason):
		return step.Stuck("%s (%s): %s", status.Phase, status.Reason, status.Message).On("%s", object).
			WithHint("oc describe csv %s -n %s", csv.Name, csv.Namespace)
	case status.Phase == "":
		return step.Waiting("OLM has not looked at it yet").On("%s", object)
	}
	message := fmt.Sprintf("%s (%s): %s", status.Phase, status.Reason, status.Message)
	if unmet := unmetRequirements(status.RequirementStatus); status.Reason == olmv1alpha1.CSVReasonRequirementsNotMet && len(unmet) > 0 {
		message += ": " + strings.Join(unmet, ", ")
	}
	return step.Waiting("%s", message).On("%s", object)
}

// hopelessVersion are the reasons of a CSV that OLM (v0) waits on a person for.
func hopelessVersion(reason olmv1alpha1.ConditionReason) bool {
	switch reason {
	case olmv1alpha1.CSVReasonUnsupportedOperatorGroup, olmv1alpha1.CSVReasonTooManyOperatorGroups, olmv1alpha1.CSVReasonNoOperatorGroup,
		olmv1alpha1.CSVReasonInterOperatorGroupOwnerConflict, olmv1alpha1.CSVReasonOwnerConflict, olmv1alpha1.CSVReasonNoTargetNamespaces,
		olmv1alpha1.CSVReasonInvalidInstallModes, olmv1alpha1.CSVReasonInvalidStrategy, olmv1alpha1.CSVReasonComponentFailedNoRetry,
		olmv1alpha1.CSVReasonCannotModifyStaticOperatorGroupProvidedAPIs, olmv1alpha1.CSVReasonInvalidWebhookDescription:
		return true
	}
	return false
}

func unmetRequirements(all []olmv1alpha1.RequirementStatus) []string {
	var out []string
	for _, r := range all {
		if r.Status != olmv1alpha1.RequirementStatusReasonPresent {
			out = append(out, fmt.Sprintf("%s %s %s", r.Kind, r.Name, r.Status))
		}
	}
	return out
}

// The reasons of a Subscription's condition ResolutionFailed.
const constraintsNotSatisfiable = "ConstraintsNotSatisfiable"

// judgeSubscription decodes a Subscription nothing is installed of yet, and its InstallPlan if it has one. Conditions of a
// Subscription are True when something is wrong. An unhealthy catalog goes first: what else goes wrong comes of it.
func judgeSubscription(sub *olmv1alpha1.Subscription, plan *olmv1alpha1.InstallPlan) step.Finding {
	object := "Subscription " + kube.Name(sub)
	is := func(t olmv1alpha1.SubscriptionConditionType) (olmv1alpha1.SubscriptionCondition, bool) {
		c := sub.Status.GetCondition(t)
		return c, c.Status == corev1.ConditionTrue
	}
	if c, ok := is(olmv1alpha1.SubscriptionCatalogSourcesUnhealthy); ok {
		return step.Waiting("a catalog is not healthy (%s): %s", c.Reason, c.Message).On("%s", object).WithHint("oc get catalogsource -A")
	}
	if c, ok := is(olmv1alpha1.SubscriptionResolutionFailed); ok {
		if c.Reason != constraintsNotSatisfiable {
			return step.Waiting("OLM cannot resolve it now (%s): %s", c.Reason, c.Message).On("%s", object)
		}
		return step.Stuck("OLM finds nothing to install (%s): %s", c.Reason, c.Message).On("%s", object).
			WithHint("compare channel, catalog and startingCSV with: oc get packagemanifest %s -n %s -o yaml", sub.Spec.Package, marketplace)
	}
	if c, ok := is(olmv1alpha1.SubscriptionBundleUnpackFailed); ok {
		return step.Stuck("its bundle cannot be unpacked (%s): %s", c.Reason, c.Message).On("%s", object).WithHint("oc get jobs,pods -n %s", sub.Spec.CatalogSourceNamespace)
	}
	if plan != nil {
		return judgePlan(plan)
	}
	if c, ok := is(olmv1alpha1.SubscriptionInstallPlanFailed); ok {
		return step.Stuck("its InstallPlan failed (%s): %s", c.Reason, c.Message).On("%s", object).WithHint("oc get installplan -n %s", sub.Namespace)
	}
	if c, ok := is(olmv1alpha1.SubscriptionBundleUnpacking); ok {
		return step.Waiting("its bundle is being unpacked: %s", c.Message).On("%s", object)
	}
	return step.Waiting("OLM is resolving it").On("%s", object)
}

// judgePlan decodes an InstallPlan. A failed one is never tried again: it has to be deleted.
func judgePlan(plan *olmv1alpha1.InstallPlan) step.Finding {
	object := "InstallPlan " + kube.Name(plan)
	names := strings.Join(plan.Spec.ClusterServiceVersionNames, ", ")
	switch plan.Status.Phase {
	case olmv1alpha1.InstallPlanPhaseFailed:
		message := plan.Status.Message
		for _, c := range plan.Status.Conditions {
			if c.Status == corev1.ConditionFalse && c.Message != "" {
				message = fmt.Sprintf("%s: %s", c.Reason, c.Message)
			}
		}
		return step.Stuck("it failed: %s", message).On("%s", object).
			WithHint("remove the cause, then: oc delete installplan %s -n %s", plan.Name, plan.Namespace)
	case olmv1alpha1.InstallPlanPhaseRequiresApproval:
		return step.Waiting("it waits for approval to install %s", names).On("%s", object).
			WithHint(`oc patch installplan %s -n %s --type=merge -p '{"spec":{"approved":true}}'`, plan.Name, plan.Namespace)
	}
	return step.Waiting("OLM is installing %s", names).On("%s", object)
}
