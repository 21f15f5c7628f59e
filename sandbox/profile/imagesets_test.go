package profile_test

import (
	"strings"
	"testing"

	"github.com/hcctl/hcctl/sandbox/profile"
)

func TestImageSets(t *testing.T) {
	for name, want := range map[string]struct{ has, lacks string }{
		"ocp-4.12": {"img4.12.1-x86-64-appsub", "img4.15.3-multi-appsub"},
		"ocp-4.20": {"img4.21.4-multi-appsub", "img4.13.6-multi-appsub"},
		"ocp-4.21": {"img4.22.0-rc.1-multi-appsub", "img4.12.1-multi-appsub"},
		"ocp-4.22": {"img5.0.1-multi-appsub", "img5.1.1-multi-appsub"},
		"ocp-4.23": {"img4.23.1-multi-appsub", "img4.24.1-multi-appsub"},
		"ocp-5.0":  {"img5.1.1-multi-appsub", "img4.12.1-multi-appsub"},
	} {
		p, err := profile.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]profile.ImageSet{}
		hidden := 0
		for _, s := range p.ImageSets(p.MCE()) {
			if _, twice := seen[s.Name]; twice || !strings.HasPrefix(s.ReleaseImage,
				"quay.io/openshift-release-dev/ocp-release:") {
				t.Errorf("%s: %+v: named twice, or no release image", name, s)
			}
			seen[s.Name] = s
			if !s.Visible {
				hidden++
			}
		}
		if _, ok := seen[want.has]; !ok {
			t.Errorf("%s: no %s", name, want.has)
		}
		if _, ok := seen[want.lacks]; ok || hidden == 0 {
			t.Errorf("%s: has %s: %v, and %d hidden ones", name, want.lacks, ok, hidden)
		}
	}
	p, err := profile.Get("disconnected")
	if err != nil {
		t.Fatal(err)
	}
	if sets := p.ImageSets(p.MCE()); len(sets) > 0 {
		t.Errorf("disconnected: %d sets from a repository out of reach", len(sets))
	}
	ready, err := profile.Get("ready")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range ready.ImageSets(ready.MCE()) {
		want := profile.ImageSet{Name: s.Name, Channel: "stable", Visible: true,
			ReleaseImage: "quay.io/openshift-release-dev/ocp-release:4.20.3-multi"}
		if s.Name == "img4.20.3-multi-appsub" && s != want {
			t.Errorf("%+v, want %+v", s, want)
		}
	}
}
