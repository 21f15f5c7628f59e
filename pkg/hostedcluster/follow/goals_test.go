package follow

import (
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/fuzztest"
)

func FuzzGoal(f *testing.F) {
	for _, s := range []string{"api", "version=4.20.3", "condition=Available", "condition=a.b/c=false", "replicas=3",
		"ready", "replicas=-1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, parse := range []func(...string) ([]Goal, error){ParseClusterGoals, ParsePoolGoals} {
			got, err := parse(s)
			fuzztest.TellsOneLine(t, err)
			if err == nil {
				fuzztest.Again(t, func(s string) ([]Goal, error) { return parse(s) }, got, got[0].String())
			}
		}
	})
}
