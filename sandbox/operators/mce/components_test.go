package mce

import (
	"slices"
	"testing"

	"github.com/hcctl/hcctl/sandbox/profile"
)

func channel(t *testing.T, name string) profile.MCEChannel {
	t.Helper()
	p, err := profile.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	return p.MCE()
}

func TestDefaultsByVersion(t *testing.T) {
	for _, c := range []struct {
		profile, name string
		present, on   bool
	}{
		{"ocp-4.20", "hypershift", true, true},
		{"ocp-4.20", "hypershift-preview", false, false},
		{"ocp-4.20", "hypershift-local-hosting", true, true},
		{"ocp-4.20", "local-cluster", true, true},
		{"ocp-4.12", "hypershift-preview", true, false},
		{"ocp-4.12", "hypershift", false, false},
		{"ocp-4.12", "hypershift-local-hosting", true, true},
		{"ocp-4.12", "local-cluster", true, true},
		{"ocp-4.12", "managedserviceaccount-preview", true, false},
		{"ocp-4.14", "managedserviceaccount", true, true},
		{"ocp-4.14", "image-based-install-operator-preview", true, false},
		{"ocp-4.16", "cluster-api-preview", true, false},
		{"ocp-4.16", "cluster-api", false, false},
		{"ocp-4.20", "cluster-api-provider-metal3", true, false},
		{"ocp-4.20", "cluster-api-provider-azure-preview", false, false},
		{"ocp-4.21", "cluster-api-provider-azure-preview", true, false},
		{"ocp-4.21", "cluster-permission", false, false},
		{"ocp-4.22", "cluster-permission", true, true},
		{"ocp-4.22", "maestro-preview", true, false},
		{"ocp-4.22", "fleet-navigation", false, false},
		{"ocp-5.0", "fleet-navigation", true, true},
		{"ocp-5.1", "cluster-permission", true, true},
	} {
		list := withDefaults(channel(t, c.profile), nil)
		at := slices.IndexFunc(list, func(e Component) bool { return e.Name == c.name })
		if (at >= 0) != c.present {
			t.Errorf("%s: component %s present: %v, want %v", c.profile, c.name, at >= 0, c.present)
		}
		if got := enabled(list, c.name); got != c.on {
			t.Errorf("%s: component %s enabled: %v, want %v", c.profile, c.name, got, c.on)
		}
	}
}

func TestDefaultsKeepWhatIsThere(t *testing.T) {
	ch := channel(t, "ocp-4.20")
	mine := Component{Name: "discovery", Enabled: false, ConfigOverrides: map[string]any{"a": "b"}}
	list := withDefaults(ch, []Component{mine})
	if list[0].Name != "discovery" || list[0].Enabled || list[0].ConfigOverrides["a"] != "b" {
		t.Errorf("first entry is %+v, want the author's own", list[0])
	}
	if again := withDefaults(ch, list); len(again) != len(list) {
		t.Errorf("a second look added %d entries", len(again)-len(list))
	}
}

func TestPreviewIsPrunedIntoStable(t *testing.T) {
	list := withDefaults(channel(t, "ocp-4.20"), []Component{{Name: "hypershift"},
		{Name: "hypershift-preview", Enabled: true}})
	if !enabled(list, "hypershift") {
		t.Error("an enabled hypershift-preview must turn hypershift on")
	}
	if slices.ContainsFunc(list, func(c Component) bool { return c.Name == "hypershift-preview" }) {
		t.Error("hypershift-preview must be gone from 2.4 on")
	}
}

func TestKnownComponents(t *testing.T) {
	for _, c := range []struct {
		profile, name string
		want          bool
	}{
		{"ocp-4.20", "hypershift", true}, {"ocp-4.20", "hypershift-preview", true}, {"ocp-4.20", "bogus", false},
		{"ocp-4.12", "hypershift", false}, {"ocp-4.12", "hypershift-preview", true},
		{"ocp-4.20", "managedserviceaccount-preview", true}, {"ocp-4.12", "managedserviceaccount", false},
		{"ocp-4.16", "cluster-api", true}, {"ocp-4.20", "cluster-api-provider-azure", false},
	} {
		if got := known(channel(t, c.profile), c.name); got != c.want {
			t.Errorf("%s: known(%s) = %v, want %v", c.profile, c.name, got, c.want)
		}
	}
}

func TestHypershiftExcludesClusterAPI(t *testing.T) {
	list := []Component{{Name: "hypershift", Enabled: true}, {Name: "cluster-api", Enabled: true}}
	if on, got := exclusive(channel(t, "ocp-4.20"), list); on != "hypershift" || got != "cluster-api" {
		t.Errorf("2.10 names %q and %q as the components in conflict", on, got)
	}
	list[0].Name = "hypershift-local-hosting"
	if on, got := exclusive(channel(t, "ocp-4.20"), list); on != "hypershift-local-hosting" || got != "cluster-api" {
		t.Errorf("2.10 names %q and %q as the components in conflict", on, got)
	}
	old := channel(t, "ocp-4.20")
	old.Version = "2.9.1"
	if _, got := exclusive(old, list); got != "" {
		t.Errorf("2.9 refuses %q; the rule came with 2.10", got)
	}
}
