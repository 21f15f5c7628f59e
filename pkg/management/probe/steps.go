package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// attempt performs a test in the namespace of a session.
type attempt func(ctx context.Context, s *session) step.Finding

// Steps returns the selected probes as steps that run in parallel, and the removal of what killed runs have left
// behind. Check succeeds if the probe has succeeded in this run; Apply runs it.
func Steps(c *kube.Client, o Options) []step.Step {
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	run := newRun(c, o)
	steps := []step.Step{leftoverStep(run)}
	for _, p := range chosen(o) {
		steps = append(steps, p.step(run))
	}
	return steps
}

// step returns the probe as a step of a run.
func (p Probe) step(r *run) step.Step {
	last := &memory{finding: step.Missing("not tried yet")}
	return step.Step{
		ID: p.ID, Title: p.Title, Group: Group, Severity: p.Severity, After: p.After, Docs: docs + "#" + p.part(),
		Check: func(context.Context, step.Reads) step.Finding { return last.get() },
		Apply: func(ctx context.Context) (step.Change, error) {
			if f := p.missing(r.options); f != nil {
				last.set(*f)
				return step.Unchanged, nil
			}
			f := r.try(ctx, p)
			last.set(f)
			if errors.Is(ctx.Err(), context.Canceled) {
				return step.Unchanged, ctx.Err()
			}
			return step.Unchanged, nil
		},
	}
}

// missing returns a finding if a check before the probe did not succeed, or nil.
func (p Probe) missing(o Options) *step.Finding {
	if o.Found == nil {
		return nil
	}
	for _, id := range p.Rests {
		if res, found := o.Found(id); found && !res.Good() {
			return &step.Finding{State: step.StateSkipped, Message: fmt.Sprintf("not tried: it needs %s, which is %s", id,
				res.Finding.State)}
		}
	}
	return nil
}

// try runs a probe in a new namespace within its time limit, and cleans up in any case.
func (r *run) try(ctx context.Context, p Probe) step.Finding {
	bounded, cancel := context.WithTimeout(ctx, r.options.Timeout)
	defer cancel()
	s, err := r.begin(bounded, p)
	f := failure(err)
	if err == nil {
		f = p.Run(bounded, s)
	}
	return withRemains(f, s.end(ctx))
}

// withRemains adds the error of the clean-up. A probe that leaves something behind fails.
func withRemains(f step.Finding, err error) step.Finding {
	switch {
	case err == nil:
		return f
	case f.State == step.StateOK:
		return step.Broken("%s; but %v", f.Message, err).On("%s", f.Object).WithHint("%s", removeHint())
	}
	f.Message += fmt.Sprintf("; and %v", err)
	return f
}

// failure returns the finding for an error of the API. It is final, because a probe is not repeated.
func failure(err error) step.Finding {
	if err == nil {
		return step.Finding{}
	}
	f := kube.Unknown(err)
	f.Final, f.Outage = true, false
	return f
}

// unknown returns a final finding, which repetition does not change.
func unknown(format string, args ...any) step.Finding {
	f := step.Unknown(format, args...)
	f.Final = true
	return f
}

// memory stores the finding of a probe for its Check.
type memory struct {
	mu      sync.Mutex
	finding step.Finding
}

func (m *memory) get() step.Finding {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.finding
}

func (m *memory) set(f step.Finding) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.finding = f
}

// lookInterval is the maximum time between two checks while a probe waits, in case an event is missed.
const lookInterval = 5 * time.Second

// await repeats the check until the finding is not Pending or the time is over. Then it returns the last finding as
// failed.
func (s *session) await(ctx context.Context, look kube.Check) step.Finding {
	watch := s.informers.Watch()
	defer watch.Close()
	reader := s.client.Reader(watch)
	tick := time.NewTicker(lookInterval)
	defer tick.Stop()
	begin, last := time.Now(), step.Pending("nothing is known yet")
	for {
		f := look(ctx, reader)
		if ctx.Err() != nil {
			return outOfTime(ctx, last, time.Since(begin))
		}
		retry := f.State == step.StateUnknown && !f.Final
		if f.State != step.StatePending && !retry {
			return f
		}
		last = f
		select {
		case <-ctx.Done():
			return outOfTime(ctx, last, time.Since(begin))
		case <-watch.Changed():
		case <-tick.C:
		}
	}
}

// outOfTime converts the last finding of a wait into the final one.
func outOfTime(ctx context.Context, last step.Finding, waited time.Duration) step.Finding {
	if errors.Is(ctx.Err(), context.Canceled) {
		return unknown("interrupted: %s", last.Message).On("%s", last.Object)
	}
	f := step.Broken("not after %s: %s", waited.Round(time.Second), last.Message).On("%s", last.Object)
	f.Hint = last.Hint
	return f
}
