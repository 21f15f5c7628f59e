package reconciler

import (
	"strings"
	"sync"
	"time"

	"github.com/hcctl/hcctl/sandbox/operator"
)

// Stages makes stages take their time. It remembers when each stage was first asked for; after a restart of the
// operator the stages under way start over, which costs time and nothing else.
type Stages struct {
	pace operator.Pace
	now  func() time.Time

	mu    sync.Mutex
	since map[string]time.Time
}

// NewStages scales every stage by pace.
func NewStages(pace operator.Pace) *Stages {
	return &Stages{pace: pace, now: time.Now, since: map[string]time.Time{}}
}

// Left says how long the stage called key still takes, of d at speed 1, counted from the first time it was asked for.
// 0 means it is over.
func (p *Stages) Left(key string, d time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	start, ok := p.since[key]
	if !ok {
		start = now
		p.since[key] = now
	}
	return max(0, p.pace.Scale(d)-now.Sub(start))
}

// Restart makes the stage called key begin anew the next time it is asked for.
func (p *Stages) Restart(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.since, key)
}

// Forget drops every stage whose key begins with prefix.
func (p *Stages) Forget(prefix string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key := range p.since {
		if strings.HasPrefix(key, prefix) {
			delete(p.since, key)
		}
	}
}
