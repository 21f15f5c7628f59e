package step

import (
	"context"
	"time"
)

// Reads is the way a Check reads the clusters: live, every object once per run, or from a watch. The engine chooses it,
// and package kube creates readers for it. Nil means live.
type Reads interface {
	// String is "cached", "watched" or "polled".
	String() string
}

// Watch wakes a step when an object that its Check has read changes.
type Watch interface {
	Reads
	// Changed receives after a recorded object has changed. Several changes within a short time may be received as one.
	Changed() <-chan struct{}
	// Close removes the subscriptions to the recorded objects.
	Close()
}

// Options control a Check or Run of a Graph. The zero value works: no observer, no time limit, polling once a second.
type Options struct {
	// Observe gets every change of state, one call at a time. It must not block for long.
	Observe func(Event)
	// Timeout limits the whole run. Zero means no limit.
	Timeout time.Duration
	// Watch creates a Watch for one step while it waits. Nil means polling every PollInterval.
	Watch func() Watch
	// ReadCache returns the Reads for the first Check of a step, which runs with this context. Nil means live.
	ReadCache func(context.Context) Reads
	// BeforeWrite is called before each write, so that ReadCache no longer serves older reads. It may be nil.
	BeforeWrite func()
	// PollInterval is the polling interval without Watch. Zero means one second.
	PollInterval time.Duration
	// Transient reports whether an error of Apply is temporary; Apply is then retried within the step's timeout. Nil means
	// no error is.
	Transient func(error) bool
	// IsOutage reports whether a transient error sets Finding.Outage. Nil means no error does.
	IsOutage func(error) bool
	// Explain returns a retried error as a sentence for the user. Nil means the error's text.
	Explain func(error) string
	// Skip has the steps that are not run: they end OutcomeDone with StateSkipped.
	Skip map[ID]bool
	// Timeouts override the Timeout of single steps.
	Timeouts map[ID]time.Duration
	// TroubleTimeout is the maximum time that a step waits while its Finding has Trouble and does not change; then it ends
	// OutcomeBroken. Zero means until the step's timeout.
	TroubleTimeout time.Duration
	// Ahead makes Plan call all Checks in parallel first, so that a caching client already has the objects that they read.
	// Each Check must then be safe to call before its needs hold.
	Ahead bool
	// Parallel is the maximum number of steps in progress, waiting ones included. Zero means no limit.
	Parallel int
	// Subjects is the maximum number of subjects in progress, in the order of the graph; zero means no limit. No step may
	// need a step of a later subject.
	Subjects int
	// SubjectTimeout limits the time of all steps of one subject together, from the subject's start. Zero means no limit.
	SubjectTimeout time.Duration
}

// timeout returns the timeout of the step, zero for none.
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

// pollWatch is a Watch that wakes at a fixed interval, for runs without Options.Watch.
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
