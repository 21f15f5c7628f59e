package process

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// command is a child to run.
type command struct {
	Path      string
	Args, Env []string
	Log       *os.File
	Files     []*os.File
}

// child is a running child, leader of its own process group.
type child struct{ cmd *exec.Cmd }

// spawner starts children from one OS thread that lives as long as the sandbox. Linux sends a child's parent-death
// signal when the thread that started it ends, not the process.
type spawner struct{ requests chan func() }

func newSpawner() (*spawner, error) {
	s := &spawner{requests: make(chan func())}
	go func() {
		runtime.LockOSThread()
		for f := range s.requests {
			f()
		}
	}()
	return s, nil
}

func (s *spawner) close() { close(s.requests) }

func (s *spawner) spawn(c command) (*child, error) {
	cmd := exec.Command(c.Path, c.Args...) // #nosec G204 -- our own binary or a helper beside it
	cmd.Env = c.Env
	cmd.Stdout, cmd.Stderr = c.Log, c.Log
	cmd.ExtraFiles = c.Files
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	result := make(chan error)
	s.requests <- func() { result <- cmd.Start() }
	if err := <-result; err != nil {
		return nil, err
	}
	return &child{cmd: cmd}, nil
}

func (c *child) pid() int { return c.cmd.Process.Pid }

func (c *child) wait() error { return c.cmd.Wait() }

func (c *child) terminate() { _ = syscall.Kill(-c.pid(), syscall.SIGTERM) }

// kill ends the whole process group, and ignores that it has ended already.
func (c *child) kill() { _ = syscall.Kill(-c.pid(), syscall.SIGKILL) }
