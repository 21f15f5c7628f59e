package kubetest

import (
	"context"
	"net/http"
	"strings"
	"sync"
)

// Process is a simulated run of a program. It is killed after a number of writes, before it gets the answer to the last
// one.
type Process struct {
	kill   context.CancelFunc
	mu     sync.Mutex
	writes int
	after  int
}

// NewProcess starts a process that is killed after so many writes; zero means never. The kill cancels the returned
// context.
func NewProcess(ctx context.Context, after int) (context.Context, *Process) {
	ctx, kill := context.WithCancel(ctx)
	return ctx, &Process{after: after, kill: kill}
}

// Kill ends the process.
func (p *Process) Kill() { p.kill() }

// Writes returns the number of writes so far.
func (p *Process) Writes() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.writes
}

// Through returns a handler that passes the requests of the process on and counts its writes.
func (p *Process) Through(to http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reads := r.Method == http.MethodGet || strings.HasSuffix(r.URL.Path, "selfsubjectaccessreviews") ||
			r.URL.Query().Get("dryRun") != ""
		if !reads {
			p.mu.Lock()
			dead := p.after > 0 && p.writes >= p.after
			if !dead {
				p.writes++
			}
			last := p.writes == p.after
			p.mu.Unlock()
			if dead { // a write of another goroutine of the killed process
				Refuse(w, http.StatusForbidden, "Forbidden")
				return
			}
			if last {
				defer p.kill()
			}
		}
		to.ServeHTTP(w, r)
	})
}
