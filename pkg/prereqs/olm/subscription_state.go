package olm

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// Reasons of OLM for which its API has no constants.
const (
	// constraintsNotSatisfiable: the requested version does not exist, or the constraints conflict. OLM retries only when
	// a Subscription or a catalog changes.
	constraintsNotSatisfiable = "ConstraintsNotSatisfiable"
	// ensureInstallPlanFailed: the API server refused the InstallPlan. OLM retries.
	ensureInstallPlanFailed = "EnsureInstallPlanFailed"
)

// judgeSubscription judges a Subscription that has installed nothing yet, and its InstallPlan if it has one. A status
// that is older than the newest change of the Subscription is not final.
//
// Conditions of a Subscription are True when something is wrong. The InstallPlan comes first, because it follows the
// resolution; then an unhealthy catalog, because it causes the other problems.
func judgeSubscription(sub *olmv1alpha1.Subscription, plan *olmv1alpha1.InstallPlan, now time.Time) step.Finding {
	f := judgeSubscriptionStatus(sub, plan)
	if left := kube.Unsettled(sub, sub.Status.LastUpdated.Time, now); f.State == step.StateBroken && left > 0 &&
		plan == nil && sub.Spec != nil {
		return step.Pending("OLM has not looked at its newest change yet; before that: %s", f.Message).On("%s", f.Object).
			RecheckAfter(left)
	}
	return f
}

func judgeSubscriptionStatus(sub *olmv1alpha1.Subscription, plan *olmv1alpha1.InstallPlan) step.Finding {
	object := "Subscription " + kube.Name(sub)
	if sub.Spec == nil {
		return step.Broken("has no spec: it asks for nothing").On("%s", object).
			WithHint("oc delete subscription.operators.coreos.com %s -n %s, and run hcctl again", sub.Name, sub.Namespace)
	}
	is := func(t olmv1alpha1.SubscriptionConditionType) (olmv1alpha1.SubscriptionCondition, bool) {
		c := sub.Status.GetCondition(t)
		return c, c.Status == corev1.ConditionTrue
	}
	if plan != nil && plan.Status.Phase != "" {
		return JudgePlan(plan)
	}
	if f := catalogGone(sub); f != nil {
		return *f
	}
	if c, ok := is(olmv1alpha1.SubscriptionCatalogSourcesUnhealthy); ok {
		return step.Pending("a catalog is not healthy (%s): %s", c.Reason, cmp.Or(unhealthyCatalogs(sub), c.Message)).
			On("%s", object).
			WithHint("oc get catalogsource,pods -n %s", Marketplace).WithTrouble()
	}
	if c, ok := is(olmv1alpha1.SubscriptionResolutionFailed); ok {
		return judgeResolution(sub, c)
	}
	if c, ok := is(olmv1alpha1.SubscriptionBundleUnpackFailed); ok {
		if c.Reason == ensureInstallPlanFailed {
			return step.Pending("OLM could not write its InstallPlan, and tries again (%s): %s", c.Reason, c.Message).
				On("%s", object)
		}
		return step.Broken("the image of its bundle cannot be fetched or read (%s): %s", c.Reason, c.Message).
			On("%s", object).
			WithHint("see why (oc get jobs,pods -n %[1]s -l operatorframework.io/bundle-unpack-ref), put it right (pull "+
				"secret, mirror), then: oc delete jobs -n %[1]s -l operatorframework.io/bundle-unpack-ref",
				sub.Spec.CatalogSourceNamespace)
	}
	if c, ok := is(olmv1alpha1.SubscriptionInstallPlanFailed); ok {
		return step.Broken("its InstallPlan failed (%s): %s", c.Reason, c.Message).On("%s", object).
			WithHint("oc get installplan -n %s", sub.Namespace)
	}
	if c, ok := is(olmv1alpha1.SubscriptionInstallPlanMissing); ok &&
		sub.Status.State != olmv1alpha1.SubscriptionStateUpgradePending {
		return step.Broken("its InstallPlan was deleted, and OLM makes no new one (%s)", c.Reason).On("%s", object).
			WithHint("oc delete subscription.operators.coreos.com %s -n %s, then run hcctl again", sub.Name, sub.Namespace)
	}
	if c, ok := is(olmv1alpha1.SubscriptionBundleUnpacking); ok {
		return step.Pending("its bundle is being unpacked: %s", c.Message).On("%s", object)
	}
	if c, ok := is(olmv1alpha1.SubscriptionInstallPlanPending); ok {
		return step.Pending("its InstallPlan is under way (%s) %s", c.Reason, c.Message).On("%s", object)
	}
	return step.Pending("OLM is resolving it").On("%s", object)
}

