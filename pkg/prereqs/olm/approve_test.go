package olm

import (
	"strings"
	"testing"
	"time"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

func waitingPlan(csvs ...string) *olmv1alpha1.InstallPlan {
	return &olmv1alpha1.InstallPlan{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "install-1"},
		Spec:       olmv1alpha1.InstallPlanSpec{ClusterServiceVersionNames: csvs, Approval: olmv1alpha1.ApprovalManual},
		Status:     olmv1alpha1.InstallPlanStatus{Phase: olmv1alpha1.InstallPlanPhaseRequiresApproval},
	}
}

func TestOnlyWhatWasAskedForIsApproved(t *testing.T) {
	const odf, ocs, lvms = "odf-operator.v4.20.0-rhodf", "ocs-operator.v4.20.0-rhodf", "lvms-operator.v4.20.1"
	const line = `oc patch installplan install-1 -n ns --type=merge -p '{"spec":{"approved":true}}'`
	for name, tc := range map[string]struct {
		carries, requested []string
		want               step.State
		says, hint         string
	}{
		"what was asked": {[]string{odf}, []string{odf}, step.StateMissing, "to install " + odf +
			", as hcctl asked", "hcctl bootstrap approves it"},
		"two that hcctl asked for": {[]string{odf, lvms}, []string{lvms, odf}, step.StateMissing, "as hcctl asked",
			""},
		"with what it brings along": {[]string{odf, ocs}, []string{odf}, step.StateMissing, "as hcctl asked", ""},
		"what it brings, without it": {[]string{ocs}, []string{odf}, step.StateBroken, ocs +
			" too, which hcctl did not ask for, along with none", line},
		"another's upgrade": {[]string{odf, lvms}, []string{odf}, step.StateBroken, "it would install " +
			lvms + " too, which hcctl did not ask for, along with " + odf, line},
		"another version of the same": {[]string{"odf-operator.v4.20.1-rhodf"}, []string{odf}, step.StateBroken,
			"odf-operator.v4.20.1-rhodf", line},
		"an upgrade of what is installed": {[]string{odf}, nil, step.StateBroken, odf, line},
		"a name that only begins like a friend": {[]string{odf, "ocs-operatorx.v1"}, []string{odf}, step.StateBroken,
			"ocs-operatorx.v1", line},
	} {
		t.Run(name, func(t *testing.T) {
			f := Installer{op: DataFoundation()}.judgeApproval(waitingPlan(tc.carries...), tc.requested)
			if f.State != tc.want || f.Object != "InstallPlan ns/install-1" || !strings.Contains(f.Message, tc.says) ||
				!strings.Contains(f.Hint.String(), tc.hint) {
				t.Errorf("got %+v", f)
			}
		})
	}
}

func TestAnothersPlanIsLeftToThem(t *testing.T) {
	if f := (Installer{}).judgeForeignApproval(waitingPlan("x.v1"), 10*time.Second); f.State != step.StatePending ||
		f.Recheck != 50*time.Second {
		t.Errorf("at first: %+v", f)
	}
	if f := (Installer{}).judgeForeignApproval(waitingPlan("x.v1"), time.Hour); f.State != step.StateBroken ||
		!strings.Contains(f.Hint.String(), "oc patch installplan install-1 -n ns") {
		t.Errorf("after an hour: %+v", f)
	}
}

