package hypershift

import (
	"testing"

	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/utils/ptr"
)

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
	closed := way{why: msgConsoleUnresolved("console.apps.kv.example.com")}
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

func TestSlicesLeadToThePort(t *testing.T) {
	slice := func(name string, port int32, ready *bool, addresses ...string) *discoveryv1.EndpointSlice {
		return &discoveryv1.EndpointSlice{
			Ports:     []discoveryv1.EndpointPort{{Name: &name, Port: &port}},
			Endpoints: []discoveryv1.Endpoint{{Addresses: addresses, Conditions: discoveryv1.EndpointConditions{Ready: ready}}},
		}
	}
	for name, tc := range map[string]struct {
		slice *discoveryv1.EndpointSlice
		want  bool
	}{
		"ready":        {slice("https", 32000, ptr.To(true), "10.0.0.1"), true},
		"nothing said": {slice("https", 32000, nil, "10.0.0.1"), true},
		"not ready":    {slice("https", 32000, ptr.To(false), "10.0.0.1"), false},
		"other port":   {slice("https", 32001, ptr.To(true), "10.0.0.1"), false},
		"other name":   {slice("http", 32000, ptr.To(true), "10.0.0.1"), false},
		"no address":   {slice("https", 32000, ptr.To(true)), false},
	} {
		if got := leads(tc.slice, "https", 32000); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}
