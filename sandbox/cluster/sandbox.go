// Package cluster runs a management cluster for hcctl to work on: a real etcd, kube-apiserver, controller manager and
// scheduler on loopback, the CRDs and objects an OpenShift has at birth, and the operators around them.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/hcctl/hcctl/sandbox/cluster/apiserver"
	"github.com/hcctl/hcctl/sandbox/cluster/etcd"
	"github.com/hcctl/hcctl/sandbox/cluster/process"
	"github.com/hcctl/hcctl/sandbox/cluster/roles"
	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/profile"
	"github.com/hcctl/hcctl/sandbox/world"
)

// startTimeout is how long a sandbox may take until everything is in place, on however slow a machine.
const startTimeout = 10 * time.Minute

// Options say which sandbox to run.
type Options struct {
	// Dir is the folder it owns; created if absent.
	Dir string
	// Profile is the OpenShift it plays.
	Profile profile.Profile
	// Speed divides the delays of simulated operators; it must be greater than 0, 1 is the slowest pace.
	Speed float64
	// Faults are what goes wrong on purpose; nil is nothing.
	Faults *fault.Set
	// GCPercent is by how much its heaps may grow before garbage is collected: less takes less memory and more time.
	GCPercent int
	// Guests is how many hosted clusters get an API server at the same time; the others are played in memory.
	Guests int
	// Fleet makes room for a hundred hosted clusters: no guest API servers, control planes of few pods, large nodes.
	Fleet bool
	// Lean writes control planes of few pods, and has hosted clusters in memory answer health checks. Fleet implies it.
	Lean bool
	// Clusters is how many finished hosted clusters there are from the start, Pools how many NodePools each has.
	Clusters, Pools int
	// Audit has the API server write down every request, with its user and its user agent (see Dir.Audit).
	Audit bool
	// World is a recording to start from (see Record); "" or one of no use starts from nothing.
	World string
}

// Sandbox is a running management cluster.
type Sandbox struct {
	opts Options
	dir  *Dir
	log  *slog.Logger
	// life ends when the sandbox does; its cause says why if that is not the caller's wish.
	life    context.Context
	end     context.CancelCauseFunc
	logFile *os.File
	procs   *process.Supervisor
	db      *etcd.Store
	api     *apiserver.Server
	// away tells that the API server is gone on purpose.
	away atomic.Bool
	// net has the addresses of the load balancer; claim keeps other sandboxes off them.
	net   world.Net
	claim net.Listener
	parts parts
}

// Run starts a sandbox, calls ready once everything is in place and the kubeconfig is written to its folder, and keeps
// the sandbox until ctx ends; then all of it ends, which is no error. It fails if the sandbox cannot start or loses a
// part it cannot do without.
func Run(ctx context.Context, opts Options, ready func()) error {
	debug.SetGCPercent(opts.GCPercent)
	dir, err := OpenDir(opts.Dir)
	if err != nil {
		return err
	}
	s := &Sandbox{opts: opts, dir: dir}
	err = s.run(ctx, ready)
	return errors.Join(err, s.close())
}

func (s *Sandbox) run(ctx context.Context, ready func()) error {
	if err := s.open(ctx); err != nil {
		return err
	}
	start, stop := context.WithTimeout(s.life, startTimeout)
	defer stop()
	began := time.Now()
	_, err := s.start(start)
	if err == nil {
		err = s.listenControl()
	}
	if err == nil {
		err = s.publish()
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil // asked to end before it was ready
		}
		return fmt.Errorf("%w (logs: %s)", err, s.dir.Logs())
	}
	s.log.Info("ready", "after", time.Since(began).Round(time.Millisecond))
	ready()
	<-s.life.Done()
	if ctx.Err() == nil {
		return fmt.Errorf("%w (logs: %s)", context.Cause(s.life), s.dir.Logs())
	}
	return nil
}

// open prepares the life of the sandbox, which ends at the latest with ctx.
func (s *Sandbox) open(ctx context.Context) error {
	s.life, s.end = context.WithCancelCause(ctx)
	s.parts.run(s.life, func(ctx context.Context) { roles.Trim(ctx, roles.Sparing(s.opts.GCPercent)) })
	return s.openLog()
}

// close ends everything, in the order that leaves nobody waiting for a part that is gone.
func (s *Sandbox) close() error {
	if s.end != nil {
		s.end(nil)
	}
	s.parts.wait()
	if s.procs != nil {
		s.procs.Wait()
	}
	if s.db != nil {
		s.db.Close()
	}
	err := s.dir.Close()
	if s.claim != nil {
		err = errors.Join(err, s.claim.Close())
	}
	if s.logFile != nil {
		s.log.Info("ended")
		err = errors.Join(err, s.logFile.Close())
	}
	return err
}

func (s *Sandbox) openLog() error {
	path := filepath.Join(s.dir.Logs(), "sandbox.log")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600) // #nosec G304 -- in our own folder
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	s.logFile = file
	s.log = slog.New(slog.NewTextHandler(file, nil))
	redirectLogs(s.log)
	return nil
}