func TestRemarksOnAPin(t *testing.T) {
	const old, newer = "multicluster-engine.v2.10.0", "multicluster-engine.v2.10.1"
	subscription := func(approval olmv1alpha1.Approval, state olmv1alpha1.SubscriptionState,
		current string) *olmv1alpha1.Subscription {
		sub := &olmv1alpha1.Subscription{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "s"},
			Spec: &olmv1alpha1.SubscriptionSpec{Package: "multicluster-engine", Channel: "stable-2.10",
				InstallPlanApproval: approval}}
		sub.Status.State, sub.Status.CurrentCSV = state, current
		if current != "" {
			sub.Status.InstallPlanRef = installPlanReference("install-2")
		}
		return sub
	}
	deprecated := subscription(olmv1alpha1.ApprovalAutomatic, olmv1alpha1.SubscriptionStateAtLatest, "")
	deprecated.Status.Conditions = []olmv1alpha1.SubscriptionCondition{{Type: olmv1alpha1.SubscriptionChannelDeprecated,
		Status: "True", Message: "channel stable-2.10 is no longer supported"}}
	other := subscription(olmv1alpha1.ApprovalAutomatic, olmv1alpha1.SubscriptionStateAtLatest, "")
	other.Spec.Package = "by-somebody-else"
	for name, tc := range map[string]struct {
		pin  string
		sub  *olmv1alpha1.Subscription
		want string
	}{
		"no pin": {"", subscription(olmv1alpha1.ApprovalAutomatic,
			olmv1alpha1.SubscriptionStateAtLatest, ""), ""},
		"as pinned": {old, subscription(olmv1alpha1.ApprovalManual, olmv1alpha1.SubscriptionStateAtLatest,
			""), "; pinned"},
		"as pinned, newer there": {old, subscription(olmv1alpha1.ApprovalManual,
			olmv1alpha1.SubscriptionStateUpgradePending, newer), "; pinned, " + newer + " is not approved"},
		"as pinned, for how long": {old, subscription(olmv1alpha1.ApprovalAutomatic,
			olmv1alpha1.SubscriptionStateAtLatest, ""), "will upgrade it by itself"},
		"pinned version waits": {newer, subscription(olmv1alpha1.ApprovalManual,
			olmv1alpha1.SubscriptionStateUpgradePending, newer), "not the pinned " + newer + ": hcctl installs versions, it " +
			"does not change them; to upgrade: oc patch installplan install-2 -n ns"},
		"pinned version out of reach": {"multicluster-engine.v2.9.0",
			subscription(olmv1alpha1.ApprovalManual, olmv1alpha1.SubscriptionStateUpgradePending, newer), "pin " + old +
				", or upgrade along channel stable-2.10"},
		"without a Subscription": {newer, nil, "not the pinned " + newer},
		"deprecated channel": {"", deprecated,
			"; deprecated by its catalog: channel stable-2.10 is no longer supported"},
		"another package is kept":      {newer, other, "; it is of package by-somebody-else and is kept"},
		"without a Subscription, same": {old, nil, "; pinned"},
	} {
		t.Run(name, func(t *testing.T) {
			op := MulticlusterEngine()
			op.Pin.StartingCSV = tc.pin
			csv := &olmv1alpha1.ClusterServiceVersion{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: old}}
			got := Installer{op: op}.remarks(csv, tc.sub)
			if !strings.Contains(got, tc.want) || tc.want == "" && got != "" {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestAChangedPinOfWhatIsNotInstalledYet(t *testing.T) {
	sub := &olmv1alpha1.Subscription{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "s",
		Labels: map[string]string{kube.ManagedByLabel: kube.FieldOwner}},
		Spec: &olmv1alpha1.SubscriptionSpec{StartingCSV: "multicluster-engine.v2.10.0"}}
	op := MulticlusterEngine()
	op.Pin.StartingCSV = "multicluster-engine.v2.10.1"
	f := Installer{op: op}.otherPin(sub)
	if f == nil || f.State != step.StateBroken || !strings.Contains(f.Message, "asks for multicluster-engine.v2.10.0 and "+
		"multicluster-engine.v2.10.1 is wanted") {
		t.Errorf("another version: %+v", f)
	}
	op.Pin.StartingCSV = sub.Spec.StartingCSV
	if f := (Installer{op: op}).otherPin(sub); f != nil {
		t.Errorf("the same version: %+v", f)
	}
	sub.Labels, op.Pin.StartingCSV = nil, ""
	if f := (Installer{op: op}).otherPin(sub); f != nil {
		t.Errorf("another's Subscription: %+v", f)
	}
}

func installPlanReference(name string) *corev1.ObjectReference {
	return &corev1.ObjectReference{Namespace: "ns", Name: name}
}
