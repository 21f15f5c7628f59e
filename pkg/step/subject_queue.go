package step

import (
	"context"
	"sync"
	"time"
)

// subjectQueue limits the number of subjects in progress. Subjects start in the order of the graph, each when an
// earlier one has ended.
type subjectQueue struct {
	ctx   context.Context //nolint:containedctx // the parent of each subject's context
	limit time.Duration

	mu        sync.Mutex
	waiting   []*slot
	bySubject map[string]*slot
}

// slot is the place of one subject in the queue.
type slot struct {
	// begun is closed when the subject's steps may start. ctx and cancel are set before.
	begun  chan struct{}
	ctx    context.Context //nolint:containedctx // the context of one subject's steps
	cancel context.CancelFunc
	// left is the number of steps that have not ended.
	left int
}

// newSubjectQueue starts the first n subjects, or all if n is zero. limit is the maximum time of each subject; zero
// means no limit.
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

// next starts the next subject, if any. The caller holds mu, or is the constructor.
func (t *subjectQueue) next() {
	if len(t.waiting) == 0 {
		return
	}
	next := t.waiting[0]
	t.waiting = t.waiting[1:]
	next.ctx, next.cancel = t.ctx, func() {}
	if t.limit > 0 {
		next.ctx, next.cancel = context.WithTimeout(t.ctx, t.limit)
	}
	close(next.begun)
}

// acquire waits until the subject of the step may start, and returns the subject's context.
func (t *subjectQueue) acquire(s *Step) context.Context {
	entry := t.bySubject[s.Subject]
	if entry == nil {
		return t.ctx
	}
	<-entry.begun
	return entry.ctx
}

// release records the end of a step.
func (t *subjectQueue) release(s *Step) {
	entry := t.bySubject[s.Subject]
	if entry == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if entry.left--; entry.left == 0 {
		entry.cancel()
		t.next()
	}
}
