package report

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func someTree() []Branch {
	return []Branch{
		{Mark: MarkGood, Title: "control plane", Text: "48 of 48 pods ready"},
		{Mark: MarkBad, Title: "worker VMs", Text: "1 of 2 ready", Branches: []Branch{
			{Mark: MarkBad, Title: "kv-00-a", Text: "ErrorUnschedulable: 0/3 nodes are available: 3 Insufficient memory.",
				Hint: "hcctl scale kv-00 --replicas 1 asks for less"},
			{Mark: MarkUnderWay, Title: "kv-00-b", Text: "Starting"},
		}},
		{Mark: MarkWarning, Text: "a warning"},
		{Mark: MarkUnknown, Title: "nodes"},
	}
}

func tree(t *testing.T, s Screen) string {
	t.Helper()
	var out bytes.Buffer
	if err := Tree(&out, s, someTree()...); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestTreeInAPipe(t *testing.T) {
	want := `✓ control plane: 48 of 48 pods ready
✗ worker VMs: 1 of 2 ready
  ✗ kv-00-a: ErrorUnschedulable: 0/3 nodes are available: 3 Insufficient memory.
    → hcctl scale kv-00 --replicas 1 asks for less
  … kv-00-b: Starting
! a warning
? nodes
`
	if diff := cmp.Diff(want, tree(t, Screen{})); diff != "" {
		t.Error(diff)
	}
}

func TestTreeOnATerminal(t *testing.T) {
	want := "\x1b[32m✓\x1b[0m \x1b[1mcontrol plane\x1b[0m: 48 of 48 pods ready\n" +
		"\x1b[31m✗\x1b[0m \x1b[1mworker VMs\x1b[0m: 1 of 2 ready\n" +
		"  \x1b[31m✗\x1b[0m \x1b[1mkv-00-a\x1b[0m: ErrorUnschedulable: 0/3\n" +
		"    nodes are available: 3\n" +
		"    Insufficient memory.\n" +
		"    → hcctl scale kv-00 --replicas 1\n" +
		"      asks for less\n" +
		"  \x1b[33m…\x1b[0m \x1b[1mkv-00-b\x1b[0m: Starting\n" +
		"\x1b[33m!\x1b[0m a warning\n" +
		"\x1b[33m?\x1b[0m \x1b[1mnodes\x1b[0m\n"
	got := tree(t, Screen{Colour: true, Width: 36})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	plain := tree(t, Screen{Width: 36})
	if strings.Contains(plain, "\x1b") {
		t.Errorf("colours without being welcome: %q", plain)
	}
	for _, line := range strings.Split(plain, "\n") {
		if utf8.RuneCountInString(line) > 36 {
			t.Errorf("%q is wider than the screen", line)
		}
	}
	if got := tree(t, Screen{Width: 10}); got != tree(t, Screen{}) {
		t.Errorf("a screen too narrow to wrap on:\n%s", got)
	}
}

func TestRows(t *testing.T) {
	rows := []Row{{MarkBad, []string{"kv-01", "failing", "VirtualMachine kv-01-a: ErrorUnschedulable"}},
		{MarkGood, []string{"kv-00", "ok", ""}}}
	for _, tc := range []struct {
		screen Screen
		want   string
	}{
		{Screen{}, "  NAME   HEALTH   MESSAGE\n✗ kv-01  failing  VirtualMachine kv-01-a: ErrorUnschedulable\n✓ kv-00  ok\n"},
		{Screen{Width: 40, Colour: true}, "  \x1b[1mNAME   HEALTH   MESSAGE\x1b[0m\n\x1b[31m✗\x1b[0m kv-01  failing  " +
			"VirtualMachine kv-01…\n\x1b[32m✓\x1b[0m kv-00  ok\n"},
	} {
		var out bytes.Buffer
		if err := Rows(&out, tc.screen, []string{"NAME", "HEALTH", "MESSAGE"}, rows); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, out.String()); diff != "" {
			t.Error(diff)
		}
	}
}
