package fault

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestUnknownFaultListsAll(t *testing.T) {
	_, err := NewSet([]string{NoKVM, "gremlins"}, false)
	if err == nil || !strings.Contains(err.Error(), `no fault "gremlins"`) {
		t.Fatalf("error %v, want one that names the unknown fault", err)
	}
	for _, f := range All() {
		if !strings.Contains(err.Error(), f.Name) {
			t.Errorf("the error does not list %s: %v", f.Name, err)
		}
	}
}

func TestFaultsHaveTheirWorld(t *testing.T) {
	for name, provisioned := range map[string]bool{NoDisks: true, PoolEmpty: false} {
		if _, err := NewSet([]string{name}, provisioned); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s, provisioned %v: error %v", name, provisioned, err)
		}
		if _, err := NewSet([]string{name}, !provisioned); err != nil {
			t.Errorf("%s, provisioned %v: %v", name, !provisioned, err)
		}
	}
}

func TestFaultsBegin(t *testing.T) {
	s, err := NewSet([]string{CRDLate, HCODegraded, CRDLate}, false)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Chosen(); !slices.Equal(got, []string{CRDLate, HCODegraded}) {
		t.Errorf("chosen: %v, want each once, in the order of the table", got)
	}
	if !s.Has(HCODegraded) || s.Active(HCODegraded) || s.DurationOf(CRDLate, time.Second) != time.Second {
		t.Error("before Begin a fault is chosen but not in effect")
	}
	s.Activate()
	if !s.Active(HCODegraded) || s.Active(NoKVM) || s.DurationOf(CRDLate, time.Second) != time.Minute {
		t.Error("after Begin exactly the chosen faults are in effect, for their time")
	}
	var none *Set
	if none.Has(NoKVM) || none.Active(NoKVM) || none.DurationOf(CRDLate, time.Second) != time.Second ||
		len(none.Chosen()) > 0 {
		t.Error("no set is a set without faults")
	}
}

func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range All() {
		if f.Name == "" || f.Description == "" || seen[f.Name] {
			t.Errorf("fault %+v: every fault has a name of its own and says what goes wrong", f)
		}
		seen[f.Name] = true
	}
}

func TestFaultsAreDocumented(t *testing.T) {
	docs, err := os.ReadFile(filepath.Join("..", "..", "docs", "dev", "sandbox.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range All() {
		if !strings.Contains(string(docs), "\n| `"+f.Name+"` |") {
			t.Errorf("docs/dev/sandbox.md has no line for %s", f.Name)
		}
	}
}
