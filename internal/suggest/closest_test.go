package suggest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWords(t *testing.T) {
	known := []string{"storage", "storage/cluster", "storage/default-class", "load-balancer", "load-balancer/pool",
		"ingress/wildcard"}
	for got, want := range map[string][]string{
		"storge":             {"storage"},
		"Storage":            {"storage", "storage/cluster", "storage/default-class"},
		"storage/clsuter":    {"storage/cluster"},
		"wildcard":           {"ingress/wildcard"},
		"load-blancer/pool":  {"load-balancer/pool"},
		"virtualization":     nil,
		"x":                  nil,
		"":                   nil,
		"ingress/wild":       {"ingress/wildcard"},
		"storage/dfault-cla": {"storage/default-class"},
	} {
		if diff := cmp.Diff(want, Words(got, known)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", got, diff)
		}
	}
}
