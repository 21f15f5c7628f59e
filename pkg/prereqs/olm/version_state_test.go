package olm

import (
	"strings"
	"testing"
	"time"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/step"
)

func TestEveryReasonOfAVersion(t *testing.T) {
	heals := []olmv1alpha1.ConditionReason{
		"RequirementsUnknown", "RequirementsNotMet", "AllRequirementsMet", "InstallComponentFailed", "InstallWaiting",
		"InstallSucceeded",
		"InstallCheckFailed", "ComponentUnhealthy", "BeingReplaced", "Replaced", "NeedsReinstall", "NeedsCertRotation",
		"APIServiceResourceIssue", "APIServiceResourcesNeedReinstall", "APIServiceInstallFailed", "Copied",
		"DetectedClusterChange",
		"OperatorConditionNotUpgradeable", "WaitingOnCleanup",
	}
	lasts := []olmv1alpha1.ConditionReason{
		"OwnerConflict", "InstallComponentFailedNoRetry", "InvalidInstallStrategy", "InvalidInstallModes",
		"NoTargetNamespaces",
		"UnsupportedOperatorGroup", "NoOperatorGroup", "TooManyOperatorGroups", "InterOperatorGroupOwnerConflict",
		"CannotModifyStaticOperatorGroupProvidedAPIs", "InvalidWebhookDescription",
	}
	if got, want := len(versionMeanings()), len(heals)+len(lasts); got != want {
		t.Errorf("the table has %d reasons, this test %d", got, want)
	}
	judge := func(t *testing.T, reason olmv1alpha1.ConditionReason, want step.State) {
		t.Helper()
		csv := &olmv1alpha1.ClusterServiceVersion{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "x.v1"}}
		csv.Status.Phase, csv.Status.Reason, csv.Status.Message = olmv1alpha1.CSVPhaseFailed, reason, "in OLM's words"
		f := judgeVersion(csv)
		says := versionMeanings()[reason].says
		if f.State != want || f.Object != "ClusterServiceVersion ns/x.v1" || says == "" ||
			f.Message != "Failed ("+string(reason)+"): "+says+": in OLM's words" {
			t.Errorf("%s: got %+v, want %s", reason, f, want)
		}
		if strings.ContainsAny(f.Hint.String(), "{}%") || want == step.StateBroken && !strings.Contains(f.Hint.String(),
			" -n ns") &&
			!strings.Contains(f.Hint.String(), "-A") {
			t.Errorf("%s: hint %q", reason, f.Hint.String())
		}
	}
	for _, reason := range heals {
		judge(t, reason, step.StatePending)
	}
	for _, reason := range lasts {
		judge(t, reason, step.StateBroken)
	}
}

func TestPhasesOfAVersion(t *testing.T) {
	for name, tc := range map[string]struct {
		phase    olmv1alpha1.ClusterServiceVersionPhase
		reason   olmv1alpha1.ConditionReason
		deleting bool
		want     step.State
		says     string
	}{
		"new": {"", "", false, step.StatePending, "not processed it"},
		"up": {olmv1alpha1.CSVPhaseSucceeded, olmv1alpha1.CSVReasonInstallSuccessful, false, step.StateOK,
			"x.v1 is installed"},
		"being deleted": {olmv1alpha1.CSVPhaseSucceeded, olmv1alpha1.CSVReasonInstallSuccessful, true, step.StatePending,
			"being deleted"},
		"of a later OLM": {olmv1alpha1.CSVPhaseFailed, "Unheard", false, step.StatePending,
			"Failed (Unheard): OLM says: without a message"},
		"installed, waiting": {olmv1alpha1.CSVPhaseInstalling, olmv1alpha1.CSVReasonInstallSuccessful, false,
			step.StatePending,
			"not available yet"},
	} {
		t.Run(name, func(t *testing.T) {
			csv := &olmv1alpha1.ClusterServiceVersion{ObjectMeta: metav1.ObjectMeta{Name: "x.v1"}}
			csv.Status.Phase, csv.Status.Reason = tc.phase, tc.reason
			if tc.deleting {
				csv.DeletionTimestamp = &metav1.Time{Time: time.Now()}
			}
			if f := judgeVersion(csv); f.State != tc.want || !strings.Contains(f.Message, tc.says) {
				t.Errorf("got %+v, want %s with %q", f, tc.want, tc.says)
			}
		})
	}
}