// unhealthyCatalogs returns the catalogs that OLM reports as unhealthy.
func unhealthyCatalogs(sub *olmv1alpha1.Subscription) string {
	var names []string
	for _, h := range sub.Status.CatalogHealth {
		if !h.Healthy && h.CatalogSourceRef != nil {
			names = append(names, h.CatalogSourceRef.Namespace+"/"+h.CatalogSourceRef.Name)
		}
	}
	return strings.Join(names, ", ")
}

// catalogGone returns a finding if the CatalogSource of a Subscription does not exist, else nil.
func catalogGone(sub *olmv1alpha1.Subscription) *step.Finding {
	c := sub.Status.GetCondition(olmv1alpha1.SubscriptionCatalogSourcesUnhealthy)
	if c.Status != corev1.ConditionTrue || !strings.Contains(c.Message, "targeted catalogsource") ||
		!strings.HasSuffix(c.Message, "missing") {
		return nil
	}
	f := step.Broken("catalog %s/%s, which it should come from, does not exist (%s)", sub.Spec.CatalogSourceNamespace,
		sub.Spec.CatalogSource, c.Reason).On("Subscription %s", kube.Name(sub)).
		WithHint("oc get catalogsource -A; then correct spec.source: oc edit subscription.operators.coreos.com %s -n %s",
			sub.Name, sub.Namespace)
	return &f
}

// unsatisfiable matches the message in which OLM's resolver names the Subscription that cannot be satisfied.
var unsatisfiable = lazyregexp.New(`(no operators found[^,]*?) (?:referenced by|of) subscription ([^\s,]+)`)

// orphan matches the message in which OLM's resolver names a ClusterServiceVersion without a Subscription.
var orphan = lazyregexp.New(`clusterserviceversion (\S+) exists and is not referenced by a subscription`)

// judgeResolution judges condition ResolutionFailed. OLM resolves the Subscriptions of a namespace together, so the
// cause may be another Subscription than the one with the condition.
func judgeResolution(sub *olmv1alpha1.Subscription, c olmv1alpha1.SubscriptionCondition) step.Finding {
	object := "Subscription " + kube.Name(sub)
	if c.Reason != constraintsNotSatisfiable {
		return step.Pending("OLM cannot resolve it now, and tries again (%s): %s", c.Reason, c.Message).On("%s", object).
			WithHint("every catalog counts, also one that is not needed: oc get catalogsource -A").WithTrouble()
	}
	if m := unsatisfiable.FindStringSubmatch(c.Message); m != nil {
		if m[2] != sub.Name {
			return step.Broken("OLM installs nothing in namespace %s because of another Subscription there, %s: %s (%s)",
				sub.Namespace, m[2], m[1], c.Reason).On("%s", object).
				WithHint("correct or delete that one: oc get subscription.operators.coreos.com %s -n %s -o yaml",
					sanitize.Word(m[2]), sub.Namespace)
		}
		return step.Broken("what it asks for is not in its catalog: %s (%s)", m[1], c.Reason).On("%s", object).
			WithHint("compare channel, catalog and startingCSV with: oc get packagemanifest %s -n %s -o yaml; then oc delete "+
				"subscription.operators.coreos.com %s -n %s and run hcctl again",
				sanitize.Word(sub.Spec.Package), Marketplace, sub.Name, sub.Namespace)
	}
	if m := orphan.FindStringSubmatch(c.Message); m != nil {
		return step.Broken("%s is installed without a Subscription and is in its way (%s): %s", m[1], c.Reason, c.Message).
			On("%s", object).
			WithHint("oc delete csv %s -n %s (what the operator runs stays), and OLM installs it again", sanitize.Word(m[1]),
				sub.Namespace)
	}
	return step.Broken("OLM finds nothing to install (%s): %s", c.Reason, c.Message).On("%s", object).
		WithHint("compare channel, catalog and startingCSV with: oc get packagemanifest %s -n %s -o yaml",
			sanitize.Word(sub.Spec.Package), Marketplace)
}

