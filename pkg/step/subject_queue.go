package step

import (
	"context"
	"sync"
	"time"
)

// subjectQueue limits how many subjects are in progress. Subjects begin in the order of the graph, each when an earlier
// one has ended.
type subjectQueue struct {
	ctx   context.Context //nolint:containedctx // each subject's own is made from it when its turn comes
	limit time.Duration

	mu        sync.Mutex
	waiting   []*slot
	bySubject map[string]*slot
}

// slot is the place of one subject in the queue.
type slot struct {
	// begun is closed when the subject's steps may begin. ctx and cancel are set by then.
	begun  chan struct{}
	ctx    context.Context //nolint:containedctx // it is of this one subject, and ends with it
	cancel context.CancelFunc
	// left is the number of steps that have not ended.
	left int
}

// newSubjectQueue starts the first n subjects, or all if n is zero. limit bounds the time of each subject; zero means
// no limit.
func newSubjectQueue(ctx context.Context, n int, limit time.Duration, steps []Step) *subjectQueue {
	t := &subjectQueue{ctx: ctx, limit: limit, bySubject: map[string]*slot{}}
	for i := range steps {
		subject := steps[i].Subject
		if subject == "" {
			continue
		}
		if t.bySubject[subject] == nil {
			t.bySubject[subject] = &slot{begun: make(chan struct{})}
			t.waiting = append(t.waiting, t.bySubject[subject])
		}
		t.bySubject[subject].left++
	}
	if n <= 0 {
		n = len(t.waiting)
	}
	for range n {
		t.next()
	}
	return t
}

// next starts the next subject, if there is one. The caller holds mu, or is the constructor.
func (t *subjectQueue) next() {
	if len(t.waiting) == 0 {
		return
	}
	begins := t.waiting[0]
	t.waiting = t.waiting[1:]
	begins.ctx, begins.cancel = t.ctx, func() {}
	if t.limit > 0 {
		begins.ctx, begins.cancel = context.WithTimeout(t.ctx, t.limit)
	}
	close(begins.begun)
}

// acquire waits until the subject of the step may begin, and returns the context that bounds it.
func (t *subjectQueue) acquire(s *Step) context.Context {
	own := t.bySubject[s.Subject]
	if own == nil {
		return t.ctx
	}
	<-own.begun
	return own.ctx
}

// release says that a step has ended.
func (t *subjectQueue) release(s *Step) {
	own := t.bySubject[s.Subject]
	if own == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if own.left--; own.left == 0 {
		own.cancel()
		t.next()
	}
}
