package reconciler

import (
	"testing"

	"github.com/hcctl/hcctl/sandbox/profile"
)

func TestVersionsOfTheOperator(t *testing.T) {
	const newest = profile.NewestHyperShift
	for _, tc := range []struct {
		what        string
		first, last int
	}{
		{"ReconciliationActive", 12, newest},
		{"KubeVirtNodesLiveMigratable", 17, newest},
		{"ClusterVersionRetrievedUpdates", 18, newest},
		{"HostedClusterRestoredFromBackup", 20, newest},
		{"DataPlaneConnectionAvailable", 21, newest},
		{"SupportedVersionSkew", 21, newest},
		{"ControlPlaneConnectionAvailable", 22, newest},
		{"ConfigOperatorReconciliationSucceeded", 23, newest},
	} {
		for minor := 12; minor <= 24; minor++ {
			want := minor >= tc.first && minor <= tc.last
			if got := (Features{HyperShift: minor}).Reports(tc.what); got != want {
				t.Errorf("the operator of 4.%d reports %s: %v", minor, tc.what, got)
			}
		}
	}
	for _, tc := range []struct {
		feature     Feature
		first, last int
	}{{Components, 19, newest}, {Marketplace, 0, 21}, {Migrator, 22, newest}} {
		for minor := 12; minor <= 24; minor++ {
			want := minor >= tc.first && minor <= tc.last
			if got := (Features{HyperShift: minor}).Has(tc.feature); got != want {
				t.Errorf("the operator of 4.%d has %s: %v", minor, tc.feature, got)
			}
		}
	}
}

// A profile's operator is that of its multicluster-engine: 2.10 brings the one of OpenShift 4.20.
func TestVersionOfAProfile(t *testing.T) {
	for name, want := range map[string]int{"ocp-4.12": 13, "ocp-4.18": 18, "ready": 20, "ocp-4.21": 21,
		"newest": profile.NewestHyperShift} {
		p, err := profile.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := FeaturesOf(p.MCE()).HyperShift; got != want {
			t.Errorf("profile %s has the operator of 4.%d, want 4.%d", name, got, want)
		}
	}
}
