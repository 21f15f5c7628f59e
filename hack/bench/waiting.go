package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/hcctl/hcctl/hack/internal/measuring"
	"github.com/hcctl/hcctl/internal/audit"
)

// quiet is the time without requests after which hcctl counts as waiting. settleLimit is the time limit for that.
const (
	quiet       = 3 * time.Second
	settleLimit = time.Minute
)

// interrupted is the exit code after SIGINT.
const interrupted = 130

// waitingWhole is the period to which the target applies.
const waitingWhole = 20 * time.Minute

// renewal is when hcctl restarts a silent watch (docs/dev/architecture.md). An API server lets a watch last for at
// least 30 minutes (--min-request-timeout).
const renewal = 15 * time.Minute

// requestsWhileWaiting counts the requests while nothing happens. A window shorter than twenty minutes is extrapolated.
func (b *bench) requestsWhileWaiting(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := b.frozenCluster(ctx)
	if err != nil {
		return err
	}
	if err := w.rollout(ctx, "Partial"); err != nil {
		return err
	}
	p, err := b.begin(ctx, w, append(waitReaction(), "--timeout", "1h"))
	if err != nil {
		return err
	}
	first, err := w.counter()
	if err != nil {
		return err
	}
	if err := p.waits(ctx); err != nil {
		return err
	}
	begun, err := settled(ctx, first)
	if err != nil {
		return err
	}
	select {
	case <-time.After(b.waiting):
	case err := <-p.ended:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
	steady, err := first.Requests(ctx, own)
	if err != nil {
		return err
	}
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	select {
	case err := <-p.ended:
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != interrupted {
			return fmt.Errorf("hcctl was interrupted, and ended with %v", err) //nolint:errorlint // it may be none
		}
	case <-ctx.Done():
		return ctx.Err()
	}
	for _, of := range []struct {
		id, title string
		requests  []audit.Request
	}{
		{"waiting.first.kinds", "What is asked until it waits: hcctl wait cluster", begun},
		{"waiting.window.kinds", "What is asked while it waits: hcctl wait cluster", steady},
	} {
		b.series = append(b.series, series{ID: of.id, Group: "waiting", Title: of.title, Kind: "bars", Unit: "requests",
			Points: byKind(of.requests)})
	}
	b.record("waiting.first", float64(len(begun)))
	b.record("waiting.window", float64(len(steady)))
	b.record("waiting.rate", extrapolated(begun, steady, b.waiting)/waitingWhole.Minutes())
	return nil
}

// settled returns the requests until a pause of quiet. They belong to the start and must not be extrapolated.
func settled(ctx context.Context, c *measuring.Counter) ([]audit.Request, error) {
	ctx, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	var all []audit.Request
	for {
		more, err := c.Requests(ctx, own)
		all = append(all, more...)
		if err != nil {
			return nil, err
		}
		if len(all) > 0 && len(more) == 0 {
			return all, nil
		}
		select {
		case <-time.After(quiet):
		case <-ctx.Done():
			return nil, fmt.Errorf("hcctl asks and asks: %d requests in %s, and never none for %s", len(all), settleLimit, quiet)
		}
	}
}

// extrapolated returns the requests of a window for twenty minutes of waiting: repeated ones in proportion, and each
// watch once for each of its lifetimes.
func extrapolated(begun, steady []audit.Request, window time.Duration) float64 {
	if window >= waitingWhole {
		return float64(len(steady)) * waitingWhole.Minutes() / window.Minutes()
	}
	total := float64(len(steady)) * waitingWhole.Minutes() / window.Minutes()
	for _, r := range begun {
		if life := lifetime(r); life > window && life < waitingWhole {
			total += waitingWhole.Minutes() / life.Minutes()
		}
	}
	return total
}

// lifetime returns how long a watch lasts by its own timeout, or until its renewal; 0 for other requests.
func lifetime(r audit.Request) time.Duration {
	u, err := url.Parse(r.URI)
	if r.Verb != "watch" || err != nil {
		return 0
	}
	if seconds, err := strconv.Atoi(u.Query().Get("timeoutSeconds")); err == nil {
		return time.Duration(seconds) * time.Second
	}
	return renewal
}
