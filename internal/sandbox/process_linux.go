package sandbox

import (
	"os/exec"
	"runtime"
	"syscall"
)

// start runs cmd and consume in the background and closes ended when both are over. The process is told to end should
// this one be killed, as `go test` does to tests that take too long: Linux ties that to the thread, which is therefore
// kept.
func start(cmd *exec.Cmd, ended chan<- struct{}, consume func()) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	started := make(chan error)
	go func() {
		defer close(ended)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		consume()
		_ = cmd.Wait()
	}()
	return <-started
}
