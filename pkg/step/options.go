package step

import (
	"context"
	"time"
)

// Watch lets a step sleep until something its Check looked at has changed.
type Watch interface {
	// Context returns a context under which reads are remembered.
	Context(ctx context.Context) context.Context
	// Changed receives after any remembered object changed; changes that come close together may be told once.
	Changed() <-chan struct{}
	// Close forgets what was remembered.
	Close()
}

// Options shape a Check or Run of a Graph. The zero value works: no observer, no time limit, polling once a second.
type Options struct {
	// Observe is told every change of state, one call at a time. It must not block for long.
	Observe func(Event)
	// Timeout bounds the whole run. Zero means no bound.
	Timeout time.Duration
	// Watch makes a Watch for one step's waiting. Nil means asking again every PollInterval.
	Watch func() Watch
	// ReadCache makes a context for looking a single time, under which nothing need be read twice. Nil means none is
	// needed.
	ReadCache func(context.Context) context.Context
	// BeforeWrite is told before each write, so that what Once has read before is not taken for what is there after it.
	// Nil means nobody wants to know.
	BeforeWrite func()
	// PollInterval is used without Watch only; zero means one second.
	PollInterval time.Duration
	// Transient tells which errors of Apply heal by themselves and are retried within the step's time. Nil means none do.
	Transient func(error) bool
	// IsOutage tells which of those are marked as a Finding is with Elsewhere. Nil means none are.
	IsOutage func(error) bool
	// Explain turns an error that is being retried into a calm sentence. Nil means its text.
	Explain func(error) string
	// Skip are steps that are not run: they end Done with state Skipped.
	Skip map[ID]bool
	// Timeouts override the Timeout of single steps.
	Timeouts map[ID]time.Duration
	// TroubleTimeout is how long a step waits on a Finding with Trouble that stays the same; then it ends Hopeless. Zero
	// means until its time is up.
	TroubleTimeout time.Duration
	// Parallel is how many steps may be under way at once, those that only wait included. Zero means no limit.
	Parallel int
	// Subjects is how many of the steps' subjects may be under way at once, in the order of the graph; zero means no
	// limit. A step must then need none of a subject that stands after its own.
	Subjects int
	// SubjectTimeout bounds the steps of each subject together, from its begin. Zero means no bound.
	SubjectTimeout time.Duration
}

// timeout is the step's own bound, zero for none.
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

func (o Options) readCache(ctx context.Context) context.Context {
	if o.ReadCache == nil {
		return ctx
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

// pollWatch is the Watch of those who have none: it wakes at an interval.
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

func (t *pollWatch) Context(ctx context.Context) context.Context { return ctx }
func (t *pollWatch) Changed() <-chan struct{}                    { return t.changed }
func (t *pollWatch) Close()                                      { close(t.stop) }
