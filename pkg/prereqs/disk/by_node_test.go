package disk

import (
	"slices"
	"testing"
)

// TestByNode: a line for each node has what is taken of it, and what is left and why.
func TestByNode(t *testing.T) {
	row := func(node, device string, taken bool, why string) Row {
		return Row{Disk: Disk{Node: node, Device: device, Size: 1 << 40}, Taken: taken, Why: why}
	}
	p := Plan{Rows: []Row{row("a", "/dev/sda", false, "left: it is in use"), row("a", "/dev/sdb", true, "taken"),
		row("a", "/dev/sdc", true, "taken"), row("b", "/dev/sdb", true, "taken")}}
	want := []string{"a: takes sdb, sdc (2 TiB); leaves sda (it is in use)", "b: takes sdb (1 TiB)"}
	if got := p.ByNode(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
