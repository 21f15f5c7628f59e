//go:build !linux

package sandbox

import "os/exec"

// start runs cmd and consume in the background and closes ended when both are done.
func start(cmd *exec.Cmd, ended chan<- struct{}, consume func()) error {
	if err := cmd.Start(); err != nil {
		close(ended)
		return err
	}
	go func() {
		defer close(ended)
		consume()
		_ = cmd.Wait()
	}()
	return nil
}
