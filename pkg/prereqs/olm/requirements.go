package olm

import (
	"fmt"
	"slices"
	"strings"
	"time"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// requirementGrace is how long after its InstallPlan is complete a version's requirements may be missing in OLM's
// caches.
const requirementGrace = 30 * time.Second

// judgeRequirements decides whether the missing requirements of a version can still appear. OLM itself waits forever.
//
// plan is the InstallPlan that installed it, or nil if that was deleted. It writes the CRDs that the operator owns, the
// service accounts and the permissions; once it is complete, nothing writes them again. A CRD of another operator can
// appear at any time.
func judgeRequirements(csv *olmv1alpha1.ClusterServiceVersion, plan *olmv1alpha1.InstallPlan,
	now time.Time) step.Finding {
	object := "ClusterServiceVersion " + kube.Name(csv)
	complete := plan == nil || plan.Status.Phase == olmv1alpha1.InstallPlanPhaseComplete
	lacking, impossible := lackingRequirements(csv), []string(nil)
	for _, r := range csv.Status.RequirementStatus {
		if !met(r.Status) && (needsUser(r) || complete && fromPlan(csv, r)) {
			impossible = append(impossible, describeRequirement(r))
		}
	}
	phase := fmt.Sprintf("%s (%s)", csv.Status.Phase, csv.Status.Reason)
	switch {
	case len(lacking) == 0:
		return step.Pending("%s: %s", phase, csv.Status.Message).On("%s", object)
	case len(impossible) == 0:
		f := step.Pending("%s: it lacks %s", phase, strings.Join(lacking, "; ")).On("%s", object).WithTrouble()
		if plan != nil && plan.Status.Message != "" {
			f.Message += fmt.Sprintf(" (InstallPlan %s: %s)", plan.Name, plan.Status.Message)
		}
		return f
	}
	if age := ageOf(csv, now); age < requirementGrace && !slices.ContainsFunc(csv.Status.RequirementStatus, needsUser) {
		return step.Pending("%s: it lacks %s", phase, strings.Join(impossible, "; ")).On("%s", object).
			RecheckAfter(requirementGrace - age)
	}
	return step.Broken("%s: it lacks what will not come by itself: %s", phase, strings.Join(impossible, "; ")).
		On("%s", object).
		WithHint("remove the cause; or remove the operator and let hcctl install it again: oc delete csv %s -n %s, and its "+
			"Subscription", csv.Name, csv.Namespace)
}

// lackingRequirements describes the unmet requirements of a version.
func lackingRequirements(csv *olmv1alpha1.ClusterServiceVersion) []string {
	var lacking []string
	for _, r := range csv.Status.RequirementStatus {
		if !met(r.Status) {
			lacking = append(lacking, describeRequirement(r))
		}
	}
	return lacking
}

// met reports whether OLM accepts this state of a requirement.
func met(s olmv1alpha1.StatusReason) bool {
	return s == olmv1alpha1.RequirementStatusReasonPresent || s == "DeploymentFound"
}

// needsUser reports whether only a user can meet the requirement: Kubernetes is too old, a CRD or service account
// belongs to another operator, or the bundle contradicts itself. OLM reports these only in the message.
func needsUser(r olmv1alpha1.RequirementStatus) bool {
	return !met(r.Status) && (strings.Contains(r.Message, "minKubeVersion (") ||
		strings.Contains(r.Message, "CSV version parsing error") ||
		strings.Contains(r.Message, "installed alongside other CSV") ||
		strings.Contains(r.Message, "owned by another ClusterServiceVersion") ||
		r.Status == "DeploymentNotFound")
}

// fromPlan reports whether the operator's own InstallPlan provides the requirement.
func fromPlan(csv *olmv1alpha1.ClusterServiceVersion, r olmv1alpha1.RequirementStatus) bool {
	switch r.Kind {
	case "ServiceAccount":
		return true
	case "CustomResourceDefinition":
		return r.Status == olmv1alpha1.RequirementStatusReasonNotPresent &&
			slices.ContainsFunc(csv.Spec.CustomResourceDefinitions.Owned,
				func(d olmv1alpha1.CRDDescription) bool { return d.Name == r.Name })
	}
	return false
}

func describeRequirement(r olmv1alpha1.RequirementStatus) string {
	s := fmt.Sprintf("%s %s (%s", r.Kind, r.Name, r.Status)
	if r.Message != "" {
		s += ": " + r.Message
	}
	for _, d := range r.Dependents {
		if d.Status != olmv1alpha1.DependentStatusReasonSatisfied {
			s += ": " + d.Message
			break
		}
	}
	return s + ")"
}

// ageOf returns how long the version has been in its present phase.
func ageOf(csv *olmv1alpha1.ClusterServiceVersion, now time.Time) time.Duration {
	if csv.Status.LastTransitionTime == nil {
		return 0
	}
	return now.Sub(csv.Status.LastTransitionTime.Time)
}
