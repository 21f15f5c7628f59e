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

	"github.com/hcctl/hcctl/internal/audit"
)

// quiet is how long there are no requests once hcctl has begun to wait; one that has not come to that after settleLimit
// never does.
const (
	quiet       = 3 * time.Second
	settleLimit = time.Minute
)

// interrupted is the exit code after SIGINT.
const interrupted = 130

// waitingWhole is the time that the target is about.
const waitingWhole = 20 * time.Minute

// renewal is when hcctl begins a watch anew that has told nothing (docs/architecture.md); an API server lets it last
// for 30 minutes at least (--min-request-timeout).
const renewal = 15 * time.Minute

// requestsWhileWaiting counts what hcctl asks while nothing happens: in a window, which is reckoned up to twenty
// minutes if it is shorter.
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
	begun, err := first.settled(ctx)
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
	steady, err := first.requests(ctx)
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
	b.record("waiting.rate", reckoned(begun, steady, b.waiting)/waitingWhole.Minutes())
	return nil
}

// settled returns the requests until none came for a while: what hcctl asks when it begins to wait belongs to its
// beginning, and must not be reckoned up.
func (c *counter) settled(ctx context.Context) ([]audit.Request, error) {
	ctx, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	var all []audit.Request
	for {
		more, err := c.requests(ctx)
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

// reckoned is how many requests twenty minutes of waiting come to, when the window had these: what was asked in it
// again and again as often as fits, and each watch that ends later than the window, and within the twenty minutes, once
// for each of its lives.
func reckoned(begun, steady []audit.Request, window time.Duration) float64 {
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

// lifetime is how long a watch lasts by its own word, or else until it is renewed; 0 if it is none.
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
