package density

import (
	"context"
	"time"

	"github.com/hcctl/hcctl/pkg/prereqs"
)

// guard looks at the management cluster again and again until ctx ends or the returned function is called. At the first
// sign of harm it ends the context that it returns, and with it whatever is under way.
func (r *Run) guard(ctx context.Context) (guarded context.Context, done func()) {
	guarded, cancel := context.WithCancel(ctx)
	r.mu.Lock()
	r.stop = cancel
	r.mu.Unlock()
	ended := make(chan struct{})
	looking, stopLooking := context.WithCancel(ctx)
	go func() {
		defer close(ended)
		tick := time.NewTicker(r.opt.Limits.Interval)
		defer tick.Stop()
		for {
			select {
			case <-looking.Done():
				return
			case <-tick.C:
				r.glance(looking)
			}
		}
	}()
	return guarded, func() {
		stopLooking()
		<-ended
		cancel()
	}
}

// glance takes one look. One that fails tells nothing but what the meter has counted: an API server that does not
// answer is a sign by itself.
func (r *Run) glance(ctx context.Context) {
	s, err := look(ctx, r.client)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		if ctx.Err() == nil {
			s = &Sample{At: time.Now().UTC()}
			r.judge(s)
		}
		return
	}
	r.take(s)
}

// take keeps a look and judges it. The caller holds mu.
func (r *Run) take(s *Sample) {
	r.last = s
	r.record.saw(s)
	r.judge(s)
}

// judge ends what is under way at a sign of harm. The caller holds mu. While clusters go, nothing is judged: deleting
// them is all that helps.
func (r *Run) judge(s *Sample) {
	if r.record.Stop != nil || r.record.Phase != Creating {
		return
	}
	if sign := harm(s, r.record.Baseline, r.opt.Limits, r.meter.Errors(errorWindow)); sign != nil {
		r.halt(sign)
	}
}

// halt begins no further cluster, and ends those under way where the sign is of harm. The caller holds mu.
func (r *Run) halt(sign *Sign) {
	r.record.Stop = sign
	_ = r.save()
	r.tell("STOP (%s): %s", sign.Name, sign.Message)
	if sign.Harm && r.stop != nil {
		r.stop()
	}
}

// admit lets a cluster begin, or says why not. The sign is that of the run; the error is of looking, or of the record,
// without which nothing is begun.
func (r *Run) admit(ctx context.Context, own *ClusterTimes) (*Sign, error) {
	r.asking.Lock()
	defer r.asking.Unlock()
	r.mu.Lock()
	stop, begun := r.record.Stop, own.State != Waiting
	r.mu.Unlock()
	if stop != nil || begun {
		return stop, nil
	}
	s, err := look(ctx, r.client)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.take(s)
	if r.record.Stop != nil {
		return r.record.Stop, nil
	}
	need, reserved, count := r.reckon(s)
	if sign := room(s, r.record.Baseline, r.opt.Limits, need, reserved, count, r.balanced); sign != nil {
		r.halt(sign)
		return sign, nil
	}
	now := time.Now().UTC()
	own.State, own.Begun = Begun, &now
	if err := r.save(); err != nil {
		own.State, own.Begun = Waiting, nil
		return nil, &unsavedError{err}
	}
	return nil, nil
}

// reckon is what the next cluster needs, what those that have been begun will still take, and how many these are. What
// a cluster needs is the most that one of the run that is complete requests, once there is one; else what the sizing
// guidance says.
func (r *Run) reckon(s *Sample) (need Need, reserved prereqs.Resources, begun int64) {
	need = r.need
	if r.record.Plan.Wait == "complete" || r.record.Plan.Wait == "nodes" {
		var most prereqs.Resources
		for _, c := range r.record.Clusters {
			if c.State == Complete {
				most = most.Most(s.Namespaces[r.record.planeOf(c)])
			}
		}
		if most.Pods > 0 {
			need = Need{Plane: prereqs.Resources{}.Most(most.Minus(r.need.Machines)), Machines: r.need.Machines,
				Copies: r.need.Copies, Measured: true}
		}
	}
	for _, c := range r.record.Clusters {
		if c.State == Waiting || c.Deletion != nil && c.Deletion.Gone {
			continue
		}
		begun++
		reserved = reserved.Plus(prereqs.Resources{}.Most(need.all().Minus(s.Namespaces[r.record.planeOf(c)])))
	}
	return need, reserved, begun
}

// unsavedError means that the record cannot be written.
type unsavedError struct{ err error }

func (e *unsavedError) Error() string {
	return "nothing is begun that could not be remembered: " + e.err.Error()
}
func (e *unsavedError) Unwrap() error { return e.err }
