// Package process runs the children of a sandbox, which end when the sandbox ends.
package process

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// termGrace is the time that a child has to end after SIGTERM before it is killed. A child holds nothing worth more
// time: the sandbox's data ends with it.
const termGrace = time.Second

// Supervisor runs the children of a sandbox. See operator.Processes for the contract.
type Supervisor struct {
	self, libexec, Logs string
	// env is added to the sandbox's own environment.
	env      []string
	log      *slog.Logger
	spawner  *spawner
	children sync.WaitGroup
	mu       sync.Mutex
	// running maps each label to its latest child.
	running map[string]*child
}

// NewSupervisor starts no child yet. logs is the folder of their logs; every child gets env.
func NewSupervisor(logs string, env []string, log *slog.Logger) (*Supervisor, error) {
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
	return &Supervisor{
		env:     env,
		running: map[string]*child{},
		self:    own, libexec: libexec, Logs: logs, log: log, spawner: sp,
	}, nil
}

// Start implements operator.Processes.
func (s *Supervisor) Start(ctx context.Context, label, name string, args, env []string) (<-chan struct{}, error) {
	return s.StartWithFiles(ctx, label, name, args, env, nil)
}

// StartWithFiles is Start with open files, which the child gets as descriptors 3 and up.
func (s *Supervisor) StartWithFiles(ctx context.Context, label, name string, args, env []string,
	files []*os.File) (<-chan struct{}, error) {
	path, err := s.program(name)
	if err != nil {
		return nil, err
	}
	logFile, err := os.OpenFile(filepath.Join(s.Logs, label+".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open log of %s: %w", label, err)
	}
	defer logFile.Close() //nolint:errcheck // the child has its own copy
	child, err := s.spawner.spawn(command{Path: path, Args: args, Env: slices.Concat(os.Environ(), s.env, env),
		Log: logFile, Files: files})
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", label, err)
	}
	s.log.Info("child started", "child", label, "pid", child.pid())
	s.mu.Lock()
	s.running[label] = child
	s.mu.Unlock()
	done := make(chan struct{})
	s.children.Add(1)
	go func() {
		defer s.children.Done()
		defer close(done)
		s.supervise(ctx, label, child)
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.running[label] == child {
			delete(s.running, label)
		}
	}()
	return done, nil
}

// Kill ends a running child at once.
func (s *Supervisor) Kill(label string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if child := s.running[label]; child != nil {
		child.kill()
	}
}

// program returns the binary to run: "" is this one, others are in sandbox-libexec beside it.
func (s *Supervisor) program(name string) (string, error) {
	if name == "" {
		return s.self, nil
	}
	return Check(s.libexec, name, "make sandbox")
}

func (s *Supervisor) supervise(ctx context.Context, label string, child *child) {
	var result error
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		result = child.wait()
	}()
	select {
	case <-gone:
		// This ends the rest of its process group too.
		child.kill()
		if ctx.Err() == nil {
			s.log.Error("child ended by itself", "child", label, "result", describe(result), "log",
				filepath.Join(s.Logs, label+".log"))
		}
		return
	case <-ctx.Done():
	}
	child.terminate()
	grace := time.NewTimer(termGrace)
	defer grace.Stop()
	select {
	case <-gone:
	case <-grace.C:
		child.kill()
		<-gone
	}
	child.kill()
	s.log.Info("child ended", "child", label)
}

// Wait returns once every child has ended.
func (s *Supervisor) Wait() {
	s.children.Wait()
	s.spawner.close()
}

func describe(err error) string {
	if err == nil {
		return "exit status 0"
	}
	return err.Error()
}

// LastLine returns the last line with text in a log, usually the error of a failed child.
func LastLine(path string) string {
	data, err := os.ReadFile(path) // #nosec G304 -- one of our own logs
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return lines[len(lines)-1]
}
