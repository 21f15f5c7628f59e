package cmdutil

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
)

// limitsCommand is the annotation of a --timeout that bounds everything that a command does.
const limitsCommand = "hcctl.dev/limits-command"

// TimeoutFlag adds --timeout. It bounds everything that the command does after its flags are parsed, except the
// time in which the user answers a question.
func TimeoutFlag(flags *pflag.FlagSet, timeout *time.Duration, value time.Duration, usage string) {
	flags.DurationVar(timeout, "timeout", value, usage)
	_ = flags.SetAnnotation("timeout", limitsCommand, nil)
}

// Limit is the --timeout of a command. A run gets the remaining time as its own limit, so that its report names
// what was missing.
type Limit struct {
	// waitedFor returns what requests are sent to, for the error of a timeout.
	waitedFor func() string

	mu      sync.Mutex
	ctx     *limitedContext
	timeout time.Duration
	timer   *time.Timer
	until   time.Time
	// left is the remaining time while the timer is stopped.
	left time.Duration
}

// limitedContext ends with its parent or with the limit. It has no deadline of its own, because the limit moves
// while the clock is stopped.
type limitedContext struct {
	context.Context //nolint:containedctx // the parent
	ended           chan struct{}
	once            sync.Once
	err             error
}

func (c *limitedContext) Done() <-chan struct{} { return c.ended }

func (c *limitedContext) Err() error {
	select {
	case <-c.ended:
		return c.err
	default:
		return nil
	}
}

func (c *limitedContext) end(err error) {
	c.once.Do(func() {
		c.err = err
		close(c.ended)
	})
}

// OfCommand returns a context for the --timeout of a command, as Within does. Without such a flag it returns
// ctx.
func (l *Limit) OfCommand(ctx context.Context, cmd *cobra.Command) context.Context {
	flag := cmd.Flags().Lookup("timeout")
	if flag == nil {
		return ctx
	}
	_, limits := flag.Annotations[limitsCommand]
	timeout, err := time.ParseDuration(flag.Value.String())
	if !limits || err != nil || timeout <= 0 { // the command refuses such a value
		return ctx
	}
	return l.Within(ctx, timeout)
}

// Within returns a context that ends after this time. A command has one limit.
func (l *Limit) Within(ctx context.Context, timeout time.Duration) context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	limited := &limitedContext{Context: ctx, ended: make(chan struct{})}
	context.AfterFunc(ctx, func() { limited.end(ctx.Err()) })
	l.ctx, l.timeout, l.left = limited, timeout, timeout
	l.start()
	return limited
}

func (l *Limit) start() {
	l.until = time.Now().Add(l.left)
	l.timer = time.AfterFunc(l.left, func() { l.ctx.end(context.DeadlineExceeded) })
}

// Pause stops the clock until resume is called, and returns the remaining time; 0 means that there is no limit.
func (l *Limit) Pause() (left time.Duration, resume func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer == nil {
		return 0, func() {}
	}
	l.timer.Stop()
	l.timer, l.left = nil, max(time.Until(l.until), time.Nanosecond)
	return l.left, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.start()
	}
}

// HandOver ends the limit, and returns the remaining time for the run of the command, at most the run's own
// timeout. Without a limit it returns the run's own timeout.
func (l *Limit) HandOver(own time.Duration) time.Duration {
	left, _ := l.Pause()
	if left == 0 || own > 0 && own < left {
		return own
	}
	return left
}

// Explain replaces the error of a command that reached its limit by one that names the limit and what the
// command waited for.
func (l *Limit) Explain(err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil || l.ctx == nil || !errors.Is(l.ctx.Err(), context.DeadlineExceeded) || errors.Is(err, ErrFindings) {
		return err
	}
	next := hint.New("run the same command again once it answers, or with more time: --timeout")
	if own := failure.Hint(err); !own.IsZero() {
		next = own
	}
	return WithExit(ExitTimedOut, WithHint(fmt.Errorf("timed out after %s (--timeout): waited for %s", l.timeout,
		l.waitedFor()), "%s", next))
}