// TestAWriteThatIsRefused: OLM calls it insufficient permissions, which is no fault of the bundle, and tries again when
// a ServiceAccount changes. While it tries again, its last words are older conditions.
func TestAWriteThatIsRefused(t *testing.T) {
	condition := func(phase olmv1alpha1.ClusterServiceVersionPhase, reason olmv1alpha1.ConditionReason,
		message string) olmv1alpha1.ClusterServiceVersionCondition {
		return olmv1alpha1.ClusterServiceVersionCondition{Phase: phase, Reason: reason, Message: message}
	}
	const quota = `install strategy failed: deployments.apps "a" is forbidden: exceeded quota: q`
	noRetry := condition("Failed", "InstallComponentFailedNoRetry", quota)
	failed := condition("Failed", "InstallComponentFailed", `failed calling webhook "policy.example.com"`)
	again := condition("Pending", "NeedsReinstall", "missing deployment with name=a")
	for name, tc := range map[string]struct {
		conditions []olmv1alpha1.ClusterServiceVersionCondition
		want       step.State
		says, hint string
	}{
		"a quota": {[]olmv1alpha1.ClusterServiceVersionCondition{noRetry}, step.StateBroken,
			"does not let OLM write a part of it, and OLM does not try again: " + quota,
			"oc annotate serviceaccounts --all -n ns --overwrite retried-for=x.v1"},
		"an admission webhook": {[]olmv1alpha1.ClusterServiceVersionCondition{condition("Failed", "InstallComponentFailedNoRetry",
			`admission webhook "w" denied the request: no`)}, step.StateBroken, "does not let OLM write", "oc annotate"},
		"a bundle": {[]olmv1alpha1.ClusterServiceVersionCondition{condition("Failed", "InstallComponentFailedNoRetry", "no patch")},
			step.StateBroken, "refuses a part of it as invalid", "pin another version"},
		"again": {[]olmv1alpha1.ClusterServiceVersionCondition{failed, again}, step.StatePending,
			`name=a; the attempt before: Failed (InstallComponentFailed): failed calling webhook "policy.example.com"`, "oc describe csv"},
		"again, ready": {[]olmv1alpha1.ClusterServiceVersionCondition{failed, again, condition("InstallReady", "AllRequirementsMet",
			"attempting install")}, step.StatePending, "the attempt before: Failed", "oc describe csv"},
		"written by now": {[]olmv1alpha1.ClusterServiceVersionCondition{failed, again, condition("Installing", "InstallSucceeded", "waiting"),
			again}, step.StatePending, "name=a", ""},
	} {
		csv := &olmv1alpha1.ClusterServiceVersion{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "x.v1"}}
		last := tc.conditions[len(tc.conditions)-1]
		csv.Status.Phase, csv.Status.Reason, csv.Status.Message = last.Phase, last.Reason, last.Message
		csv.Status.Conditions = tc.conditions
		f := judgeVersion(csv)
		if f.State != tc.want || !strings.Contains(f.Message, tc.says) ||
			!strings.Contains(f.Hint.String(), tc.hint) || tc.hint == "" && (f.Trouble || !strings.HasSuffix(f.Message, tc.says)) {
			t.Errorf("%s: got %+v", name, f)
		}
	}
}

