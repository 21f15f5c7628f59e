package report

import (
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// paced counts the updates of a display.
type throttled struct {
	mu sync.Mutex
	n  int
}

func (p *throttled) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
	return len(b), nil
}

func (p *throttled) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.n
}

// TestTwoToFourUpdatesASecond, however often something changes, and none where nothing does.
func TestTwoToFourUpdatesASecond(t *testing.T) {
	// The goroutine that os/signal starts with the first listener must not belong to the bubble.
	first := make(chan os.Signal, 1)
	signal.Notify(first, syscall.SIGHUP)
	signal.Stop(first)
	synctest.Test(t, func(t *testing.T) {
		const seconds = 10
		out := &throttled{}
		l := newLive(out, Screen{Redraw: true, Width: 80})
		e := stalled()[0]
		for i := range seconds * 100 {
			e.Time = time.Now()
			e.Finding.Message = fmt.Sprintf("message %d", i)
			l.Observe(e)
			<-time.After(10 * time.Millisecond)
		}
		if n := out.count(); n < 2*seconds || n > 4*seconds {
			t.Errorf("%d updates in %d seconds", n, seconds)
		}
		// From now on only the stopwatch changes, once a second.
		before := out.count()
		<-time.After(seconds * time.Second)
		if n := out.count() - before; n < seconds-1 || n > seconds+1 {
			t.Errorf("%d updates in %d seconds without news", n, seconds)
		}
		l.Close()
	})
}

func TestStopwatchesHaveWholeSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{-time.Second: "0s", 900 * time.Millisecond: "0s",
		9900 * time.Millisecond:               "9s",
		59*time.Second + 999*time.Millisecond: "59s", 61 * time.Second: "1m01s", 59*time.Minute + 59*time.Second: "59m59s",
		62 * time.Minute: "1h02m"} {
		if got := wholeSeconds(d); got != want {
			t.Errorf("%s is %q, want %q", d, got, want)
		}
	}
}
