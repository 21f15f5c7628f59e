package step

import "testing"

func TestTheGravestCounts(t *testing.T) {
	list := []Finding{OK("fine"), Unknown("not read"), Failing("no %d", 1), Pending("later"), {Message: "nothing"}}
	if Gravest(nil) != StateOK || Gravest(list[:1]) != StateOK || Gravest(list[:2]) != StateUnknown ||
		Gravest(list) != StateFailing {
		t.Error("Gravest is not the gravest")
	}
	GravestFirst(list)
	got := ""
	for _, f := range list {
		got += f.Message + ", "
	}
	if want := "no 1, later, not read, nothing, fine, "; got != want {
		t.Errorf("got %s, want %s: a finding without a state is unknown", got, want)
	}
	for s := range State(len(stateNames)) {
		if same := s; s.Compare(same) != 0 || s != StateOK && s.Compare(StateOK) <= 0 {
			t.Errorf("%s has no place in the order", s)
		}
	}
}
