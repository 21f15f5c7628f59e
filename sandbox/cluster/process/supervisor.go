// Package process runs the children of a sandbox, which end when the sandbox ends.
package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// termGrace is the time that a child has to end after SIGTERM before it is killed. A child holds nothing worth more
// time: the sandbox's data ends with it.
const termGrace = time.Second

// ErrKilled is the cause of a context that ends a child by SIGKILL at once.
var ErrKilled = errors.New("killed")

// Supervisor runs the children of a sandbox. See operator.Processes for the contract.
type Supervisor struct {
	self, libexec, Logs string
	Options
	spawner  *spawner
	children sync.WaitGroup
}

// Options configure a Supervisor.
type Options struct {
	// Env is added to the sandbox's own environment for every child.
	Env []string
	Log *slog.Logger
	// Report tells the user of a child that ended by itself and starts again.
	Report func(text string)
	// Fail ends the sandbox, because a child that it needs has ended too often.
	Fail func(err error)
}

// NewSupervisor starts no child yet. logs is the directory of their logs.
func NewSupervisor(logs string, opts Options) (*Supervisor, error) {
	own, err := self()
	if err != nil {
		return nil, err
	}
	libexec, err := Libexec()
	if err != nil {
		return nil, err
	}
	sp, err := newSpawner()
	if err != nil {
		return nil, err
	}
	return &Supervisor{self: own, libexec: libexec, Logs: logs, Options: opts, spawner: sp}, nil
}

// Start implements operator.Processes.
func (s *Supervisor) Start(ctx context.Context, label, name string, args, env []string) (<-chan struct{}, error) {
	done, err := s.StartWithFiles(ctx, label, name, args, env, nil)
	if err != nil {
		return nil, err
	}
	closed := make(chan struct{})
	s.children.Go(func() {
		defer close(closed)
		<-done
	})
	return closed, nil
}

// StartWithFiles is Start with open files, which the child gets as descriptors 3 and up. The channel has once how the
// child ended, with the last lines of its log.
func (s *Supervisor) StartWithFiles(ctx context.Context, label, name string, args, env []string,
	files []*os.File) (<-chan string, error) {
	path, err := s.program(name)
	if err != nil {
		return nil, err
	}
	logFile, err := os.OpenFile(s.logOf(label), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open log of %s: %w", label, err)
	}
	defer logFile.Close() //nolint:errcheck // the child has its own copy
	written, err := logFile.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("open log of %s: %w", label, err)
	}
	child, err := s.spawner.spawn(command{Path: path, Args: args, Env: slices.Concat(os.Environ(), s.Env, env),
		Log: logFile, Files: files})
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", label, err)
	}
	s.Log.Info("child started", "child", label, "pid", child.pid())
	result := make(chan string, 1)
	s.children.Go(func() { result <- s.supervise(ctx, label, child) + ": " + lastLines(s.logOf(label), written) })
	return result, nil
}

// program returns the binary to run: "" is this one, others are in sandbox-libexec beside it.
func (s *Supervisor) program(name string) (string, error) {
	if name == "" {
		return s.self, nil
	}
	return Check(s.libexec, name, "make sandbox")
}

// supervise returns how the child ended.
func (s *Supervisor) supervise(ctx context.Context, label string, child *child) string {
	gone := make(chan string, 1)
	go func() { gone <- describe(child.wait()) }()
	select {
	case how := <-gone:
		if ctx.Err() == nil {
			s.Log.Error("child ended by itself", "child", label, "result", how, "log", s.logOf(label))
		}
		return how
	case <-ctx.Done():
	}
	if !errors.Is(context.Cause(ctx), ErrKilled) {
		child.terminate()
		grace := time.NewTimer(termGrace)
		defer grace.Stop()
		select {
		case how := <-gone:
			s.Log.Info("child ended", "child", label)
			return how
		case <-grace.C:
		}
	}
	child.kill()
	how := <-gone
	s.Log.Info("child killed", "child", label)
	return how
}

// Wait returns once every child has ended.
func (s *Supervisor) Wait() {
	s.children.Wait()
	s.spawner.close()
}

func (s *Supervisor) logOf(label string) string { return filepath.Join(s.Logs, label+".log") }

func describe(err error) string {
	if err == nil {
		return "exit status 0"
	}
	return err.Error()
}
