package cmdutil

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/hostedcluster/deletion"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// gracePeriod is the time in which a command may end after the first signal. Then the process exits, whatever
// blocks it, such as a pipe without a reader or a credential plugin.
const gracePeriod = 5 * time.Second

// signals handles SIGINT and SIGTERM. One goroutine owns its fields.
type signals struct {
	sent  chan os.Signal
	calls chan func()
	exit  func(code int)
	end   context.CancelFunc
	// seen counts the signals. handedOver is set while a child process gets them. busy counts the interrupted
	// commands that still write their results.
	seen       int
	handedOver bool
	busy       int
	graceEnds  <-chan time.Time
}

// signalsKey is the context key of signals.
type signalsKey struct{}

// Signals returns a context that the first SIGINT or SIGTERM ends. The second one exits with 130 at once, and so does
// the first if the command does not end within five seconds.
func Signals(parent context.Context, exit func(code int)) context.Context {
	ctx, end := context.WithCancel(parent)
	s := &signals{sent: make(chan os.Signal, 16), calls: make(chan func()), end: end,
		exit: func(code int) { report.ShowTyped(); exit(code) }}
	signal.Notify(s.sent, os.Interrupt, syscall.SIGTERM)
	go s.listen()
	return context.WithValue(ctx, signalsKey{}, s)
}

func (s *signals) listen() {
	for {
		select {
		case <-s.sent:
			s.handle()
		case <-s.graceEnds:
			if s.busy == 0 && !s.handedOver {
				s.exit(ExitInterrupted)
			}
			s.graceEnds = time.After(gracePeriod)
		case call := <-s.calls:
			call()
		}
	}
}

// handle handles one signal.
func (s *signals) handle() {
	if s.handedOver {
		return
	}
	if s.seen++; s.seen > 1 {
		s.exit(ExitInterrupted)
	}
	s.end()
	s.graceEnds = time.After(gracePeriod)
}

// drain handles the signals that have arrived already.
func (s *signals) drain() {
	for {
		select {
		case <-s.sent:
			s.handle()
		default:
			return
		}
	}
}

// do calls f in the goroutine that owns s.
func (s *signals) do(f func()) {
	done := make(chan struct{})
	s.calls <- func() { f(); close(done) }
	<-done
}

// TakeSignals leaves signals to the caller, which must already listen for them, until back is called. ok is
// false if a signal has arrived before.
func TakeSignals(ctx context.Context) (back func(), ok bool) {
	s, found := ctx.Value(signalsKey{}).(*signals)
	if !found {
		return func() {}, ctx.Err() == nil
	}
	s.do(func() {
		s.drain()
		ok = s.seen == 0
		s.handedOver = ok
	})
	return func() { s.do(func() { s.drain(); s.handedOver = false }) }, ok
}

// Finishing keeps the first signal from ending the process while results are written. A second signal still ends
// it.
func Finishing(ctx context.Context) (done func()) {
	s, found := ctx.Value(signalsKey{}).(*signals)
	if !found {
		return func() {}
	}
	s.do(func() { s.busy++ })
	return func() { s.do(func() { s.busy-- }) }
}

// inventoryTimeout bounds how long an interrupted command reads what exists now: the prompt has to return within
// two seconds, whatever the API server does.
const inventoryTimeout = time.Second

// interruptedError is an error with what exists after the interruption.
type interruptedError struct {
	error
	exists hint.Text
}

func (e *interruptedError) Unwrap() error { return e.error }

// Interrupted returns the error of an interrupted command with what exists now, as a sentence without its full
// stop. If exists is empty, the changes of the run are shown instead.
func Interrupted(err error, exists hint.Text) error { return &interruptedError{err, exists} }

// WasInterrupted reports whether Ctrl-C or SIGTERM ended the command.
func WasInterrupted(err error) bool {
	if run, ok := step.AsRunError(err); ok {
		return run.Worst() == step.OutcomeInterrupted
	}
	return errors.Is(err, context.Canceled) && ExitCode(err) == ExitInterrupted
}

// printInterrupted prints at most three lines: what was interrupted, what exists now, and the command that
// continues.
func (a *Factory) printInterrupted(err error) {
	i := report.Interruption{Run: a.Runner.interrupted, Again: sameCommand(a.Call.Args), Noun: a.Runner.subjects}
	var interrupted *interruptedError
	if errors.As(err, &interrupted) {
		i.Exists = a.Call.Render(interrupted.exists)
	}
	_ = report.Interrupted(a.Streams.Err, a.Streams.Screen(), i)
}

// Found returns what exists of a hosted cluster after an interruption, or nil if that cannot be read in time.
func Found(ctx context.Context, t *Target, namespace, name string) []string {
	readCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), inventoryTimeout)
	defer cancel()
	plan, err := deletion.Prepare(readCtx, t.Client, namespace, name, deletion.Defaults())
	if err != nil {
		return nil
	}
	return plan.Found
}

// sameCommand returns this call as the user can type it again, without credentials, because they must not appear
// on a screen.
func sameCommand(args []string) string {
	words := []string{"hcctl"}
	for i := 0; i < len(args); i++ {
		switch word := args[i]; {
		case word == "--token":
			i++
		case strings.HasPrefix(word, "--token="):
		default:
			words = append(words, sanitize.Word(redact.Secrets(word)))
		}
	}
	return strings.Join(words, " ")
}
