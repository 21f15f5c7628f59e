package step

import (
	"context"
	"time"
)

// Reads is how a Check reads the clusters: live, every object once per run, or from a watch. The engine chooses it, and
// package kube makes readers of it. Nil means live.
type Reads interface {
	// String is "cached", "watched" or "polled".
	String() string
}

// Watch wakes a step when an object that its Check has read with it changes.
type Watch interface {
	Reads
	// Changed receives after a recorded object has changed. Several changes in short order may come as one.
	Changed() <-chan struct{}
	// Close forgets the recorded objects.
	Close()
}

// Options control a Check or Run of a Graph. The zero value works: no observer, no time limit, polling once a second.
type Options struct {
	// Observe gets every change of state, one call at a time. It must not block for long.
	Observe func(Event)
	// Timeout bounds the whole run. Zero means no bound.
	Timeout time.Duration
	// Watch makes a Watch for one step while it waits. Nil means polling every PollInterval.
	Watch func() Watch
	// ReadCache returns the Reads of the first Check of a step, which runs under this context. Nil means live.
	ReadCache func(context.Context) Reads
	// BeforeWrite is called before each write, so that ReadCache stops serving what was read before it. Nil is allowed.
	BeforeWrite func()
	// PollInterval applies only without Watch. Zero means one second.
	PollInterval time.Duration
	// Transient reports which errors of Apply go away by themselves; they are retried within the step's time. Nil means
	// none.
	Transient func(error) bool
	// IsOutage reports which transient errors set Finding.Outage. Nil means none.
	IsOutage func(error) bool
	// Explain turns a retried error into a sentence for a user. Nil means the error's text.
	Explain func(error) string
	// Skip lists steps that are not run: they end OutcomeDone with StateSkipped.
	Skip map[ID]bool
	// Timeouts override the Timeout of single steps.
	Timeouts map[ID]time.Duration
	// TroubleTimeout is how long a step waits while its Finding has Trouble and does not change; then it ends
	// OutcomeBroken. Zero means until the step's timeout.
	TroubleTimeout time.Duration
	// Ahead makes Plan call all Checks in parallel before it begins, so that a client that reads once has what they read.
	// Each Check must be harmless before its needs hold.
	Ahead bool
	// Parallel is the maximum number of steps in progress, waiting ones included. Zero means no limit.
	Parallel int
	// Subjects is the maximum number of subjects in progress, in the order of the graph; zero means no limit. A step must
	// not need a step of a later subject.
	Subjects int
	// SubjectTimeout bounds all steps of one subject together, from the time it begins. Zero means no bound.
	SubjectTimeout time.Duration
}

// timeout returns the step's own bound, zero for none.
func (o Options) timeout(s *Step) time.Duration {
	if t, ok := o.Timeouts[s.ID]; ok {
		return t
	}
	return s.Timeout
}

func (o Options) explain(err error) string {
	if o.Explain != nil {
		return o.Explain(err)
	}
	return err.Error()
}

func (o Options) readCache(ctx context.Context) Reads {
	if o.ReadCache == nil {
		return nil
	}
	return o.ReadCache(ctx)
}

func (o Options) transient(err error) bool { return o.Transient != nil && o.Transient(err) }

func (o Options) isOutage(err error) bool { return o.IsOutage != nil && o.IsOutage(err) }

func (o Options) watch() Watch {
	if o.Watch != nil {
		return o.Watch()
	}
	interval := o.PollInterval
	if interval <= 0 {
		interval = time.Second
	}
	return newPollWatch(interval)
}

// pollWatch is the Watch that wakes at a fixed interval, for runs without Options.Watch.
type pollWatch struct {
	changed chan struct{}
	stop    chan struct{}
}

func newPollWatch(interval time.Duration) *pollWatch {
	t := &pollWatch{changed: make(chan struct{}, 1), stop: make(chan struct{})}
	go func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				select {
				case t.changed <- struct{}{}:
				default:
				}
			case <-t.stop:
				return
			}
		}
	}()
	return t
}

func (*pollWatch) String() string             { return "polled" }
func (t *pollWatch) Changed() <-chan struct{} { return t.changed }
func (t *pollWatch) Close()                   { close(t.stop) }
