// Package cluster runs the management cluster: a real etcd, kube-apiserver, controller manager and scheduler on
// loopback, the CRDs and objects of a new OpenShift, and the operators. The state of a new OpenShift is called birth
// throughout the sandbox.
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
	"sync"
	"sync/atomic"
	"time"

	"github.com/hcctl/hcctl/sandbox/cluster/apiserver"
	"github.com/hcctl/hcctl/sandbox/cluster/container"
	"github.com/hcctl/hcctl/sandbox/cluster/etcd"
	"github.com/hcctl/hcctl/sandbox/cluster/process"
	"github.com/hcctl/hcctl/sandbox/cluster/roles"
	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/profile"
	"github.com/hcctl/hcctl/sandbox/world"
)

const (
	// startTimeout bounds the start, also on a slow machine.
	startTimeout = 10 * time.Minute
	// ownLog is the file of the sandbox's own log, in the directory of logs.
	ownLog = "sandbox.log"
)

var errStartTimeout = fmt.Errorf("not ready after %s", startTimeout)

// Options configure a sandbox.
type Options struct {
	// Dir is the directory that it owns; it is created if absent.
	Dir string
	// Profile is the OpenShift that it simulates.
	Profile profile.Profile
	// Kubernetes is the minor version of the management cluster's API server, one of apiserver.Releases; "" is the
	// sandbox's own. Hosted clusters have the sandbox's own.
	Kubernetes string
	// Speed divides the delays of simulated operators. It must be greater than 0; 1 is the slowest.
	Speed float64
	// Faults are the injected faults; nil is none.
	Faults *fault.Set
	// GCPercent is Go's GOGC for all processes: a lower value takes less memory and more time.
	GCPercent int
	// Guests is how many hosted clusters have an API server at the same time. The others are simulated in memory.
	Guests int
	// Fleet makes room for a hundred hosted clusters: no guest API servers, control planes of few pods, large nodes.
	Fleet bool
	// Lean writes control planes of few pods, and has hosted clusters in memory answer health checks. Fleet implies it.
	Lean bool
	// RealHyperShift runs the vendor's own HyperShift instead of the simulated one.
	RealHyperShift bool
	// Clusters is the number of finished hosted clusters at the start, Pools the number of NodePools of each.
	Clusters, Pools int
	// Still runs etcd and the API server alone: nothing changes an object but its user.
	Still bool
	// Audit makes the API server log every request with its user and user agent (see Dir.Audit).
	Audit bool
	// OpenAPI has the API servers serve OpenAPI documents, which takes a seventh of the processor time of a start.
	OpenAPI bool
	// Report tells the user of a child that ended by itself and starts again; nil tells nobody.
	Report func(text string)
	// Join is the hub that manages this cluster; nil is none.
	Join *Join
	// ArgoCD runs the vendor's own Argo CD.
	ArgoCD bool
	// Program is a program of this machine that containers of Jobs run for real, if it is their command; "" is none.
	Program string
	// World is the file of a recording to start from (see Record). "", or an unusable recording, starts without one.
	World string
}

// Sandbox is a running management cluster.
type Sandbox struct {
	opts Options
	dir  *Dir
	log  *slog.Logger
	// life ends with the sandbox. Its cause is the reason, if the caller did not end it.
	life    context.Context
	end     context.CancelCauseFunc
	logFile *os.File
	procs   *process.Supervisor
	db      *etcd.Store
	api     *apiserver.Server
	// containers run the commands of kubectl exec.
	containers *container.Host
	// apiOrder is held while the API server is stopped or started; apiDown is true while it is stopped on purpose.
	apiOrder sync.Mutex
	apiDown  bool
	// registryAway is true while the vendor's HyperShift cannot reach the registry.
	registryAway atomic.Bool
	// net has the addresses of the load balancer; claim keeps other sandboxes from using them.
	net   world.Net
	claim net.Listener
	parts tasks
}

// Run starts a sandbox, calls ready once the cluster is complete and the kubeconfig is written, and keeps it until ctx
// ends. It fails if the sandbox cannot start or loses a required part.
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
	start, stop := context.WithTimeoutCause(s.life, startTimeout, errStartTimeout)
	defer stop()
	began := time.Now()
	env, err := s.start(start)
	if err == nil {
		err = s.listenControl()
	}
	if err == nil {
		err = s.publish()
	}
	if err != nil {
		return s.why(ctx, start, err)
	}
	if s.opts.ArgoCD {
		s.runInBackground("Argo CD", s.argocd(env).Keep)
	}
	if s.opts.Join != nil {
		s.runInBackground("klusterlet", func(ctx context.Context) error { return s.join(ctx, env) })
	}
	s.log.Info("ready", "after", time.Since(began).Round(time.Millisecond))
	ready()
	<-s.life.Done()
	return s.why(ctx, s.life, nil)
}

// why returns the reason of the sandbox's end, nil if ctx ended it. step is the context of what ended. err is the error
// of a part, which can be a consequence of the reason.
func (s *Sandbox) why(ctx, step context.Context, err error) error {
	switch cause := context.Cause(step); {
	case ctx.Err() != nil:
		return nil
	case err == nil || cause != nil && errors.Is(err, context.Canceled):
		err = cause
	case cause != nil && !errors.Is(err, cause):
		err = fmt.Errorf("%w: %w", cause, err)
	}
	return fmt.Errorf("%w (logs: %s)", err, s.dir.Logs())
}

// open prepares the sandbox's context, which ends with ctx at the latest.
func (s *Sandbox) open(ctx context.Context) error {
	s.life, s.end = context.WithCancelCause(ctx)
	s.parts.run(s.life, func(ctx context.Context) { roles.Trim(ctx, roles.ReturnsHeap(s.opts.GCPercent)) })
	return s.openLog()
}

// close ends all parts, each before the parts that it depends on.
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
	path := filepath.Join(s.dir.Logs(), ownLog)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600) // #nosec G304 -- in our own directory
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	s.logFile = file
	s.log = slog.New(slog.NewTextHandler(file, nil))
	redirectLogs(s.log)
	return nil
}
