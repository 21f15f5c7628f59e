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

func TestTypo(t *testing.T) {
	known := []string{"bindDN", "bindPW", "connectors", "org", "rootCA", "userSearch", "expiry"}
	for got, want := range map[string]string{
		"bindDm": "bindDN", "bindPwd": "bindPW", "conectors": "connectors", "usreSearch": "userSearch", "expire": "expiry",
		"bindDN": "", "BINDDN": "", "rootCAs": "", "connector": "", "orgs": "", "orh": "", "bindToken": "", "": "",
	} {
		if typo := Typo(got, known); typo != want {
			t.Errorf("%q is %q, want %q", got, typo, want)
		}
	}
}
