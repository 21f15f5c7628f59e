package chaos

import (
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hcctl/hcctl/e2e/program"
	"github.com/hcctl/hcctl/e2e/world"
)

// TestBootstrapKilledInTurn kills bootstrap at its boundaries in turn, at each kind of write or, in the whole form, at
// each request; two processes make the last run. The result equals that of an undisturbed run, and the user's objects
// stay.
func TestBootstrapKilledInTurn(t *testing.T) {
	w := world.New(t)
	intact := w.PlantForBootstrap(t)
	args := []string{"bootstrap", "--yes", "--metallb-range", w.Addresses}
	killedInTurn(t, w, inShort(ofKinds), args...)

	var both sync.WaitGroup
	ended := make([]program.Ended, 2)
	for i := range ended {
		run := w.Direct.Start(t, args...)
		both.Go(func() { <-run.Over(); ended[i] = run.Wait(t) })
	}
	both.Wait()
	for i, e := range ended {
		if e.Code != 0 {
			t.Errorf("of two at once, number %d: %s", i+1, e)
		}
	}
	intact(t)
	after := w.Written(t)
	w.Direct.Must(t, args...)
	w.Same(t, after, "after one more run, which has nothing to do")
	if !world.WholeLists() {
		return
	}
	undisturbed := world.New(t)
	undisturbed.PlantForBootstrap(t)
	undisturbed.Addresses = w.Addresses
	undisturbed.Direct.Must(t, "bootstrap", "--yes", "--metallb-range", w.Addresses)
	w.Same(t, undisturbed.Written(t), "after all the kills")
}

// TestBootstrapKilledAtEachWrite, in the whole form, kills bootstrap on a bare cluster once, after the API server has
// done one write and before hcctl knows, and runs it again; each write gets a new cluster. The state before a write is
// the state after the previous one.
func TestBootstrapKilledAtEachWrite(t *testing.T) {
	if !world.WholeLists() {
		t.Skip("a sandbox for each write takes half an hour: HCCTL_CHAOS=full (make chaos)")
	}
	undisturbed := world.New(t)
	undisturbed.Direct.Must(t, "bootstrap", "--yes", "--metallb-range", undisturbed.Addresses)
	want := undisturbed.Written(t)
	for i := 1; ; i++ {
		reached := false
		t.Run(fmt.Sprintf("write %d", i), func(t *testing.T) {
			w := world.New(t)
			args := []string{"bootstrap", "--yes", "--metallb-range", undisturbed.Addresses}
			if _, reached = killedAt(t, w, theNth(2*i, true), args...); reached {
				w.Direct.Must(t, args...)
			}
			w.Same(t, want, fmt.Sprintf("killed after write %d and run again", i))
		})
		if !reached {
			return
		}
	}
}

// TestBootstrapInterrupted, in the whole form, sends SIGINT and SIGTERM at random moments of a bootstrap, and runs it
// again each time.
func TestBootstrapInterrupted(t *testing.T) {
	if !world.WholeLists() {
		t.Skip(
			"in the short form a ready cluster's bootstrap is interrupted (TestProcessFaults/signals): " +
				"HCCTL_CHAOS=full (make chaos)",
		)
	}
	w := world.New(t)
	intact := w.PlantForBootstrap(t)
	course := world.Chance(t)
	args := []string{"bootstrap", "--yes", "--metallb-range", w.Addresses}
	for range 12 {
		s := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}[course.IntN(2)]
		interrupted(t, w.Direct, s, 50*time.Millisecond+time.Duration(course.Int64N(int64(3*time.Second))), args...)
	}
	w.Direct.Must(t, args...)
	intact(t)
	if left := w.Direct.Left(t); len(left) > 0 {
		t.Errorf("files left behind: %v", left)
	}
}
