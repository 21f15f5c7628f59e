package passthrough

import (
	"testing"

	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/utils/ptr"
)

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

func TestPassthroughBeganWith4122(t *testing.T) {
	for version, want := range map[string]bool{"4.11.50": false, "4.12.1": false, "4.12.2": true, "4.12.45": true,
		"4.20.3": true} {
		if got := createsPassthrough(version); got != want {
			t.Errorf("passthrough(%s) = %v", version, got)
		}
	}
}
