package finding_test

import (
	"errors"
	"testing"

	"github.com/hcctl/hcctl/pkg/management/finding"
)

func TestTheGravestCounts(t *testing.T) {
	list := []finding.Finding{
		finding.IsClear("A", "fine"), finding.Unread("B", errors.New("no answer")), finding.IsBlocked("C", "no %d", 1),
		finding.IsUnknown("D", "who knows"), {Object: "E"},
	}
	if finding.Overall(nil) != finding.Clear || finding.Overall(list[:1]) != finding.Clear ||
		finding.Overall(list[:2]) != finding.Unknown || finding.Overall(list) != finding.Blocked {
		t.Error("Overall is not the gravest")
	}
	finding.WorstFirst(list)
	got := ""
	for _, f := range list {
		got += f.Object + " "
	}
	if want := "C B D E A "; got != want {
		t.Errorf("got %s, want %s: nothing said is unknown", got, want)
	}
	if n := finding.Count(list, finding.Unknown); n != 2 {
		t.Errorf("%d unknown", n)
	}
	if list[0].Message != "no 1" || list[1].Message != "not read: no answer" {
		t.Errorf("%+v", list)
	}
}
