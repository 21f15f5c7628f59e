package sandbox

import (
	"os/exec"
	"runtime"
	"syscall"
)

// start runs cmd and consume in the background and closes ended when both are done. Linux ends the process with this
// one, for example with a test that `go test` kills. That is bound to the starting thread, so the goroutine keeps its
// thread.
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
