package cluster

import (
	"testing"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestJudgeNetworkAndMTU(t *testing.T) {
	prereqtest.Expect(t, judgeNetwork(configv1.NetworkStatus{NetworkType: "OVNKubernetes"}), step.StateOK, "OVNKubernetes")
	prereqtest.Expect(t, judgeNetwork(configv1.NetworkStatus{NetworkType: "OpenShiftSDN"}), step.StateBroken,
		"OpenShiftSDN")
	prereqtest.Expect(t, judgeNetwork(configv1.NetworkStatus{}), step.StatePending, "not reported")
	for mtu, want := range map[int]struct {
		state step.State
		says  string
	}{0: {step.StatePending, "not reported"}, 1400: {step.StateMissing, "get 1300"}, 8899: {step.StateMissing, "8799"},
		8900: {step.StateOK,
			"guests get 8800"}, 9000: {step.StateOK, "several queues"}} {
		prereqtest.Expect(t, judgeMTU(configv1.NetworkStatus{ClusterNetworkMTU: mtu}), want.state, want.says)
	}
}

func TestJudgeMirrors(t *testing.T) {
	both := map[string][]string{"quay.io/openshift-release-dev/ocp-release": {"m/r"}, "*.io": {"m"}}
	for name, tc := range map[string]struct {
		d    prereq.Disconnection
		want step.State
		says string
	}{
		"attached": {prereq.Disconnection{}, step.StateOK, "no registry is mirrored"},
		"attached with others": {prereq.Disconnection{Mirrors: map[string][]string{"docker.io": {"m"}}}, step.StateOK,
			"mirrored sources: 1"},
		"nothing mirrored": {prereq.Disconnection{CatalogsOff: true}, step.StateMissing, "no registry is mirrored"},
		"release lacking": {prereq.Disconnection{CatalogsOff: true,
			Mirrors: map[string][]string{"quay.io/openshift-release-dev/ocp-release": {"m/r"}}}, step.StateMissing,
			"no mirror set has quay.io/openshift-release-dev/ocp-v4.0-art-dev"},
		"all": {prereq.Disconnection{CatalogsOff: true, Mirrors: both}, step.StateOK, ""},
	} {
		t.Run(name, func(t *testing.T) { prereqtest.Expect(t, judgeMirrors(tc.d), tc.want, tc.says) })
	}
	for source, want := range map[string]bool{"quay.io": true, "quay.io/openshift": false,
		"quay.io/openshift-release-dev": true, "*.quay.io": false, "*.io": true, "example.com": false} {
		d := prereq.Disconnection{Mirrors: map[string][]string{source: {"m"}}}
		if got := len(d.MirrorsOf(prereq.ReleaseRepositories()[0])) > 0; got != want {
			t.Errorf("%s: %t", source, got)
		}
	}
}
