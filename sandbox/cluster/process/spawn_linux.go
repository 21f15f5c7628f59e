package process

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// command is a child to run.
type command struct {
	Path      string
	Args, Env []string
	Log       *os.File
	Files     []*os.File
}

// child is a running child, leader of its own process group.
type child struct {
	cmd *exec.Cmd
	mu  sync.Mutex
	// gone is set when the child has ended, after which its process ID can be that of another process.
	gone bool
}

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

// wait waits for the child and ends the rest of its process group. It does so before the child's process ID can be that
// of another process.
func (c *child) wait() error {
	for {
		err := unix.Waitid(unix.P_PID, c.pid(), nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = unix.Kill(-c.pid(), unix.SIGKILL)
	c.gone = true
	return c.cmd.Wait()
}

func (c *child) terminate() { c.signal(unix.SIGTERM) }

// kill ends the whole process group.
func (c *child) kill() { c.signal(unix.SIGKILL) }

// signal reaches the whole process group, unless the child has ended.
func (c *child) signal(s unix.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone {
		_ = unix.Kill(-c.pid(), s)
	}
}
