package hypershift

import (
	"strings"
	"sync"
	"time"

	"github.com/hcctl/hcctl/sandbox/operator"
)

// pacer makes stages take their time. It remembers when each stage was first asked for; after a restart of the operator
// the stages under way start over, which costs time and nothing else.
type pacer struct {
	pace operator.Pace
	now  func() time.Time

	mu    sync.Mutex
	since map[string]time.Time
}

func newPacer(pace operator.Pace) *pacer {
	return &pacer{pace: pace, now: time.Now, since: map[string]time.Time{}}
}

// left says how long the stage called key still takes, of d at speed 1, counted from the first time it was asked for.
// 0 means it is over.
func (p *pacer) left(key string, d time.Duration) time.Duration {
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

// restart makes the stage called key begin anew the next time it is asked for.
func (p *pacer) restart(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.since, key)
}

// forget drops every stage whose key begins with prefix.
func (p *pacer) forget(prefix string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key := range p.since {
		if strings.HasPrefix(key, prefix) {
			delete(p.since, key)
		}
	}
}
