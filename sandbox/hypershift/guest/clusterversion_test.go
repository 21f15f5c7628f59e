package guest

import (
	"slices"
	"testing"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
)

func conditionOf(t *testing.T, list []status.Condition, kind string) status.Condition {
	t.Helper()
	i := slices.IndexFunc(list, func(c status.Condition) bool { return c.Kind == kind })
	if i < 0 {
		t.Fatalf("no condition %s in %+v", kind, list)
	}
	return list[i]
}

func TestClusterVersionReportsARollout(t *testing.T) {
	payload := release.Payload{Version: "4.20.3", Image: "i", Arch: hyperv1.Multi}
	for name, tc := range map[string]struct {
		rollout                         Rollout
		available, failing, progressing metav1.ConditionStatus
		reason, message                 string
	}{
		"installing": {Rollout{}, "False", "False", "True", "", "Working towards 4.20.3: 62 of 620 done (10% complete)"},
		"upgrading": {Rollout{Previous: "4.19.9"}, "True", "False", "True", "",
			"Working towards 4.20.3: 62 of 620 done (10% complete)"},
		"no nodes": {
			Rollout{Blockers: []string{"console", "ingress"}, Stuck: true}, "False", "True", "True",
			"ClusterOperatorsNotAvailable",
			"Unable to apply 4.20.3: wait has exceeded 40 minutes for these operators: console, ingress",
		},
		"a degraded operator": {
			Rollout{Previous: "4.19.9", Degraded: "monitoring", Stuck: true}, "True", "True", "True", "ClusterOperatorDegraded",
			"Unable to apply 4.20.3: wait has exceeded 40 minutes for these operators: monitoring",
		},
		"done": {Rollout{Done: true}, "True", "False", "False", "", "Cluster version is 4.20.3"},
		"done, and its nodes gone": {
			Rollout{Done: true, Previous: "4.20.3", Blockers: []string{"console"}, Stuck: true}, "True", "True", "False",
			"ClusterOperatorNotAvailable",
			"Error while reconciling 4.20.3: Cluster operator console is not available",
		},
	} {
		tc.rollout.Payload = payload
		list := tc.rollout.conditions()
		p := conditionOf(t, list, "Progressing")
		if a, f := conditionOf(t, list, "Available"), conditionOf(t, list, "Failing"); a.Status != tc.available ||
			f.Status != tc.failing ||
			p.Status != tc.progressing || p.Reason != tc.reason || p.Message != tc.message {
			t.Errorf("%s: Available %s, Failing %s, Progressing %+v", name, a.Status, f.Status, p)
		}
		up := conditionOf(t, tc.rollout.ControlPlaneConditions(), string(hyperv1.ClusterVersionProgressing))
		if up.Status != p.Status || up.Reason == "" {
			t.Errorf("%s: the control plane repeats %+v", name, up)
		}
	}
}

func TestNotUpgradeableIsReportedWithItsReason(t *testing.T) {
	o := Rollout{Done: true, Payload: release.Payload{Version: "4.20.3"}, NotUpgradeable: "because"}
	c := conditionOf(t, o.ControlPlaneConditions(), string(hyperv1.ClusterVersionUpgradeable))
	if c.Status != metav1.ConditionFalse || c.Reason != "IncompatibleOperatorsInstalled" ||
		c.Message != "Cluster operator operator-lifecycle-manager should not be upgraded between minor versions: because" {
		t.Errorf("%+v", c)
	}
	if c := conditionOf(t, Rollout{}.ControlPlaneConditions(), string(
		hyperv1.ClusterVersionUpgradeable)); c.Status != metav1.ConditionTrue {
		t.Errorf("nobody objects: %+v", c)
	}
}

func TestHistoryGrowsAtItsFront(t *testing.T) {
	hcp := &hyperv1.HostedControlPlane{}
	now := metav1.Now()
	old, fresh := release.Payload{Version: "4.19.9", Image: "old"}, release.Payload{Version: "4.20.3", Image: "new"}
	hcp.Status.VersionStatus = Rollout{Payload: old}.Status(hcp, 1, now)
	if h := hcp.Status.VersionStatus.History; len(h) != 1 || h[0].State != configv1.PartialUpdate ||
		h[0].CompletionTime != nil {
		t.Errorf("at first: %+v", h)
	}
	hcp.Status.VersionStatus = Rollout{Payload: old, Done: true}.Status(hcp, 1, now)
	hcp.Status.VersionStatus = Rollout{Payload: fresh, Previous: "4.19.9"}.Status(hcp, 2, now)
	h := hcp.Status.VersionStatus.History
	if len(h) != 2 || h[0].Version != "4.20.3" || h[0].State != configv1.PartialUpdate ||
		h[1].State != configv1.CompletedUpdate {
		t.Errorf("while upgrading: %+v", h)
	}
	if Completed(hcp, "new") || CompletedVersion(hcp) != "4.19.9" {
		t.Errorf("completed is %s", CompletedVersion(hcp))
	}
	hcp.Status.VersionStatus = Rollout{Payload: fresh, Done: true}.Status(hcp, 2, now)
	if !Completed(hcp, "new") || hcp.Status.VersionStatus.Desired.Version != "4.20.3" {
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
	installing := Rollout{Updated: []string{"kube-apiserver"}, At: "kube-controller-manager",
		Blockers: Rollout{}.Missing(), Payload: release.Payload{Version: "4.20.3"}}.states()
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
	upgrading := Rollout{Previous: "4.19.9", Updated: []string{"kube-apiserver"}, At: "dns", Degraded: "monitoring",
		Payload: release.Payload{Version: "4.20.3"}}.states()
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
	open := AppsAccess{Reachable: true}
	if got := (Rollout{Nodes: 1, Apps: open}).Missing(); len(got) > 0 {
		t.Errorf("nothing is missing, yet %v cannot follow", got)
	}
	if got := (Rollout{Nodes: 1}).Missing(); !slices.Equal(got, []string{"console", "ingress"}) {
		t.Errorf("without a way in: %v", got)
	}
	if got := (Rollout{Nodes: 1, NoIngress: true}).Missing(); len(got) > 0 {
		t.Errorf("without the Ingress capability: %v", got)
	}
	if got := (Rollout{Apps: open}).Missing(); len(got) < 5 || !slices.Contains(got, "network") {
		t.Errorf("without nodes: %v", got)
	}
}
