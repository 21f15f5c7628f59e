package upgrade_test

import (
	"net/http"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/upgrade"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

// component is one of the control plane of kv-00; rollout is the reason of RolloutComplete, empty if that is True.
func component(name, version, rollout, message string) *hyperv1.ControlPlaneComponent {
	c := &hyperv1.ControlPlaneComponent{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters-kv-00", Name: name}}
	c.Status.Version = version
	condition := metav1.Condition{Type: "RolloutComplete", Status: "False", Reason: rollout, Message: message}
	if rollout == "" {
		condition.Status, condition.Reason = "True", "AsExpected"
	}
	c.Status.Conditions = []metav1.Condition{condition}
	return c
}

// The control plane rolls out for long before the HostedCluster's status knows of the release.
func TestTheControlPlanesRollout(t *testing.T) {
	const waiting = "WaitingForRolloutComplete"
	old := func(name string) *hyperv1.ControlPlaneComponent { return component(name, "4.19.4", "", "") }
	done := func(name string) *hyperv1.ControlPlaneComponent { return component(name, "4.20.1", "", "") }
	for name, tc := range map[string]struct {
		release    string
		components []*hyperv1.ControlPlaneComponent
		accepted   step.State
		words      string
	}{
		"not passed on": {"4.19.4", []*hyperv1.ControlPlaneComponent{old("etcd")}, step.StatePending, "has not begun"},
		"passed on":     {"4.20.1", nil, step.StateOK, "has not begun"},
		"begun": {"4.20.1", []*hyperv1.ControlPlaneComponent{old("b"), old("a"), old("d"), old("c")}, step.StateOK,
			"0 of 4 components of the control plane are at 4.20.1; left: a, b, c and 1 more"},
		"half": {"4.20.1", []*hyperv1.ControlPlaneComponent{old("b"), done("a"), component("c", "4.20.1", waiting, "x")},
			step.StateOK, "1 of 3 components of the control plane are at 4.20.1; left: b, c"},
		"an error": {"4.20.1", []*hyperv1.ControlPlaneComponent{done("b"),
			component("a", "4.19.4", "ReconciliationError", "no\nimage")}, step.StateOK,
			"1 of 2 components of the control plane are at 4.20.1; left: a; a: no image"},
		"all": {"4.20.1", []*hyperv1.ControlPlaneComponent{done("b"), done("a")}, step.StateOK,
			"all 2 components of the control plane are at 4.20.1; its cluster version operator has not begun"},
	} {
		t.Run(name, func(t *testing.T) {
			m := manage(t, cluster("4.19.4"), nil, "4.20.1")
			steps := m.prepare(t, func(r *upgrade.Request) { r.Version = "4.20.1" }).Steps()
			hc := cluster("4.19.4")
			hc.Spec.Release.Image = image("4.20.1")
			m.clusters.Put(hc)
			plane := &hyperv1.HostedControlPlane{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters-kv-00", Name: "kv-00"}}
			plane.Spec.ReleaseImage = image(tc.release)
			m.planes.Put(plane)
			for _, c := range tc.components {
				m.components.Put(c)
			}
			steptest.Expect(t, steptest.Find(t, steps, "control-plane/accepted").Check(t.Context(), nil), tc.accepted)
			steptest.Expect(t, steptest.Find(t, steps, "control-plane/rollout").Check(t.Context(), nil), step.StatePending,
				tc.words)
		})
	}
}

// Who may not read the control plane's namespace still has the HostedCluster's word (HyperShift 4.22 and later).
func TestTheControlPlanesRolloutByTheHostedCluster(t *testing.T) {
	for name, tc := range map[string]struct {
		desired  string
		history  []any
		accepted step.State
		words    string
	}{
		"the release before": {"4.19.4", []any{kubetest.Object{"version": "4.19.4", "state": "Completed"}},
			step.StatePending, "has not begun"},
		"accepted": {"4.20.1", []any{kubetest.Object{"version": "4.20.1", "state": "Partial"},
			kubetest.Object{"version": "4.19.4", "state": "Completed"}}, step.StateOK,
			"the components of the control plane are rolled out to 4.20.1"},
		"done": {"4.20.1", []any{kubetest.Object{"version": "4.20.1", "state": "Completed"}}, step.StateOK,
			"all components of the control plane are at 4.20.1; its cluster version operator has not begun"},
	} {
		t.Run(name, func(t *testing.T) {
			m := manage(t, cluster("4.19.4"), nil, "4.20.1")
			steps := m.prepare(t, func(r *upgrade.Request) { r.Version = "4.20.1" }).Steps()
			m.planes.Forbid(http.MethodGet)
			m.components.Forbid(http.MethodGet)
			hc := m.clusters.Object("clusters", "kv-00")
			hc["spec"].(kubetest.Object)["release"] = kubetest.Object{"image": image("4.20.1")}
			hc["status"].(kubetest.Object)["controlPlaneVersion"] = kubetest.Object{
				"desired": kubetest.Object{"version": tc.desired, "image": repo + "@sha256:1"}, "history": tc.history}
			m.clusters.Set(hc)
			steptest.Expect(t, steptest.Find(t, steps, "control-plane/accepted").Check(t.Context(), nil), tc.accepted)
			steptest.Expect(t, steptest.Find(t, steps, "control-plane/rollout").Check(t.Context(), nil), step.StatePending,
				tc.words)
		})
	}
}
