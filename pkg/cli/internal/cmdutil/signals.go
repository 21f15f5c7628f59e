package cmdutil

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// patience is how long a command may take to end after the first signal. What does not heed the signal, such as a write
// to a pipe that nobody reads or a credential plugin, is ended then.
const patience = 5 * time.Second

// signals is what was sent to hcctl to end it. One goroutine owns it all.
type signals struct {
	sent  chan os.Signal
	calls chan func()
	exit  func(code int)
	end   context.CancelFunc
	// seen is how many came; handedOver is set while they are another's, and busy while a command that was interrupted
	// has to finish.
	seen       int
	handedOver bool
	busy       int
	late       <-chan time.Time
}

// signalsKey is the key of Signals' value.
type signalsKey struct{}

// Signals returns a context that the first SIGINT or SIGTERM ends. The second one ends the process by exit with 130,
// whatever it is in; so does the first where the command does not end within five seconds.
func Signals(parent context.Context, exit func(code int)) context.Context {
	ctx, end := context.WithCancel(parent)
	s := &signals{sent: make(chan os.Signal, 16), calls: make(chan func()), exit: exit, end: end}
	signal.Notify(s.sent, os.Interrupt, syscall.SIGTERM)
	go s.listen()
	return context.WithValue(ctx, signalsKey{}, s)
}

func (s *signals) listen() {
	for {
		select {
		case <-s.sent:
			s.one()
		case <-s.late:
			if s.busy == 0 && !s.handedOver {
				s.exit(ExitInterrupted)
			}
			s.late = time.After(patience)
		case call := <-s.calls:
			call()
		}
	}
}

// one takes one signal.
func (s *signals) one() {
	if s.handedOver {
		return
	}
	if s.seen++; s.seen > 1 {
		s.exit(ExitInterrupted)
	}
	s.end()
	s.late = time.After(patience)
}

// drain takes the signals that have come already.
func (s *signals) drain() {
	for {
		select {
		case <-s.sent:
			s.one()
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

// TakeSignals leaves signals to the caller, who has to listen already, until back is called. It is too late, and not
// ok, if one has come.
func TakeSignals(ctx context.Context) (back func(), ok bool) {
	s, there := ctx.Value(signalsKey{}).(*signals)
	if !there {
		return func() {}, ctx.Err() == nil
	}
	s.do(func() {
		s.drain()
		ok = s.seen == 0
		s.handedOver = ok
	})
	return func() { s.do(func() { s.drain(); s.handedOver = false }) }, ok
}

// Finishing keeps one signal from ending the process while what was gathered is written. A second one still does.
func Finishing(ctx context.Context) (done func()) {
	s, there := ctx.Value(signalsKey{}).(*signals)
	if !there {
		return func() {}
	}
	s.do(func() { s.busy++ })
	return func() { s.do(func() { s.busy-- }) }
}
