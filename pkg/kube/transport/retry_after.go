package transport

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// backoffKey is the context key of the caller's *Backoff, which receives the Retry-After.
type backoffKey struct{}

// WithBackoff marks requests that the caller retries itself with this Backoff.
func WithBackoff(ctx context.Context, backoff *Backoff) context.Context {
	return context.WithValue(ctx, backoffKey{}, backoff)
}

func backoffOf(r *http.Request) *Backoff {
	backoff, _ := r.Context().Value(backoffKey{}).(*Backoff)
	return backoff
}

// handleRetryAfter passes the Retry-After to callers with their own Backoff. For all others client-go waits up to ten
// times; a long wait is reported once.
func (p *Retry) handleRetryAfter(r *http.Request, resp *http.Response) {
	wait := retryAfter(resp)
	if wait > maxRetryAfter {
		// client-go would wait for any time that a server sends.
		wait = 0
		resp.Header.Del("Retry-After")
	}
	if backoff := backoffOf(r); backoff != nil {
		backoff.retryAfter = wait
		resp.Header.Del("Retry-After")
		return
	}
	if wait == 0 {
		p.slowSince.Store(nil)
		return
	}
	now := time.Now()
	p.slowSince.CompareAndSwap(nil, &slowPeriod{since: now})
	if s := p.slowSince.Load(); s != nil && now.Sub(s.since)+wait >= outageGrace && p.outage.away != nil &&
		!s.reported.Swap(true) && p.shouldReportSlow(now) {
		p.outage.away(apierrors.NewTooManyRequests("", int(wait.Seconds())))
	}
}

// shouldReportSlow reports whether the last report of a slow server is more than calmPeriod ago. A server that has just
// started throttles only some requests.
func (p *Retry) shouldReportSlow(now time.Time) bool {
	last := p.slowReported.Swap(&now)
	return last == nil || now.Sub(*last) > calmPeriod
}

// slowPeriod is a period in which the server only throttles.
type slowPeriod struct {
	since    time.Time
	reported atomic.Bool
}
