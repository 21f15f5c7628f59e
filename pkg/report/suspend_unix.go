//go:build unix

package report

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// suspensions reports each Ctrl-Z, which then does not stop the process. The caller must call end when it stops
// listening.
func suspensions() (suspended <-chan os.Signal, end func()) {
	sent := make(chan os.Signal, 1)
	signal.Notify(sent, syscall.SIGTSTP)
	return sent, func() { signal.Stop(sent) }
}

// suspendTime limits the wait for a stop that does not happen, as in an orphaned process group.
const suspendTime = time.Second

// suspend stops the process like Ctrl-Z, and returns when it continues.
func suspend(ended <-chan struct{}) {
	on := make(chan os.Signal, 1)
	signal.Notify(on, syscall.SIGCONT)
	defer signal.Stop(on)
	// SIGTSTP is caught by suspensions, so SIGSTOP stops the process.
	_ = syscall.Kill(syscall.Getpid(), syscall.SIGSTOP)
	select {
	case <-on:
	case <-ended:
	case <-time.After(suspendTime):
	}
}
