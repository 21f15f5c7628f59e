package prereqs

import (
	"strings"
	"testing"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/step"
)

func TestJudgeVersion(t *testing.T) {
	for _, tc := range []struct {
		phase  olmv1alpha1.ClusterServiceVersionPhase
		reason olmv1alpha1.ConditionReason
		want   step.State
	}{
		{"", "", step.Pending},
		{olmv1alpha1.CSVPhasePending, olmv1alpha1.CSVReasonRequirementsNotMet, step.Pending},
		{olmv1alpha1.CSVPhaseInstalling, olmv1alpha1.CSVReasonWaiting, step.Pending},
		{olmv1alpha1.CSVPhaseReplacing, olmv1alpha1.CSVReasonBeingReplaced, step.Pending},
		{olmv1alpha1.CSVPhaseFailed, olmv1alpha1.CSVReasonInstallCheckFailed, step.Pending},
		{olmv1alpha1.CSVPhaseFailed, olmv1alpha1.CSVReasonComponentUnhealthy, step.Pending},
		{olmv1alpha1.CSVPhaseFailed, olmv1alpha1.CSVReasonUnsupportedOperatorGroup, step.Broken},
		{olmv1alpha1.CSVPhaseFailed, olmv1alpha1.CSVReasonTooManyOperatorGroups, step.Broken},
		{olmv1alpha1.CSVPhaseFailed, olmv1alpha1.CSVReasonInterOperatorGroupOwnerConflict, step.Broken},
		{olmv1alpha1.CSVPhaseFailed, olmv1alpha1.CSVReasonOwnerConflict, step.Broken},
		{olmv1alpha1.CSVPhaseSucceeded, olmv1alpha1.CSVReasonInstallSuccessful, step.OK},
	} {
		t.Run(string(tc.phase)+" "+string(tc.reason), func(t *testing.T) {
			csv := &olmv1alpha1.ClusterServiceVersion{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "x.v1"}}
			csv.Status.Phase, csv.Status.Reason, csv.Status.Message = tc.phase, tc.reason, "in OLM's words"
			f := judgeVersion(csv)
			if f.State != tc.want || f.Object != "ClusterServiceVersion ns/x.v1" {
				t.Errorf("got %+v, want %s", f, tc.want)
			}
			if tc.want != step.OK && tc.phase != "" && !strings.Contains(f.Message, "in OLM's words") {
				t.Errorf("message %q does not carry OLM's", f.Message)
			}
			if f.State == step.Broken && f.Hint == "" {
				t.Error("broken without a hint")
			}
		})
	}
}

func TestJudgeVersionNamesWhatIsMissing(t *testing.T) {
	csv := &olmv1alpha1.ClusterServiceVersion{}
	csv.Status.Phase, csv.Status.Reason = olmv1alpha1.CSVPhasePending, olmv1alpha1.CSVReasonRequirementsNotMet
	csv.Status.RequirementStatus = []olmv1alpha1.RequirementStatus{
		{Kind: "CustomResourceDefinition", Name: "there", Status: olmv1alpha1.RequirementStatusReasonPresent},
		{Kind: "CustomResourceDefinition", Name: "absent", Status: olmv1alpha1.RequirementStatusReasonNotPresent},
	}
	if f := judgeVersion(csv); !strings.Contains(f.Message, "CustomResourceDefinition absent NotPresent") || strings.Contains(f.Message, "there") {
		t.Errorf("got %q", f.Message)
	}
}

func TestJudgeSubscription(t *testing.T) {
	condition := func(t olmv1alpha1.SubscriptionConditionType, status corev1.ConditionStatus, reason string) olmv1alpha1.SubscriptionCondition {
		return olmv1alpha1.SubscriptionCondition{Type: t, Status: status, Reason: reason, Message: "in OLM's words"}
	}
	plan := func(phase olmv1alpha1.InstallPlanPhase) *olmv1alpha1.InstallPlan {
		return &olmv1alpha1.InstallPlan{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "install-1"},
			Spec:       olmv1alpha1.InstallPlanSpec{ClusterServiceVersionNames: []string{"x.v1"}},
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
		"fresh":              {nil, nil, step.Pending, "resolving", ""},
		"catalogs healthy":   {[]olmv1alpha1.SubscriptionCondition{condition("CatalogSourcesUnhealthy", "False", "AllCatalogSourcesHealthy")}, nil, step.Pending, "resolving", ""},
		"catalogs unhealthy": {[]olmv1alpha1.SubscriptionCondition{condition("CatalogSourcesUnhealthy", "True", "UnhealthyCatalogSourceFound")}, nil, step.Pending, "UnhealthyCatalogSourceFound", "catalogsource"},
		"the cause goes first": {[]olmv1alpha1.SubscriptionCondition{condition("ResolutionFailed", "True", "ConstraintsNotSatisfiable"),
			condition("CatalogSourcesUnhealthy", "True", "UnhealthyCatalogSourceFound")}, nil, step.Pending, "UnhealthyCatalogSourceFound", ""},
		"nothing to install":   {[]olmv1alpha1.SubscriptionCondition{condition("ResolutionFailed", "True", "ConstraintsNotSatisfiable")}, nil, step.Broken, "in OLM's words", "packagemanifest"},
		"resolution disturbed": {[]olmv1alpha1.SubscriptionCondition{condition("ResolutionFailed", "True", "ErrorPreventedResolution")}, nil, step.Pending, "in OLM's words", ""},
		"unpacking":            {[]olmv1alpha1.SubscriptionCondition{condition("BundleUnpacking", "True", "UnpackingInProgress")}, nil, step.Pending, "unpacked", ""},
		"unpacking failed":     {[]olmv1alpha1.SubscriptionCondition{condition("BundleUnpackFailed", "True", "")}, nil, step.Broken, "cannot be unpacked", "jobs"},
		"installing":           {nil, plan(olmv1alpha1.InstallPlanPhaseInstalling), step.Pending, "installing x.v1", ""},
		"waits for approval":   {nil, plan(olmv1alpha1.InstallPlanPhaseRequiresApproval), step.Pending, "waits for approval to install x.v1", "oc patch installplan install-1 -n ns"},
		"plan failed":          {nil, plan(olmv1alpha1.InstallPlanPhaseFailed), step.Broken, "InstallComponentFailed: no such thing", "oc delete installplan install-1 -n ns"},
	} {
		t.Run(name, func(t *testing.T) {
			sub := &olmv1alpha1.Subscription{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "x"}, Spec: &olmv1alpha1.SubscriptionSpec{Package: "x"}}
			sub.Status.Conditions = tc.conditions
			f := judgeSubscription(sub, tc.plan)
			if f.State != tc.want || !strings.Contains(f.Message, tc.says) || !strings.Contains(f.Hint, tc.hint) {
				t.Errorf("got %+v, want %s, %q and hint %q", f, tc.want, tc.says, tc.hint)
			}
		})
	}
}
