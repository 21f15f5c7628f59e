package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hcctl/hcctl/sandbox/cluster/etcd"
	"github.com/hcctl/hcctl/sandbox/operator"
)

// restTime is how long OLM must not write before the cluster is at rest. A busy OLM writes five times a second or more.
const restTime = 3 * time.Second

// Record runs a new sandbox as opts say until it is ready, and writes its state to file, from which Start can begin.
// Only the logs of the sandbox remain.
func Record(ctx context.Context, opts Options, file string) error {
	dir, err := OpenDir(opts.Dir)
	if err != nil {
		return err
	}
	s := &Sandbox{opts: opts, dir: dir}
	err = s.record(ctx, file)
	return errors.Join(err, s.close())
}

func (s *Sandbox) record(ctx context.Context, file string) error {
	if err := s.open(ctx); err != nil {
		return err
	}
	start, stop := context.WithTimeout(s.life, startTimeout)
	defer stop()
	s.opts.World = ""
	env, err := s.start(start)
	if err != nil {
		return fmt.Errorf("%w (logs: %s)", err, s.dir.Logs())
	}
	// OLM continues for a while after its operators are up: it copies operators into each namespace and derives roles
	// from the CRDs. A recording needs a cluster at rest.
	for _, kind := range []string{"/rbac.authorization.k8s.io/clusterroles/",
		"/operators.coreos.com/clusterserviceversions/"} {
		if err := s.db.WaitQuiet(start, etcd.ManagementPrefix+kind, restTime); err != nil {
			return fmt.Errorf("wait for the cluster to come to rest: %w (logs: %s)", err, s.dir.Logs())
		}
	}
	return s.writeRecording(start, env, file)
}

func (s *Sandbox) writeRecording(ctx context.Context, env operator.Env, file string) error {
	build, err := buildID()
	if err != nil {
		return err
	}
	r := &recording{Build: build, Profile: s.opts.Profile.World()}
	if r.Await, err = listPerRun(ctx, env.Client); err != nil {
		return err
	}
	if r.Keys, err = s.db.Dump(ctx); err != nil {
		return err
	}
	return r.write(file)
}
