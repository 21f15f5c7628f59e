package hypershift

import "testing"

func TestOperatorsDependOnNodesAndTheWayIn(t *testing.T) {
	find := func(o rollout, name string) operatorState {
		o.done, o.blockers = true, o.missing()
		for _, s := range o.states() {
			if s.name == name {
				return s
			}
		}
		t.Fatalf("no operator %s", name)
		return operatorState{}
	}
	closed := way{why: "no such host"}
	for _, tc := range []struct {
		name, operator      string
		rollout             rollout
		available, degraded bool
		message             string
	}{
		{"no nodes", "ingress", rollout{way: closed}, false, false, msgNoNodesFor("ingress")},
		{"no nodes", "kube-apiserver", rollout{way: closed}, true, false, ""},
		{"closed", "console", rollout{way: closed, nodes: 2}, false, false, closed.why},
		{"closed", "ingress", rollout{way: closed, nodes: 2}, true, true, msgCanaryFails},
		{"closed", "dns", rollout{way: closed, nodes: 2}, true, false, ""},
		{"open", "console", rollout{way: way{open: true}, nodes: 1}, true, false, ""},
	} {
		got := find(tc.rollout, tc.operator)
		if got.available != tc.available || got.degraded != tc.degraded || got.message != tc.message {
			t.Errorf("%s: %s: %+v", tc.name, tc.operator, got)
		}
	}
}
