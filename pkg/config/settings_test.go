package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const bootstrapHead = "apiVersion: hcctl.dev/v1alpha1\nkind: Bootstrap\n"

func TestSettingsOfAnOperatorsObject(t *testing.T) {
	f, err := Parse("boot.yaml", ".", []byte(bootstrapHead+`virtualization:
  spec:
    liveMigrationConfig:
      parallelMigrationsPerCluster: 7
    permittedHostDevices: {pciHostDevices: [{pciDeviceSelector: "10DE:1EB8"}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	got := f.Virtualization.Spec
	want := map[string]any{"liveMigrationConfig": map[string]any{"parallelMigrationsPerCluster": int64(7)},
		"permittedHostDevices": map[string]any{"pciHostDevices": []any{map[string]any{"pciDeviceSelector": "10DE:1EB8"}}}}
	if diff := cmp.Diff(want, got.Fields); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	if got.Path != "virtualization.spec" || got.File != "boot.yaml" ||
		got.Lines["liveMigrationConfig.parallelMigrationsPerCluster"] != 6 {
		t.Errorf("%+v", got)
	}
	for text, says := range map[string]string{
		"virtualization: {spec: text}\n":                   "has to hold fields",
		"virtualization:\n  spec:\n    defaultCPUModel:\n": "boot.yaml:5: virtualization.spec has a field without a value",
		"loadBalancer: {metallbSpec: [a]}\n":               "has to hold fields",
		"storage: {lvms: {spec: {storage: null}}}\n":       "without a value",
		"virtualization: {spec: {a: 1, a: 2}}\n":           "boot.yaml:3",
	} {
		if _, err := Parse("boot.yaml", ".", []byte(bootstrapHead+text)); says != "" && (err == nil ||
			!strings.Contains(err.Error(), says)) {
			t.Errorf("%s: got %v, want %q", text, err, says)
		}
	}
}
