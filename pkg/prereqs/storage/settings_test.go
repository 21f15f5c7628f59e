package storage

import (
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// Settings of a file cannot reach disks that nobody has agreed to, nor what other settings decide.
func TestSettingsThatHcctlDecides(t *testing.T) {
	class := func(fields map[string]any) map[string]any {
		return map[string]any{"storage": map[string]any{"deviceClasses": []any{fields}}}
	}
	for says, o := range map[string]Options{
		"storage.dataFoundation.spec.storageDeviceSets: hcctl decides": {DataFoundationSpec: &prereq.Settings{
			Path: "storage.dataFoundation.spec", Fields: map[string]any{"storageDeviceSets": []any{}}}},
		"deviceClasses[0].deviceSelector: hcctl decides": {LVMSpec: &prereq.Settings{Path: "storage.lvms.spec",
			Fields: class(map[string]any{"name": "vg1", "deviceSelector": map[string]any{"forceWipe": true}})}},
		"deviceClasses[0]: hcctl makes one device class": {LVMSpec: &prereq.Settings{Path: "storage.lvms.spec",
			Fields: class(map[string]any{"name": "vg2"})}},
	} {
		if _, err := o.Validate(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want %q", err, says)
		}
	}
	fine := Options{LVMSpec: &prereq.Settings{Path: "storage.lvms.spec", Fields: class(map[string]any{"name": "vg1",
		"thinPoolConfig": map[string]any{"overprovisionRatio": int64(5)}})}}
	if _, err := fine.Validate(); err != nil {
		t.Error(err)
	}
}
