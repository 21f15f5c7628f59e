//go:build unix

package report

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// suspensions reports each ^Z, which then does not stop the process. Call end when nobody listens any more.
func suspensions() (suspended <-chan os.Signal, end func()) {
	sent := make(chan os.Signal, 1)
	signal.Notify(sent, syscall.SIGTSTP)
	return sent, func() { signal.Stop(sent) }
}

// suspendTime bounds the wait for a stop that does not come, as in an orphaned process group.
const suspendTime = time.Second

// suspend stops the process as ^Z does, and returns when it goes on.
func suspend(ended <-chan struct{}) {
	on := make(chan os.Signal, 1)
	signal.Notify(on, syscall.SIGCONT)
	defer signal.Stop(on)
	// SIGTSTP has a listener. SIGSTOP is how a program stops itself once it is ready.
	_ = syscall.Kill(syscall.Getpid(), syscall.SIGSTOP)
	select {
	case <-on:
	case <-ended:
	case <-time.After(suspendTime):
	}
}
