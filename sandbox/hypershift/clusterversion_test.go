package hypershift

import (
	"slices"
	"testing"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func conditionOf(t *testing.T, list []condition, kind string) condition {
	t.Helper()
	i := slices.IndexFunc(list, func(c condition) bool { return c.kind == kind })
	if i < 0 {
		t.Fatalf("no condition %s in %+v", kind, list)
	}
	return list[i]
}

func TestClusterVersionTellsARollout(t *testing.T) {
	payload := release{Version: "4.20.3", Image: "i", Arch: hyperv1.Multi}
	for name, tc := range map[string]struct {
		rollout                         rollout
		available, failing, progressing metav1.ConditionStatus
		reason, message                 string
	}{
		"installing": {rollout{}, "False", "False", "True", "", "Working towards 4.20.3: 62 of 620 done (10% complete)"},
		"upgrading":  {rollout{previous: "4.19.9"}, "True", "False", "True", "", "Working towards 4.20.3: 62 of 620 done (10% complete)"},
		"no nodes": {
			rollout{blockers: []string{"console", "ingress"}, stuck: true}, "False", "True", "True", "ClusterOperatorsNotAvailable",
			"Unable to apply 4.20.3: wait has exceeded 40 minutes for these operators: console, ingress",
		},
		"a degraded operator": {
			rollout{previous: "4.19.9", degraded: "monitoring", stuck: true}, "True", "True", "True", "ClusterOperatorDegraded",
			"Unable to apply 4.20.3: wait has exceeded 40 minutes for these operators: monitoring",
		},
		"done": {rollout{done: true}, "True", "False", "False", "", "Cluster version is 4.20.3"},
		"done, and its nodes gone": {
			rollout{done: true, previous: "4.20.3", blockers: []string{"console"}, stuck: true}, "True", "True", "False", "ClusterOperatorNotAvailable",
			"Error while reconciling 4.20.3: Cluster operator console is not available",
		},
	} {
		tc.rollout.payload = payload
		list := tc.rollout.conditions()
		p := conditionOf(t, list, "Progressing")
		if a, f := conditionOf(t, list, "Available"), conditionOf(t, list, "Failing"); a.status != tc.available || f.status != tc.failing ||
			p.status != tc.progressing || p.reason != tc.reason || p.message != tc.message {
			t.Errorf("%s: Available %s, Failing %s, Progressing %+v", name, a.status, f.status, p)
		}
		up := conditionOf(t, tc.rollout.bubbled(), string(hyperv1.ClusterVersionProgressing))
		if up.status != p.status || up.reason == "" {
			t.Errorf("%s: the control plane repeats %+v", name, up)
		}
	}
}

func TestNotUpgradeableIsToldWithItsReason(t *testing.T) {
	o := rollout{done: true, payload: release{Version: "4.20.3"}, notUpgradeable: "because"}
	c := conditionOf(t, o.bubbled(), string(hyperv1.ClusterVersionUpgradeable))
	if c.status != metav1.ConditionFalse || c.reason != "IncompatibleOperatorsInstalled" ||
		c.message != "Cluster operator operator-lifecycle-manager should not be upgraded between minor versions: because" {
		t.Errorf("%+v", c)
	}
	if c := conditionOf(t, rollout{}.bubbled(), string(hyperv1.ClusterVersionUpgradeable)); c.status != metav1.ConditionTrue {
		t.Errorf("nobody objects: %+v", c)
	}
}

func TestHistoryGrowsAtItsFront(t *testing.T) {
	hcp := &hyperv1.HostedControlPlane{}
	now := metav1.Now()
	old, fresh := release{Version: "4.19.9", Image: "old"}, release{Version: "4.20.3", Image: "new"}
	hcp.Status.VersionStatus = rollout{payload: old}.status(hcp, 1, now)
	if h := hcp.Status.VersionStatus.History; len(h) != 1 || h[0].State != configv1.PartialUpdate || h[0].CompletionTime != nil {
		t.Errorf("at first: %+v", h)
	}
	hcp.Status.VersionStatus = rollout{payload: old, done: true}.status(hcp, 1, now)
	hcp.Status.VersionStatus = rollout{payload: fresh, previous: "4.19.9"}.status(hcp, 2, now)
	h := hcp.Status.VersionStatus.History
	if len(h) != 2 || h[0].Version != "4.20.3" || h[0].State != configv1.PartialUpdate || h[1].State != configv1.CompletedUpdate {
		t.Errorf("while upgrading: %+v", h)
	}
	if completed(hcp, "new") || completedVersion(hcp) != "4.19.9" {
		t.Errorf("completed is %s", completedVersion(hcp))
	}
	hcp.Status.VersionStatus = rollout{payload: fresh, done: true}.status(hcp, 2, now)
	if !completed(hcp, "new") || hcp.Status.VersionStatus.Desired.Version != "4.20.3" {
		t.Errorf("in the end: %+v", hcp.Status.VersionStatus)
	}
}

func TestOperatorsFollowOneAfterTheOther(t *testing.T) {
	find := func(list []operatorState, name string) *operatorState {
		for i := range list {
			if list[i].name == name {
				return &list[i]
			}
		}
		return nil
	}
	installing := rollout{updated: []string{"kube-apiserver"}, at: "kube-controller-manager", blockers: rollout{}.missing(), payload: release{Version: "4.20.3"}}.states()
	if o := find(installing, "kube-apiserver"); o == nil || !o.available || o.version != "4.20.3" {
		t.Errorf("updated: %+v", o)
	}
	if o := find(installing, "kube-controller-manager"); o == nil || !o.progressing || o.available || o.version != "" {
		t.Errorf("under way: %+v", o)
	}
	if o := find(installing, "dns"); o != nil {
		t.Errorf("its turn has not come: %+v", o)
	}
	if o := find(installing, "console"); o == nil || o.available {
		t.Errorf("without nodes: %+v", o)
	}
	upgrading := rollout{previous: "4.19.9", updated: []string{"kube-apiserver"}, at: "dns", degraded: "monitoring", payload: release{Version: "4.20.3"}}.states()
	if o := find(upgrading, "console"); o == nil || !o.available || o.version != "4.19.9" {
		t.Errorf("not reached: %+v", o)
	}
	if o := find(upgrading, "dns"); o == nil || !o.progressing || !o.available {
		t.Errorf("under way: %+v", o)
	}
	if o := find(upgrading, "monitoring"); o == nil || !o.degraded || len(o.conditions()) != 4 {
		t.Errorf("stuck: %+v", o)
	}
}

func TestMissing(t *testing.T) {
	open := way{open: true}
	if got := (rollout{nodes: 1, way: open}).missing(); len(got) > 0 {
		t.Errorf("nothing is missing, yet %v cannot follow", got)
	}
	if got := (rollout{nodes: 1}).missing(); !slices.Equal(got, []string{"console", "ingress"}) {
		t.Errorf("without a way in: %v", got)
	}
	if got := (rollout{nodes: 1, noIngress: true}).missing(); len(got) > 0 {
		t.Errorf("without the Ingress capability: %v", got)
	}
	if got := (rollout{way: open}).missing(); len(got) < 5 || !slices.Contains(got, "network") {
		t.Errorf("without nodes: %v", got)
	}
}