// planMeanings explains the reasons of a failed InstallPlan.
func planMeanings() map[olmv1alpha1.InstallPlanConditionReason]string {
	return map[olmv1alpha1.InstallPlanConditionReason]string{
		olmv1alpha1.InstallPlanReasonComponentFailed:    "the API server did not take a part of it, and OLM has given up",
		olmv1alpha1.InstallPlanReasonInstallCheckFailed: "OLM cannot act as the service account of the OperatorGroup",
		olmv1alpha1.InstallPlanReasonDependencyConflict: "what it depends on contradicts itself",
		olmv1alpha1.InstallPlanReasonPlanUnknown:        "OLM could not make a plan",
	}
}

// deletePlan returns the command after which OLM makes a failed plan anew: neither its versions nor its Subscriptions
// may remain.
func deletePlan(plan *olmv1alpha1.InstallPlan) string {
	var lines []string
	for _, owner := range plan.OwnerReferences {
		if owner.Kind == olmv1alpha1.SubscriptionKind {
			lines = append(lines, "subscription.operators.coreos.com/"+owner.Name)
		}
	}
	for _, csv := range plan.Spec.ClusterServiceVersionNames {
		lines = append(lines, "csv/"+csv)
	}
	return fmt.Sprintf("oc delete %s installplan/%s -n %s", strings.Join(lines, " "), plan.Name, plan.Namespace)
}

// JudgePlan judges an InstallPlan. OLM never retries a failed one.
func JudgePlan(plan *olmv1alpha1.InstallPlan) step.Finding {
	object := "InstallPlan " + kube.Name(plan)
	names := strings.Join(plan.Spec.ClusterServiceVersionNames, ", ")
	reason, message := "", plan.Status.Message
	for _, c := range plan.Status.Conditions {
		if c.Status == corev1.ConditionFalse && c.Reason != "" {
			reason = fmt.Sprintf("%s (%s)", cmp.Or(planMeanings()[c.Reason], "it did not succeed"), c.Reason)
			message = cmp.Or(c.Message, message)
		}
	}
	switch plan.Status.Phase {
	case olmv1alpha1.InstallPlanPhaseFailed:
		return step.Broken("installing %s failed: %s: %s", names, cmp.Or(reason, "OLM has given up"), message).
			On("%s", object).
			WithHint("remove the cause, then %s, and run hcctl again", deletePlan(plan))
	case olmv1alpha1.InstallPlanPhaseRequiresApproval:
		if !plan.Spec.Approved {
			return step.Pending("it waits for approval to install %s", names).On("%s", object).
				WithHint("%s", Approval(plan.Namespace, plan.Name))
		}
	case olmv1alpha1.InstallPlanPhaseInstalling:
		for _, c := range plan.Status.Conditions {
			if c.Reason == olmv1alpha1.InstallPlanReasonInstallCheckFailed && c.Status == corev1.ConditionFalse {
				return step.Pending("installing %s: %s: %s", names, reason, message).On("%s", object).
					WithHint("oc get operatorgroup -n %s -o yaml", plan.Namespace).WithTrouble()
			}
		}
	}
	if message != "" {
		return step.Pending("OLM is installing %s: %s", names, message).On("%s", object).WithTrouble()
	}
	return step.Pending("OLM is installing %s", names).On("%s", object)
}
