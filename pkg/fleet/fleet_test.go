package fleet

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/step"
)

func okay(context.Context, step.Reads) step.Finding { return step.OK("") }

// two are the steps of any cluster.
func two() []step.Step {
	return []step.Step{{ID: "objects/a", Check: okay},
		{ID: "cluster/b", Needs: []step.ID{"objects/a"}, After: []step.ID{"objects/a"}, Check: okay}}
}

func TestStepsOfManyClustersAreOneGraph(t *testing.T) {
	steps := stepsOf([]Member{
		{Namespace: "lab", Name: "kv-0", steps: two()},
		{Namespace: "lab", Name: "kv-1", steps: two()},
		{Namespace: "other", Name: "kv-1", steps: two()},
		{Namespace: "lab", Name: "kv-2", Err: &hostedcluster.NotFoundError{Namespace: "lab", Name: "kv-2"}},
	})
	type row struct {
		ID      step.ID
		Subject string
		Needs   []step.ID
	}
	var got []row
	for _, s := range steps {
		got = append(got, row{s.ID, s.Subject, s.Needs})
	}
	want := []row{
		{"kv-0/objects/a", "lab/kv-0", []step.ID{}}, {"kv-0/cluster/b", "lab/kv-0", []step.ID{"kv-0/objects/a"}},
		{"lab.kv-1/objects/a", "lab/kv-1", []step.ID{}}, {"lab.kv-1/cluster/b", "lab/kv-1", []step.ID{"lab.kv-1/objects/a"}},
		{"other.kv-1/objects/a", "other/kv-1", []step.ID{}},
		{"other.kv-1/cluster/b", "other/kv-1", []step.ID{"other.kv-1/objects/a"}},
		{"kv-2/prepare", "lab/kv-2", []step.ID{}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	g, err := step.New(steps...)
	if err != nil {
		t.Fatal(err)
	}
	r := g.Run(t.Context(), step.Options{})
	failed, ok := step.AsRunError(r.Err())
	if !ok || len(failed.Results) != 1 || failed.Results[0].Finding.Hint.String() == "" {
		t.Errorf("got %v, want only the one that could not be prepared, with its hint", r.Err())
	}
}

func TestWhatConcernsAllIsOneError(t *testing.T) {
	members := []Member{{Name: "a", Err: errors.New("x")}, {Name: "b", Err: &hostedcluster.NotInstalledError{}}}
	var uninstalled *hostedcluster.NotInstalledError
	if err := commonError(t.Context(), members); !errors.As(err, &uninstalled) {
		t.Errorf("got %v", err)
	}
	if err := commonError(t.Context(), members[:1]); err != nil {
		t.Errorf("what is wrong with one is told of all: %v", err)
	}
}
