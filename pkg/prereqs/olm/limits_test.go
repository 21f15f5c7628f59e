package olm

import (
	"fmt"
	"testing"
	"time"

	"github.com/Masterminds/semver/v3"
	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/step"
)

// TestVersionsOnOffer: an error names the newest five versions of a channel.
func TestVersionsOnOffer(t *testing.T) {
	for n, want := range map[int]string{
		1: "in channel stable x.v0",
		5: "in channel stable x.v0, x.v1, x.v2, x.v3, x.v4",
		6: "in channel stable x.v0, x.v1, x.v2, x.v3, x.v4, ...",
	} {
		entries := []any{}
		for i := range n {
			entries = append(entries, map[string]any{"name": fmt.Sprintf("x.v%d", i)})
		}
		manifest := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{
			"channels": []any{map[string]any{"name": "stable", "entries": entries}}}}}
		_, err := chooseChannel(manifest, Operator{Package: "x", Pin: Pin{StartingCSV: "x.v9"}}, semver.MustParse("4.20.3"))
		if want = "it has no version x.v9; there are " + want; err == nil || err.Error() != want {
			t.Errorf("%d versions: %v, want %s", n, err, want)
		}
	}
}

// TestOneChannelThatFits: an OpenShift minor for which one channel fits has no span of channels.
func TestOneChannelThatFits(t *testing.T) {
	_, err := newestEngine("", []string{"stable-2.9"}, semver.MustParse("4.12.1"))
	if err == nil || err.Error() != "OpenShift 4.12 needs channel stable-2.2, but the catalog offers stable-2.9" {
		t.Errorf("got %v", err)
	}
}

// TestGraces: what may be put right by somebody else in a moment is waited for.
func TestGraces(t *testing.T) {
	approvedAfter := func(age time.Duration) step.Finding {
		return Installer{}.judgeForeignApproval(waitingPlan("x.v1"), age)
	}
	lackingFor := func(age time.Duration) step.Finding {
		now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
		csv := &olmv1alpha1.ClusterServiceVersion{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "x.v1"}}
		csv.Status.LastTransitionTime = &metav1.Time{Time: now.Add(-age)}
		csv.Status.RequirementStatus = []olmv1alpha1.RequirementStatus{{Kind: "ServiceAccount", Name: "sa",
			Status: olmv1alpha1.RequirementStatusReasonNotPresent}}
		return judgeRequirements(csv, nil, now)
	}
	for name, tc := range map[string]struct {
		judge func(time.Duration) step.Finding
		grace time.Duration
	}{"another's approval": {approvedAfter, time.Minute}, "a requirement": {lackingFor, 30 * time.Second}} {
		if f := tc.judge(tc.grace - time.Second); f.State != step.StatePending || f.Recheck != time.Second {
			t.Errorf("%s, a second before: %+v", name, f)
		}
		if f := tc.judge(tc.grace); f.State != step.StateBroken || f.Recheck != 0 {
			t.Errorf("%s, at the end: %+v", name, f)
		}
	}
}

// TestGroupsByTheirSelector: OLM writes the namespaces that a selector selects into the status of the OperatorGroup.
func TestGroupsByTheirSelector(t *testing.T) {
	for name, tc := range map[string]struct {
		selected []string
		modes    map[string]bool
		fits     bool
	}{
		"none yet, for all":       {nil, modes("AllNamespaces"), true},
		"all namespaces":          {[]string{""}, modes("AllNamespaces"), true},
		"all namespaces, for own": {[]string{""}, modes("OwnNamespace"), false},
		"its own, for all":        {[]string{"ns"}, modes("AllNamespaces"), false},
		"its own and another":     {[]string{"ns", "other"}, modes("OwnNamespace", "AllNamespaces"), false},
	} {
		g := newGroup("ns", nil)
		g.Spec.Selector = &metav1.LabelSelector{}
		g.Status.Namespaces = tc.selected
		if groupFits(g, tc.modes) != tc.fits {
			t.Errorf("%s: it fits: %t, want %t", name, !tc.fits, tc.fits)
		}
		if got := describeTargets(g); got != "the namespaces of its selector" {
			t.Errorf("%s: it targets %s", name, got)
		}
	}
	if got := describeModes(modes("SingleNamespace", "AllNamespaces")); got !=
		"install modes AllNamespaces, SingleNamespace" {
		t.Errorf("got %s", got)
	}
}

// TestWhatThePlanSays: what is lacking may come of the InstallPlan, so its message is told as well.
func TestWhatThePlanSays(t *testing.T) {
	csv := &olmv1alpha1.ClusterServiceVersion{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "x.v1"}}
	csv.Status.Phase, csv.Status.Reason = olmv1alpha1.CSVPhasePending, olmv1alpha1.CSVReasonRequirementsNotMet
	csv.Status.RequirementStatus = []olmv1alpha1.RequirementStatus{{Kind: "Route", Name: "routes",
		Status: olmv1alpha1.RequirementStatusReasonNotPresent}}
	silent, retrying := waitingPlan("x.v1"), waitingPlan("x.v1")
	retrying.Status.Message = "retrying"
	const lacks = "Pending (RequirementsNotMet): it lacks Route routes (NotPresent)"
	for want, plan := range map[string]*olmv1alpha1.InstallPlan{lacks + " (InstallPlan install-1: retrying)": retrying,
		lacks: silent} {
		if f := judgeRequirements(csv, plan, time.Now()); f.State != step.StatePending || f.Message != want || !f.Trouble {
			t.Errorf("got %+v, want %s", f, want)
		}
	}
	if f := judgeRequirements(csv, nil, time.Now()); f.State != step.StatePending || f.Message != lacks {
		t.Errorf("without a plan: %+v", f)
	}
}
