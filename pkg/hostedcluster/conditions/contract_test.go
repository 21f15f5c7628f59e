package conditions

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

// otherWords are constants among HyperShift's conditions that are neither a condition nor named as a reason.
var otherWords = []string{
	"AllIsWellMessage", "ControlPlaneComponentsNotAvailable", "IgnitionNotReached", "InvalidIdentityProvider",
	"InvalidKubevirtMachineTemplate", "NodePoolInvalidArchPlatform", "NodePoolPerformanceProfileTuningConditionTypePrefix",
	"UnmanagedEtcdAsExpected",
}

type word struct{ Value, Const, Type, Source string }

// facts are what contracts/hypershift.yaml has of conditions.
type facts struct {
	Words     []word `yaml:"conditions_and_reasons"`
	Newer     []word `yaml:"newer"`
	After     []word `yaml:"after_4_21"`
	WrittenBy []struct {
		Value      string
		Conditions []string
	} `yaml:"written_by"`
}

func contract(t *testing.T) facts {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "..", "contracts", "hypershift.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var f facts
	if err := yaml.Unmarshal(raw, &f); err != nil || len(f.Words) < 100 || len(f.WrittenBy) == 0 {
		t.Fatalf("%d words, %v", len(f.Words), err)
	}
	return f
}

// TestWhoDecides: who decides a condition is what HyperShift's sources say.
func TestWhoDecides(t *testing.T) {
	by := map[string]string{}
	for _, f := range contract(t).WrittenBy {
		for _, c := range f.Conditions {
			by[c] = f.Value
			if row := Find(hostedcluster.HostedClusterKind, c); row == nil || row.Good == "" {
				t.Errorf("hcctl does not know %s", c)
			}
		}
	}
	for _, r := range table() {
		want, copied := by[r.Type]
		if !copied || r.Kind == hostedcluster.NodePoolKind {
			want = hyperShiftOperator
		}
		if r.By != want {
			t.Errorf("%s %s is said to be decided by %s, and is by %s", r.Kind, r.Type, r.By, want)
		}
	}
}

// TestEveryConditionOfTheContractHasARow: the words of HyperShift are conditions, reasons or otherWords.
func TestEveryConditionOfTheContractHasARow(t *testing.T) {
	facts := contract(t)
	for _, w := range slices.Concat(facts.Words, facts.Newer, facts.After) {
		condition := w.Type
		if condition == "" {
			condition = w.Value
		}
		switch {
		case !strings.Contains(w.Source, "_conditions.go@") || condition == "",
			strings.HasSuffix(w.Const, "Reason"), slices.Contains(otherWords, w.Const):
			continue
		}
		kind := hostedcluster.HostedClusterKind
		if strings.Contains(w.Source, "nodepool_conditions.go@") {
			kind = hostedcluster.NodePoolKind
		}
		if Find(kind, condition) == nil {
			t.Errorf("%s has no row in hostedcluster.go or nodepool.go, with what it means, who decides it, how bad it is "+
				"and where to look; or, if it is no condition, no word in otherWords", condition)
		}
	}
}
