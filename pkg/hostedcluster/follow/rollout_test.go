package follow

import (
	"strings"
	"testing"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

// The roll-out names the hosted cluster's own operators that are late.
func TestOperatorsOfTheRollout(t *testing.T) {
	operator := func(name, available, message string) kubetest.Object {
		return kubetest.Object{
			"apiVersion": "config.openshift.io/v1", "kind": "ClusterOperator", "metadata": kubetest.Object{"name": name},
			"status": kubetest.Object{"conditions": []any{
				kubetest.Object{"type": "Available", "status": available, "message": message},
			}},
		}
	}
	rolls := hostedtest.Row{"ClusterVersionProgressing", "True", "X", "Working towards 4.20.3: 500 of 900 done"}
	for name, tc := range map[string]struct {
		rows    []hostedtest.Row
		change  func(*management)
		state   step.State
		words   []string
		not     string
		recheck time.Duration
	}{
		"one is late": {[]hostedtest.Row{rolls}, func(m *management) {
			m.operators.Set(operator("console", "False", "console: no route")) // it begins with its own name
			m.operators.Set(operator("dns", "True", ""))
			m.operators.Set(operator("etcd", "True", ""))
		}, step.StatePending, []string{"2 of 3 cluster operators ready: console: no route"}, "Working towards", time.Minute},
		"many are late": {[]hostedtest.Row{rolls}, func(m *management) {
			for _, o := range []string{"a", "b", "c", "d", "e"} {
				m.operators.Set(operator(o, "False", "late"))
			}
		}, step.StatePending, []string{"0 of 5 cluster operators ready: a: late; b: late; c: late; and 2 more"}, "d: late",
			time.Minute},
		"three are late": {[]hostedtest.Row{rolls}, func(m *management) {
			for _, o := range []string{"a", "b", "c"} {
				m.operators.Set(operator(o, "False", "late"))
			}
		}, step.StatePending, []string{"a: late; b: late; c: late"}, "more", time.Minute},
		"the version operator fails, too": {[]hostedtest.Row{rolls,
			{"ClusterVersionSucceeding", "False", "ClusterOperatorNotAvailable", "console is not available"}},
			func(m *management) { m.operators.Set(operator("console", "False", "no route")) }, step.StatePending,
			[]string{"0 of 1 cluster operators ready: console: no route; console is not available"}, "", time.Minute},
		"none is late": {[]hostedtest.Row{rolls}, func(m *management) { m.operators.Set(operator("dns", "True", "")) },
			step.StatePending, []string{"roll-out: Working towards 4.20.3"}, "cluster operators", time.Minute},
		"not to be asked": {[]hostedtest.Row{rolls}, func(m *management) { m.operators.Forbid("") }, step.StatePending,
			[]string{"Working towards 4.20.3: 500 of 900 done; the hosted cluster cannot be asked: not allowed"}, "",
			guest.Timeout},
		"by a refused kubeconfig": {[]hostedtest.Row{rolls}, func(m *management) { m.refused() }, step.StateBroken,
			[]string{"is refused", "Secret clusters/kv-00-admin-kubeconfig"}, "Working", 0},
	} {
		t.Run(name, func(t *testing.T) {
			var edits []func(*hyperv1.HostedCluster)
			for _, row := range tc.rows {
				edits = append(edits, condition(row))
			}
			m := manage(t, edits...)
			tc.change(m)
			f := expect(t, New(m.Client, "clusters", "kv-00").Steps(options.WaitComplete), rolloutStep, tc.state, tc.words...)
			if f.Recheck != tc.recheck || tc.not != "" && strings.Contains(f.Message, tc.not) {
				t.Errorf("%s, asked again after %s, want %s", f.Message, f.Recheck, tc.recheck)
			}
		})
	}
	m := manage(t, history("4.20.3"))
	m.operators.Forbid("")
	expect(t, New(m.Client, "clusters", "kv-00").Steps(options.WaitComplete), rolloutStep, step.StateOK,
		"4.20.3 rolled out")
}

// The wildcard Route of the management cluster is the first thing to look at when the ingress operator's own requests
// do not arrive.
func TestIngressOfTheRollout(t *testing.T) {
	degraded := kubetest.Object{
		"apiVersion": "config.openshift.io/v1", "kind": "ClusterOperator", "metadata": kubetest.Object{"name": "ingress"},
		"status": kubetest.Object{"conditions": []any{
			kubetest.Object{"type": "Degraded", "status": "True", "message": "canary requests fail"},
		}},
	}
	rolls := condition(hostedtest.Row{"ClusterVersionProgressing", "True", "X", "Working towards 4.20.3: 500 of 900 done"})
	for name, passthrough := range map[string]bool{"through the management cluster": true, "a domain of its own": false} {
		t.Run(name, func(t *testing.T) {
			m := manage(t, rolls, func(hc *hyperv1.HostedCluster) {
				hc.Spec.Platform.Kubevirt = &hyperv1.KubevirtPlatformSpec{BaseDomainPassthrough: &passthrough}
			})
			m.operators.Set(degraded)
			f := expect(t, New(m.Client, "clusters", "kv-00").Steps(options.WaitComplete), rolloutStep, step.StatePending,
				"0 of 1 cluster operators ready: ingress: canary requests fail")
			if got := strings.Contains(f.Hint.String(), "hcctl check --only ingress"); got != passthrough {
				t.Errorf("hint %q", f.Hint.String())
			}
		})
	}
}
