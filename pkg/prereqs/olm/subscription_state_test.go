package olm

import (
	"strings"
	"testing"
	"time"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/step"
)

func TestJudgeSubscription(t *testing.T) {
	condition := func(t olmv1alpha1.SubscriptionConditionType, status corev1.ConditionStatus,
		reason string) olmv1alpha1.SubscriptionCondition {
		return olmv1alpha1.SubscriptionCondition{Type: t, Status: status, Reason: reason, Message: "in OLM's words"}
	}
	said := func(t olmv1alpha1.SubscriptionConditionType, reason, message string) olmv1alpha1.SubscriptionCondition {
		c := condition(t, "True", reason)
		c.Message = message
		return c
	}
	trouble := func(phase olmv1alpha1.InstallPlanPhase, message string) *olmv1alpha1.InstallPlan {
		return &olmv1alpha1.InstallPlan{
			Spec:   olmv1alpha1.InstallPlanSpec{ClusterServiceVersionNames: []string{"x.v1"}},
			Status: olmv1alpha1.InstallPlanStatus{Phase: phase, Message: message},
		}
	}
	plan := func(phase olmv1alpha1.InstallPlanPhase) *olmv1alpha1.InstallPlan {
		return &olmv1alpha1.InstallPlan{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "install-1",
				OwnerReferences: []metav1.OwnerReference{{Kind: "Subscription", Name: "s"}}},
			Spec: olmv1alpha1.InstallPlanSpec{ClusterServiceVersionNames: []string{"x.v1"}},
			Status: olmv1alpha1.InstallPlanStatus{Phase: phase, Conditions: []olmv1alpha1.InstallPlanCondition{
				{Type: "Installed", Status: corev1.ConditionFalse, Reason: "InstallComponentFailed", Message: "no such thing"},
			}},
		}
	}
	for name, tc := range map[string]struct {
		conditions []olmv1alpha1.SubscriptionCondition
		plan       *olmv1alpha1.InstallPlan
		want       step.State
		says, hint string
	}{
		"fresh": {nil, nil, step.StatePending, "resolving", ""},
		"catalogs healthy": {[]olmv1alpha1.SubscriptionCondition{condition("CatalogSourcesUnhealthy", "False",
			"AllCatalogSourcesHealthy")}, nil, step.StatePending, "resolving", ""},
		"catalogs unhealthy": {[]olmv1alpha1.SubscriptionCondition{condition("CatalogSourcesUnhealthy", "True",
			"UnhealthyCatalogSourceFound")}, nil, step.StatePending, "UnhealthyCatalogSourceFound", "catalogsource"},
		"the cause goes first": {[]olmv1alpha1.SubscriptionCondition{condition("ResolutionFailed", "True",
			"ConstraintsNotSatisfiable"),
			condition("CatalogSourcesUnhealthy", "True",
				"UnhealthyCatalogSourceFound")}, nil, step.StatePending, "UnhealthyCatalogSourceFound", ""},
		"nothing to install": {[]olmv1alpha1.SubscriptionCondition{condition("ResolutionFailed", "True",
			"ConstraintsNotSatisfiable")}, nil, step.StateBroken, "in OLM's words", "packagemanifest"},
		"resolution disturbed": {[]olmv1alpha1.SubscriptionCondition{condition("ResolutionFailed", "True",
			"ErrorPreventedResolution")}, nil, step.StatePending, "in OLM's words", ""},
		"resolution: another's fault": {[]olmv1alpha1.SubscriptionCondition{said("ResolutionFailed",
			"ConstraintsNotSatisfiable",
			"constraints not satisfiable: no operators found in channel gone of package other in the catalog referenced by "+
				"subscription other-sub, subscription other-sub exists")},
			nil, step.StateBroken, "because of another Subscription there, other-sub: no operators found in channel gone of " +
				"package other in the catalog", "other-sub -n ns"},
		"resolution: no such version": {[]olmv1alpha1.SubscriptionCondition{said("ResolutionFailed",
			"ConstraintsNotSatisfiable",
			"constraints not satisfiable: subscription x exists, no operators found with name x.v9 in channel stable of "+
				"package x in the catalog referenced by subscription x")},
			nil, step.StateBroken, "not in its catalog: no operators found with name x.v9 in channel stable", "oc delete " +
				"subscription.operators.coreos.com x -n ns"},
		"resolution: a version without a Subscription": {[]olmv1alpha1.SubscriptionCondition{said("ResolutionFailed",
			"ConstraintsNotSatisfiable",
			"constraints not satisfiable: @existing/ns//x.v1 and y originate from package x, clusterserviceversion x.v1 "+
				"exists and is not referenced by a subscription, subscription x exists")},
			nil, step.StateBroken, "x.v1 is installed without a Subscription", "oc delete csv x.v1 -n ns"},
		"catalog gone": {[]olmv1alpha1.SubscriptionCondition{said("CatalogSourcesUnhealthy", "UnhealthyCatalogSourceFound",
			"targeted catalogsource openshift-marketplace/gone missing")},
			nil, step.StateBroken, "does not exist", "oc edit subscription.operators.coreos.com x -n ns"},
		"no catalogs": {[]olmv1alpha1.SubscriptionCondition{condition("CatalogSourcesUnhealthy", "True",
			"NoCatalogSourcesFound")}, nil, step.StatePending, "NoCatalogSourcesFound", "catalogsource"},
		"plan not written": {[]olmv1alpha1.SubscriptionCondition{condition("BundleUnpackFailed", "True",
			"EnsureInstallPlanFailed")}, nil, step.StatePending, "tries again", ""},
		"unpacking refused": {[]olmv1alpha1.SubscriptionCondition{condition("BundleUnpackFailed", "True",
			"ErrorPreventedUnpacking")}, nil, step.StateBroken, "ErrorPreventedUnpacking", "jobs"},
		"plan failed and gone": {[]olmv1alpha1.SubscriptionCondition{condition("InstallPlanFailed", "True",
			"InstallComponentFailed")}, nil, step.StateBroken, "in OLM's words", "installplan"},
		"plan missing": {[]olmv1alpha1.SubscriptionCondition{condition("InstallPlanMissing", "True",
			"ReferencedInstallPlanNotFound")}, nil, step.StateBroken, "deleted", "oc delete subscription"},
		"plan pending": {[]olmv1alpha1.SubscriptionCondition{condition("InstallPlanPending", "True",
			"InstallPlanNotYetReconciled")}, nil, step.StatePending, "InstallPlanNotYetReconciled", ""},
		"a plan is past its catalog": {[]olmv1alpha1.SubscriptionCondition{condition("CatalogSourcesUnhealthy", "True",
			"UnhealthyCatalogSourceFound")},
			plan(olmv1alpha1.InstallPlanPhaseInstalling), step.StatePending, "installing x.v1", ""},
		"plan retried": {nil, trouble(olmv1alpha1.InstallPlanPhaseInstalling,
			"retrying execution due to error: forbidden"), step.StatePending, "retrying execution due to error: forbidden", ""},
		"unpacking": {[]olmv1alpha1.SubscriptionCondition{condition("BundleUnpacking", "True",
			"UnpackingInProgress")}, nil, step.StatePending, "unpacked", ""},
		"unpacking failed": {[]olmv1alpha1.SubscriptionCondition{condition("BundleUnpackFailed", "True", "")}, nil,
			step.StateBroken, "cannot be fetched or read", "jobs"},
		"installing": {nil, plan(olmv1alpha1.InstallPlanPhaseInstalling), step.StatePending, "installing x.v1", ""},
		"waits for approval": {nil, plan(olmv1alpha1.InstallPlanPhaseRequiresApproval), step.StatePending,
			"waits for approval to install x.v1", "oc patch installplan install-1 -n ns"},
		"plan failed": {nil, plan(olmv1alpha1.InstallPlanPhaseFailed), step.StateBroken,
			"given up (InstallComponentFailed): no such thing",
			"oc delete subscription.operators.coreos.com/s csv/x.v1 installplan/install-1 -n ns"},
	} {
		t.Run(name, func(t *testing.T) {
			sub := &olmv1alpha1.Subscription{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "x"},
				Spec: &olmv1alpha1.SubscriptionSpec{Package: "x"}}
			sub.Status.Conditions = tc.conditions
			f := judgeSubscription(sub, tc.plan, time.Now())
			if f.State != tc.want || !strings.Contains(f.Message, tc.says) || !strings.Contains(f.Hint.String(), tc.hint) {
				t.Errorf("got %+v, want %s, %q and hint %q", f, tc.want, tc.says, tc.hint)
			}
			// What OLM wrote before the Subscription was changed is not final.
			changed := time.Date(2026, 8, 1, 10, 0, 0, 0, time.UTC)
			sub.Status.LastUpdated = metav1.NewTime(changed.Add(-time.Hour))
			sub.ManagedFields = []metav1.ManagedFieldsEntry{{Time: &metav1.Time{Time: changed},
				FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:channel":{}}}`)}}
			if f := judgeSubscription(sub, tc.plan, changed.Add(time.Second)); tc.plan == nil && (f.State != step.StatePending ||
				tc.want == step.StateBroken && (!strings.Contains(f.Message, "newest change") || f.Recheck == 0)) {
				t.Errorf("changed a second ago: %+v", f)
			}
			if f := judgeSubscription(sub, tc.plan, changed.Add(time.Hour)); f.State != tc.want {
				t.Errorf("changed an hour ago: %+v", f)
			}
		})
	}
}
