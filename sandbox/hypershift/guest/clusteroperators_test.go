package guest

import "testing"

func TestOperatorsDependOnNodesAndIngress(t *testing.T) {
	find := func(o Rollout, name string) operatorState {
		o.Done, o.Blockers = true, o.Missing()
		for _, s := range o.states() {
			if s.name == name {
				return s
			}
		}
		t.Fatalf("no operator %s", name)
		return operatorState{}
	}
	closed := AppsAccess{Why: "no such host"}
	for _, tc := range []struct {
		name, operator      string
		rollout             Rollout
		available, degraded bool
		message             string
	}{
		{"no nodes", "ingress", Rollout{Apps: closed}, false, false, msgNoNodesFor("ingress")},
		{"no nodes", "kube-apiserver", Rollout{Apps: closed}, true, false, ""},
		{"closed", "console", Rollout{Apps: closed, Nodes: 2}, false, false, closed.Why},
		{"closed", "ingress", Rollout{Apps: closed, Nodes: 2}, true, true, msgCanaryFails},
		{"closed", "dns", Rollout{Apps: closed, Nodes: 2}, true, false, ""},
		{"open", "console", Rollout{Apps: AppsAccess{Reachable: true}, Nodes: 1}, true, false, ""},
	} {
		got := find(tc.rollout, tc.operator)
		if got.available != tc.available || got.degraded != tc.degraded || got.message != tc.message {
			t.Errorf("%s: %s: %+v", tc.name, tc.operator, got)
		}
	}
}
