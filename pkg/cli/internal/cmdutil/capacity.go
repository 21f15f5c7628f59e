package cmdutil

import (
	"context"
	"slices"
	"time"

	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/prereqs"
	"github.com/hcctl/hcctl/pkg/step"
)

// capacityInterval is the time between two counts of the room while a command waits for it. Pods are listed page
// by page, not watched.
const capacityInterval = 10 * time.Second

// capacityChecks returns the IDs of the checks that others can make succeed by using less: room and addresses.
func capacityChecks() []step.ID { return append(prereqs.CapacityIDs(), creation.CapacityIDs()...) }

// LacksCapacity reports whether a preflight failed only because of room or addresses that may become free.
func LacksCapacity(err error) bool {
	run, ok := step.AsRunError(err)
	return ok && len(run.Results) > 0 && !slices.ContainsFunc(run.Results, func(r step.Result) bool {
		return !slices.Contains(capacityChecks(), r.Step.ID) || r.Finding.State != step.StateMissing || r.Finding.Final
	})
}

// AwaitCapacity waits until there is room for a new hosted cluster. It writes nothing.
func AwaitCapacity(ctx context.Context, r *Runner, t *Target, plan *creation.Plan, timeout time.Duration,
	output string) error {
	var steps []step.Step
	for _, s := range append(prereqs.Preflight(t.Client, WantedBy(plan)), plan.Preflight()...) {
		if slices.Contains(capacityChecks(), s.ID) {
			steps = append(steps, awaiting(s))
		}
	}
	o := plan.Options
	run := Run{Steps: steps, Timeout: timeout, Output: output, Command: "create cluster", Heading: Textf(
		"Waiting for room for hosted cluster %s/%s; nothing is written until there is", o.Namespace, o.Name)}
	result, err := r.Run(ctx, t, run)
	if err != nil {
		return err
	}
	if err := result.Err(); err != nil {
		Tell(r.streams.Err, "Nothing was created: the same command goes on waiting.\n")
		return err
	}
	return nil
}

// awaiting returns the check as a step that waits for what is missing. It reads live, because a list of all pods
// is not watched.
func awaiting(s step.Step) step.Step {
	check := s.Check
	s.Needs, s.Severity, s.Timeout = nil, step.Required, 0
	s.Check = func(ctx context.Context, _ step.Reads) step.Finding {
		f := check(ctx, nil)
		if f.State == step.StateMissing && !f.Final {
			f.State = step.StatePending
		}
		if f.State == step.StatePending {
			f = f.RecheckAfter(capacityInterval)
		}
		return f
	}
	return s
}
