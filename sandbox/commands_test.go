package main

import (
	"strings"
	"testing"

	"github.com/hcctl/hcctl/sandbox/cluster"
	"github.com/hcctl/hcctl/sandbox/profile"
)

func TestFormOfHyperShift(t *testing.T) {
	for _, c := range []struct {
		profile, host string
		lean, want    bool
		err           string
	}{
		{"ready", "", false, false, ""},
		{"ready", "simulated", true, false, ""},
		{"ready", "real", false, true, ""},
		{"real", "", false, true, ""},
		{"real", "real", false, true, ""},
		{"real", "simulated", false, false, "use profile ready"},
		{"real", "", true, false, "--lean"},
		{"ready", "vendor", false, false, "must be simulated or real"},
	} {
		p, err := profile.Get(c.profile)
		if err != nil {
			t.Fatal(err)
		}
		got, err := realHyperShift(cluster.Options{Profile: p, Lean: c.lean}, c.host)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("profile %s, --hypershift %q: %v, %v, want %v, %q", c.profile, c.host, got, err, c.want, c.err)
		}
	}
}

// The same state at birth is recorded once.
func TestProfilesThatStartFromTheRecordingOfReady(t *testing.T) {
	for _, name := range []string{"real", "newest"} {
		p, err := profile.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		ready, err := profile.Get(p.World())
		if err != nil || ready.Name != "ready" || ready.World() != "ready" {
			t.Fatalf("the recording of %s is %q's, %v", name, p.World(), err)
		}
		if p.OpenShift != ready.OpenShift || p.ReleaseImage != ready.ReleaseImage || p.Nodes != ready.Nodes ||
			p.Birth != ready.Birth || p.MCE().Version != ready.MCE().Version {
			t.Errorf("%+v is not as %+v", p, ready)
		}
	}
}
