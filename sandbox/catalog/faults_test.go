package catalog

import (
	"bytes"
	"encoding/json"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/profile"
)

func withFaults(t *testing.T, faults ...string) Catalog {
	t.Helper()
	p, err := profile.Get("ocp-4.20")
	if err != nil {
		t.Fatal(err)
	}
	catalogs, err := For(p, func(_, _ string) ([]*apiextensionsv1.CustomResourceDefinition, error) { return nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	set, err := fault.NewSet(faults, false)
	if err != nil {
		t.Fatal(err)
	}
	InjectFaults(catalogs, set)
	for _, c := range catalogs {
		if c.Name == RedHat {
			return c
		}
	}
	t.Fatal("no catalog of Red Hat")
	return Catalog{}
}

func TestInjectFaults(t *testing.T) {
	if _, err := withFaults(t).Package("metallb-operator"); err != nil {
		t.Error(err)
	}
	if _, err := withFaults(t, fault.PackageMissing).Package("metallb-operator"); err == nil {
		t.Error("metallb-operator is still on offer")
	}
	for faults, want := range map[string]struct {
		pkg     string
		refused bool
		version string
	}{
		"":                       {"kubevirt-hyperconverged", false, ""},
		fault.RequirementsNotMet: {"kubevirt-hyperconverged", false, futureKubeVersion},
		fault.InstallPlanFailed:  {"multicluster-engine", true, ""},
	} {
		var names []string
		if faults != "" {
			names = append(names, faults)
		}
		pkg, err := withFaults(t, names...).Package(want.pkg)
		if err != nil {
			t.Fatal(err)
		}
		for _, ch := range pkg.Channels {
			for _, b := range ch.Bundles {
				if got := b.CSV.Spec.MinKubeVersion; got != want.version {
					t.Errorf("%q: %s wants Kubernetes %q, not %q", faults, b.Name(), got, want.version)
				}
				encoded, err := b.encode()
				if err != nil {
					t.Fatal(err)
				}
				raw, err := json.Marshal(encoded.Properties)
				if err != nil {
					t.Fatal(err)
				}
				if got := len(b.Others) == 1; got != want.refused || bytes.Count(raw, []byte("olm.bundle.object")) != 1+
					len(b.Others) {
					t.Errorf("%q: %s has %d other objects", faults, b.Name(), len(b.Others))
				}
			}
		}
	}
}
