package disk

import (
	"encoding/json"
	"strings"
	"testing"
)

func row(node, name string, taken bool, edit func(*Row)) Row {
	r := Row{Disk: Disk{Node: node, Device: "/dev/" + name, ByID: "/dev/disk/by-id/wwn-0x5" + name, Size: 1 << 40,
		Type: "disk", Media: SSD, State: "Available"}, Taken: taken}
	if edit != nil {
		edit(&r)
	}
	return r
}

func TestSavedPlanTellsWhatHasChanged(t *testing.T) {
	digest := digestPrefix + strings.Repeat("a", 64)
	before := []Row{row("w0", "aa", true, nil), row("w1", "bb", true, nil), row("w2", "cc", false, nil)}
	data, err := json.Marshal(map[string]any{"apiVersion": "hcctl.dev/v1alpha1", "kind": "DiskPlan", "digest": digest,
		"disks": before, "selection": map[string]any{"media": "any"}, "doubts": []string{}})
	if err != nil {
		t.Fatal(err)
	}
	saved, err := ReadSaved(data)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		now  []Row
		want string
	}{
		"gone":       {before[1:], "w0 /dev/aa is gone"},
		"come":       {append([]Row{row("w3", "dd", true, nil)}, before...), "w3 /dev/dd would be taken now"},
		"now chosen": {[]Row{before[0], before[1], row("w2", "cc", true, nil)}, "w2 /dev/cc would be taken now"},
		"left": {[]Row{before[0], row("w1", "bb", false, func(r *Row) { r.Why = "left: it carries xfs" })},
			"w1 /dev/bb is now left: it carries xfs"},
		"another disk": {[]Row{before[0], row("w1", "bb", true, func(r *Row) { r.Size, r.Model = 2<<40, "B" })},
			`w1 /dev/bb has changed: size "2 TiB", was "1 TiB", model "B", was ""`},
		"a few bytes": {[]Row{before[0], row("w1", "bb", true, func(r *Row) { r.Size++ })},
			"w1 /dev/bb has changed: size 1099511627777 bytes, was 1099511627776"},
		"the selection": {before, "the disks are the same, and what is selected is not"},
	} {
		s := Selection{}.With(saved)
		if got := strings.Join(s.Since(Plan{Rows: tc.now}), "; "); got != tc.want || s.Digest() != digest {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
	}
	if (Selection{}).Since(Plan{Rows: before}) != nil {
		t.Error("without a saved plan nothing is known")
	}
	for _, wrong := range []string{"", "{", "[]", `{"kind":"DiskPlan"}`, string(data) + "{}",
		`{"apiVersion":"hcctl.dev/v1alpha1","kind":"DiskPlan","digest":"sha256:x"}`} {
		if _, err := ReadSaved([]byte(wrong)); err == nil {
			t.Errorf("%q is taken for a plan", wrong)
		}
	}
}
