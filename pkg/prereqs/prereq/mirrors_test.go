package prereq

import (
	"strings"
	"testing"
)

// TestMirrorsOfInOrder: findings name the first mirror, so it must not be another one each time.
func TestMirrorsOfInOrder(t *testing.T) {
	d := Disconnection{Mirrors: map[string][]string{
		"quay.io": {"b1/x", "b2/x"}, "quay.io/openshift-release-dev": {"c/x"}, "*.io": {"a/x"}, "quay.io/openshift": {"no/x"},
		"quay.io/openshift-release-dev/ocp-release": {"d/x"}, "registry.redhat.io": {"no/x"}}}
	for range 20 {
		got := strings.Join(d.MirrorsOf("quay.io/openshift-release-dev/ocp-release"), " ")
		if want := "d/x c/x b1/x b2/x a/x"; got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
	if got, want := strings.Join(d.Hosts(), " "), "a b1 b2 c d"; got != want {
		t.Errorf("hosts %s, want %s", got, want)
	}
}
