package density

import (
	"context"
	"time"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/capacity"
)

// monitor samples the management cluster until ctx ends or done is called. If a stop rule finds harm, it cancels the
// returned context.
func (r *Run) monitor(ctx context.Context) (guarded context.Context, done func()) {
	guarded, cancel := context.WithCancel(ctx)
	r.mu.Lock()
	r.stop = cancel
	r.mu.Unlock()
	ended := make(chan struct{})
	sampleCtx, stopSampling := context.WithCancel(ctx)
	go func() {
		defer close(ended)
		tick := time.NewTicker(r.opt.Limits.Interval)
		defer tick.Stop()
		for {
			select {
			case <-sampleCtx.Done():
				return
			case <-tick.C:
				r.sampleNow(sampleCtx)
			}
		}
	}()
	return guarded, func() {
		stopSampling()
		<-ended
		cancel()
	}
}

// sampleNow takes one sample and applies the stop rules. If sampling fails, it still applies the rule about API errors.
func (r *Run) sampleNow(ctx context.Context) {
	s, err := takeSample(ctx, r.client)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		if ctx.Err() == nil {
			s = &Sample{At: time.Now().UTC()}
			r.applyStopRules(s)
		}
		return
	}
	r.addSample(s)
}

// addSample records a sample and applies the stop rules. The caller holds mu.
func (r *Run) addSample(s *Sample) {
	r.last = s
	r.record.addSample(s)
	r.applyStopRules(s)
}

// applyStopRules stops the run if a rule finds harm. During deletion it does nothing, because only the deletion helps;
// the caller holds mu.
func (r *Run) applyStopRules(s *Sample) {
	if r.record.Stop != nil || r.record.Phase != Creating {
		return
	}
	if sign := evaluate(s, r.record.Baseline, r.opt.Limits, r.meter.Errors(errorWindow)); sign != nil {
		r.stopWith(sign)
	}
}

// stopWith stops the run: no further cluster begins, and those in progress are cancelled if the reason is harm.
// The caller holds mu.
func (r *Run) stopWith(sign *StopReason) {
	r.record.Stop = sign
	_ = r.save()
	r.notify("STOP (%s): %s", sign.Name, sign.Message)
	if sign.Harm && r.stop != nil {
		r.stop()
	}
}

// begin starts a cluster, or returns why the run stops. It returns an error if the sample or the record fails,
// because a cluster without a record would be lost.
func (r *Run) begin(ctx context.Context, reader kube.Reader, own *ClusterTimes) (*StopReason, error) {
	r.beginMu.Lock()
	defer r.beginMu.Unlock()
	r.mu.Lock()
	stop, begun := r.record.Stop, own.State != Waiting
	r.mu.Unlock()
	if stop != nil || begun {
		return stop, nil
	}
	s, err := takeSample(ctx, reader)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.addSample(s)
	if r.record.Stop != nil {
		return r.record.Stop, nil
	}
	need, reserved, count := r.estimateNeed(s)
	if sign := checkRoom(s, r.record.Baseline, r.opt.Limits, need, reserved, count, r.needsAddress); sign != nil {
		r.stopWith(sign)
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

// estimateNeed returns what the next cluster needs, what begun clusters will still request, and their number.
// The need is the maximum measured on this run's complete clusters, or else comes from the sizing guidance.
func (r *Run) estimateNeed(s *Sample) (need Need, reserved capacity.Resources, begun int64) {
	need = r.need
	if r.record.Plan.Wait == "complete" || r.record.Plan.Wait == "nodes" {
		var highest capacity.Resources
		for _, c := range r.record.Clusters {
			if c.State == Complete {
				highest = highest.Most(s.Namespaces[r.record.controlPlaneOf(c)])
			}
		}
		if highest.Pods > 0 {
			need = Need{ControlPlane: capacity.Resources{}.Most(highest.Minus(r.need.Machines)), Machines: r.need.Machines,
				Copies: r.need.Copies, Measured: true}
		}
	}
	for _, c := range r.record.Clusters {
		if c.State == Waiting || c.Deletion != nil && c.Deletion.Gone {
			continue
		}
		begun++
		reserved = reserved.Plus(capacity.Resources{}.Most(need.all().Minus(s.Namespaces[r.record.controlPlaneOf(c)])))
	}
	return need, reserved, begun
}

// unsavedError means that the record cannot be written.
type unsavedError struct{ err error }

func (e *unsavedError) Error() string {
	return "nothing is started that cannot be recorded: " + e.err.Error()
}
func (e *unsavedError) Unwrap() error { return e.err }