func TestRequirements(t *testing.T) {
	const crd, account = "CustomResourceDefinition", "ServiceAccount"
	req := func(kind, name, status, message string) olmv1alpha1.RequirementStatus {
		return olmv1alpha1.RequirementStatus{Kind: kind, Name: name, Status: olmv1alpha1.StatusReason(status),
			Message: message}
	}
	installing, complete := olmv1alpha1.InstallPlanPhaseInstalling, olmv1alpha1.InstallPlanPhaseComplete
	for name, tc := range map[string]struct {
		requirement olmv1alpha1.RequirementStatus
		plan        olmv1alpha1.InstallPlanPhase
		age         time.Duration
		want        step.State
	}{
		"own CRD, plan at work": {req(crd, "owned", "NotPresent", "CRD is not present"), installing, time.Hour,
			step.StatePending},
		"own CRD, plan just done": {req(crd, "owned", "NotPresent", "CRD is not present"), complete, time.Second,
			step.StatePending},
		"own CRD, plan long done": {req(crd, "owned", "NotPresent", "CRD is not present"), complete, time.Hour,
			step.StateBroken},
		"own CRD, plan gone": {req(crd, "owned", "NotPresent", "CRD is not present"), "", time.Hour,
			step.StateBroken},
		"own CRD in another version": {req(crd, "owned", "NotPresent", "CRD version not served"), complete, time.Hour,
			step.StateBroken},
		"own CRD not established": {req(crd, "owned", "PresentNotAvailable",
			"CRD is present but the Established condition is False"), complete, time.Hour, step.StatePending},
		"another's CRD can come": {req(crd, "required", "NotPresent", "CRD is not present"), complete, time.Hour,
			step.StatePending},
		"CRD of another operator": {req(crd, "owned", "PresentNotSatisfied",
			"CRD installed alongside other CSV(s): y.v1"), installing, 0, step.StateBroken},
		"Kubernetes too old": {req("ClusterServiceVersion", "x.v1", "PresentNotSatisfied",
			"CSV version requirement not met: minKubeVersion (1.99.0) > server version (1.33.1)"), installing, 0,
			step.StateBroken},
		"Kubernetes does not answer": {req("ClusterServiceVersion", "x.v1", "PresentNotSatisfied",
			"Server version discovery error"), complete, time.Hour, step.StatePending},
		"account, plan at work": {req(account, "sa", "NotPresent", "Service account does not exist"), installing,
			time.Hour, step.StatePending},
		"account, plan long done": {req(account, "sa", "NotPresent", "Service account does not exist"), complete,
			time.Hour, step.StateBroken},
		"account of another operator": {req(account, "sa", "PresentNotSatisfied",
			"Service account is owned by another ClusterServiceVersion"), installing, 0, step.StateBroken},
		"permission, plan at work": {req(account, "sa", "PresentNotSatisfied",
			"Policy rule not satisfied for service account"), installing, time.Hour, step.StatePending},
		"permission taken away": {req(account, "sa", "PresentNotSatisfied",
			"Policy rule not satisfied for service account"), complete, time.Hour, step.StateBroken},
		"API service of an absent server": {req("APIService", "v1.x", "DeploymentNotFound", ""), installing, 0,
			step.StateBroken},
		"API service of another's": {req("APIService", "v1.x", "NotPresent", ""), complete, time.Hour, step.StatePending},
		"an API of the cluster not served": {req("Route", "v1.route.openshift.io", "NotPresent", "Native API does not exist"),
			complete, time.Hour, step.StatePending},
	} {
		t.Run(name, func(t *testing.T) {
			csv := &olmv1alpha1.ClusterServiceVersion{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "x.v1"}}
			csv.Spec.CustomResourceDefinitions.Owned = []olmv1alpha1.CRDDescription{{Name: "owned"}}
			csv.Status.Phase, csv.Status.Reason = olmv1alpha1.CSVPhasePending, olmv1alpha1.CSVReasonRequirementsNotMet
			csv.Status.LastTransitionTime = &metav1.Time{Time: time.Now().Add(-tc.age)}
			csv.Status.RequirementStatus = []olmv1alpha1.RequirementStatus{req(crd, "there", "Present", ""), tc.requirement}
			var plan *olmv1alpha1.InstallPlan
			if tc.plan != "" {
				plan = &olmv1alpha1.InstallPlan{Status: olmv1alpha1.InstallPlanStatus{Phase: tc.plan}}
			}
			f := judgeRequirements(csv, plan, time.Now())
			if f.State != tc.want || !strings.Contains(f.Message, tc.requirement.Name+" ("+string(tc.requirement.Status)) ||
				strings.Contains(f.Message, "there (") {
				t.Errorf("got %+v, want %s", f, tc.want)
			}
			if tc.want == step.StateBroken && f.Hint.String() == "" {
				t.Error("broken without a hint")
			}
		})
	}
}
