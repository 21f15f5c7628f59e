package cmdutil

import (
	"context"
	"slices"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs"
	"github.com/hcctl/hcctl/pkg/step"
)

// Prerequisites returns a function that checks groups of prerequisites as hcctl check does without flags. It
// returns those that are missing, broken or failing.
func Prerequisites(c *kube.Client) func(ctx context.Context, groups ...string) []step.Result {
	return func(ctx context.Context, groups ...string) []step.Result {
		graph, err := step.New(prereqs.Steps(c, prereqs.ValidatedDefaults())...)
		if err == nil {
			graph, err = graph.Only(groups...)
		}
		if err != nil {
			return nil
		}
		return slices.DeleteFunc(graph.Check(ctx, step.Options{}).Results, func(r step.Result) bool {
			return r.Finding.State.Compare(step.StatePending) <= 0
		})
	}
}
