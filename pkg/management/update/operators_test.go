package update

import (
	"errors"
	"slices"
	"strings"
	"testing"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	engine  = "multicluster-engine"
	storage = "odf-operator"
	virt    = "kubevirt-hyperconverged"
)

func TestOperators(t *testing.T) {
	for name, tc := range map[string]struct {
		install func(*snapshot)
		target  string
		want    string
		hint    string
	}{
		"none": {func(*snapshot) {}, "4.21.0", "clear Subscriptions: none is for an operator of hosted clusters", ""},
		"engine too old": {func(w *snapshot) { w.install(engine, "multicluster-engine.v2.10.1", "2.10.1", "stable-2.10") }, "4.21.0",
			"blocked Subscription multicluster-engine/multicluster-engine: multicluster engine 2.10.1 is too old for OpenShift " +
				"4.21, which takes 2.11 and later", "bring it to 2.11 first: move spec.channel"},
		"engine of a hub": {func(w *snapshot) {
			w.install(engine, "multicluster-engine.v2.10.1", "2.10.1", "stable-2.10")
			w.install(hubPackage, "advanced-cluster-management.v2.15.1", "2.15.1", "release-2.15")
		}, "4.21.0", "blocked Subscription multicluster-engine/multicluster-engine",
			"through Advanced Cluster Management, which brings it: the channel of Subscription " + hubPackage + "/" + hubPackage},
		"engine for both": {func(w *snapshot) { w.install(engine, "multicluster-engine.v2.11.0", "2.11.0", "stable-2.11") }, "4.21.0",
			"clear Subscription multicluster-engine/multicluster-engine: multicluster engine 2.11.0 works on OpenShift 4.21 too", ""},
		"engine, a patch": {func(w *snapshot) { w.install(engine, "multicluster-engine.v2.10.1", "2.10.1", "stable-2.10") }, "4.20.8",
			"clear Subscription multicluster-engine/multicluster-engine: multicluster engine 2.10.1 stays", ""},
		"engine too old already": {func(w *snapshot) { w.install(engine, "multicluster-engine.v2.9.1", "2.9.1", "stable-2.9") },
			"4.20.8", "blocked Subscription multicluster-engine/multicluster-engine: multicluster engine 2.9.1 is too old for " +
				"OpenShift 4.20, which takes 2.10 to 2.17", "hcctl check"},
		"storage follows": {func(w *snapshot) { w.install(storage, "odf-operator.v4.20.1-rhodf", "4.20.1-rhodf", "stable-4.20") },
			"4.21.0", "clear Subscription odf-operator/odf-operator: OpenShift Data Foundation 4.20.1 follows once OpenShift is " +
				"at 4.21, in channel stable-4.21 (now stable-4.20)", ""},
		"storage behind": {func(w *snapshot) { w.install(storage, "odf-operator.v4.19.1-rhodf", "4.19.1-rhodf", "stable-4.19") },
			"4.21.0", "blocked Subscription odf-operator/odf-operator: OpenShift Data Foundation 4.19.1 is behind OpenShift 4.20 " +
				"already", "from stable-4.19 to stable-4.20"},
		"virtualization, a patch": {func(w *snapshot) {
			w.install(virt, "kubevirt-hyperconverged-operator.v4.20.1", "4.20.1", "stable")
			s := &w.subscriptions.Items[0]
			s.Spec.InstallPlanApproval, s.Status.State = olmv1alpha1.ApprovalManual, olmv1alpha1.SubscriptionStateUpgradePending
			s.Status.CurrentCSV = "kubevirt-hyperconverged-operator.v4.20.2"
		}, "4.20.8", "clear Subscription kubevirt-hyperconverged/kubevirt-hyperconverged: OpenShift Virtualization 4.20.1 " +
			"stays; an update to kubevirt-hyperconverged-operator.v4.20.2 waits; its updates wait for your approval", ""},
		"without a Subscription": {func(w *snapshot) { w.install(virt, "kubevirt-hyperconverged-operator.v4.20.1", "4.20.1", "") },
			"4.21.0", "clear ClusterServiceVersion kubevirt-hyperconverged/kubevirt-hyperconverged-operator.v4.20.1: OpenShift " +
				"Virtualization 4.20.1 follows once OpenShift is at 4.21; no Subscription updates it", ""},
		"not well": {func(w *snapshot) {
			w.install(virt, "kubevirt-hyperconverged-operator.v4.20.1", "4.20.1", "stable")
			w.bundles.Items[0].Status.Phase, w.bundles.Items[0].Status.Message = "Failed", "no room"
		}, "4.20.8", "blocked ClusterServiceVersion kubevirt-hyperconverged/kubevirt-hyperconverged-operator.v4.20.1: OpenShift " +
			"Virtualization is not healthy: phase Failed: no room", "hcctl check"},
		"being replaced": {func(w *snapshot) {
			w.install(virt, "kubevirt-hyperconverged-operator.v4.20.1", "4.20.1", "stable")
			w.install(virt, "kubevirt-hyperconverged-operator.v4.20.2", "4.20.2", "")
			w.bundles.Items[0].Status.Phase = "Replacing"
			w.bundles.Items[1].Spec.Replaces = "kubevirt-hyperconverged-operator.v4.20.1"
		}, "4.20.8", "clear Subscription kubevirt-hyperconverged/kubevirt-hyperconverged: OpenShift Virtualization 4.20.2 stays", ""},
		"not installed": {func(w *snapshot) {
			w.install(virt, "kubevirt-hyperconverged-operator.v4.20.1", "4.20.1", "stable")
			w.subscriptions.Items[0].Status = olmv1alpha1.SubscriptionStatus{State: olmv1alpha1.SubscriptionStateUpgradePending}
		}, "4.20.8", "blocked Subscription kubevirt-hyperconverged/kubevirt-hyperconverged: OpenShift Virtualization is " +
			`subscribed to and not installed (state "UpgradePending")`, "hcctl check"},
		"no version": {func(w *snapshot) { w.install(virt, "kubevirt-hyperconverged-operator.v4.20.1", "new", "stable") }, "4.20.8",
			"unknown ClusterServiceVersion kubevirt-hyperconverged/kubevirt-hyperconverged-operator.v4.20.1: the version of " +
				`OpenShift Virtualization cannot be read: "new"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := &snapshot{}
			tc.install(w)
			r := to(t, tc.target)
			got := judgeOperators(w.installedOperators(), r)
			expect(t, got, tc.want)
			if hint := got[0].Hint.String(); !strings.Contains(hint, tc.hint) || tc.hint == "" && hint != "" {
				t.Errorf("hint %q, want %q", hint, tc.hint)
			}
		})
	}
	w := &snapshot{}
	w.bundles.Err = errors.New("no answer")
	got := judgeOperators(w.installedOperators(), to(t, "4.21.0"))
	if len(got) == 0 || got[0].State != step.StateUnknown || got[0].Message != "not read: no answer" {
		t.Errorf("%s", told(got))
	}
}

// The engine moves before OpenShift, the others after it, minor by minor; hosted clusters that would be left out go
// before all, and worker pools wait between the two steps of an EUS-to-EUS update.
func TestTheOrder(t *testing.T) {
	w := &snapshot{}
	w.host("old", "4.18.3")
	w.install(engine, "multicluster-engine.v2.10.1", "2.10.1", "stable-2.10")
	w.install(storage, "odf-operator.v4.20.1-rhodf", "4.20.1-rhodf", "stable-4.20")
	w.install(virt, "kubevirt-hyperconverged-operator.v4.20.1", "4.20.1", "stable")
	for target, want := range map[string][]string{
		"4.20.8": {"see for each node", "update OpenShift to 4.20.8", "check that nothing"},
		"4.21.1": {"bring hosted cluster clusters/old from 4.18.3 to OpenShift 4.19 or later", "see for each node",
			"multicluster engine: bring it to 2.11", "update OpenShift to 4.21.1", "OpenShift Data Foundation: bring it to 4.21",
			"OpenShift Virtualization: bring it to 4.21", "upgrade the hosted clusters", "check that nothing"},
		"4.22.1": {"bring hosted cluster clusters/old from 4.18.3 to OpenShift 4.20 or later", "see for each node",
			"pause the MachineConfigPools", "multicluster engine: bring it to 2.11", "update OpenShift to 4.21, its newest",
			"OpenShift Data Foundation: bring it to 4.21", "OpenShift Virtualization: bring it to 4.21",
			"multicluster engine: bring it to 2.17", "update OpenShift to 4.22.1", "OpenShift Data Foundation: bring it to 4.22",
			"OpenShift Virtualization: bring it to 4.22", "unpause the MachineConfigPools", "upgrade the hosted clusters",
			"check that nothing"},
	} {
		r := to(t, target)
		steps := w.order(r, w.installedOperators(), nil)
		for i := range max(len(steps), len(want)) {
			if i >= len(steps) || i >= len(want) || !strings.HasPrefix(steps[i].Do, want[i]) {
				t.Errorf("%s, step %d: %+v", target, i+1, steps)
				break
			}
		}
	}
	steps := w.order(to(t, "4.21.1"), nil, w.judgeHosted(to(t, "4.21.1")))
	if !strings.HasPrefix(steps[0].Do, "resolve what blocks and what is unknown: 1 finding") {
		t.Errorf("first: %+v", steps[0])
	}
}

// From 4.23 on minors have numbers of 5: three before 5.1 is 4.21, and MCE and the operators go by the same.
func TestTheOrderToOpenShift5(t *testing.T) {
	for _, tc := range []struct {
		from, to, plane string
		want            []string
	}{
		{"4.22.3", "5.0.1", "4.21", []string{"bring hosted cluster clusters/old from 4.18.3 to OpenShift 4.21 or later", "see for each node",
			"multicluster engine: bring it to 5.0: move spec.channel of Subscription multicluster-engine/multicluster-engine from " +
				"stable-2.10 to stable-5.0 or later", "update OpenShift to 5.0.1",
			"OpenShift Data Foundation: bring it to 4.23 or 5.0: move spec.channel of Subscription " +
				"odf-operator/odf-operator from stable-4.20 to stable-5.0 or stable-4.23"}},
		{"4.23.3", "5.1.0", "4.22", []string{"bring hosted cluster clusters/old from 4.18.3 to OpenShift 4.22 or later", "see for each node",
			"multicluster engine: bring it to 5.1", "update OpenShift to 5.1.0", "OpenShift Data Foundation: bring it to 5.1"}},
	} {
		w := &snapshot{}
		w.host("old", "4.18.3", "4.17.1")
		w.install(engine, "multicluster-engine.v2.10.1", "2.10.1", "stable-2.10")
		w.install(storage, "odf-operator.v4.20.1-rhodf", "4.20.1-rhodf", "stable-4.20")
		now, _ := hostedcluster.ParseVersion(tc.from)
		r, err := routeTo(now, tc.to, nil)
		if err != nil {
			t.Fatal(err)
		}
		steps := w.order(r, w.installedOperators(), nil)
		for i, want := range tc.want {
			if !strings.HasPrefix(steps[i].Do, want) {
				t.Errorf("%s to %s, step %d: %s, want %s", tc.from, tc.to, i+1, steps[i].Do, want)
			}
		}
		if got := told(w.judgeHosted(r)); !strings.Contains(got, "its control plane has to go to "+tc.plane+": ") {
			t.Errorf("%s to %s: %s", tc.from, tc.to, got)
		}
	}
}

// Every pool of workers is paused between the two steps, and that of the control plane never.
func TestAllPoolsOfWorkersWait(t *testing.T) {
	w := &snapshot{}
	for _, name := range []string{"worker", "master", "infra"} {
		w.configPools.Items = append(w.configPools.Items, object(t, `{"metadata":{"name":"`+name+`"}}`))
	}
	var got []string
	for _, s := range w.order(to(t, "4.22.1"), nil, nil) {
		if strings.Contains(s.Command.String(), "patch") {
			got = append(got, s.Command.String())
		}
	}
	want := []string{`oc patch machineconfigpool infra worker --type=merge -p '{"spec":{"paused":true}}'`,
		`oc patch machineconfigpool infra worker --type=merge -p '{"spec":{"paused":false}}'`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
