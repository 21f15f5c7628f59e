package cluster

import (
	"context"
	"time"

	"github.com/hcctl/hcctl/sandbox/cluster/etcd"
	"github.com/hcctl/hcctl/sandbox/cluster/pki"
	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/fault/inject"
	"github.com/hcctl/hcctl/sandbox/operator"
)

// restrictedUser is who DIR/kubeconfig-restricted is; their rights are in fault/inject/objects/rbac-restricted.yaml.
const restrictedUser = "restricted"

// goWrong puts the faults asked for into effect, once the cluster is what the profile says.
func (s *Sandbox) goWrong(ctx context.Context, env operator.Env) error {
	if len(env.Faults.Chosen()) == 0 {
		return nil
	}
	if env.Faults.Has(fault.RBACRestricted) {
		if err := s.writeRestricted(); err != nil {
			return err
		}
	}
	if env.Faults.Has(fault.APIServerRestart) {
		s.keep("fault "+fault.APIServerRestart, s.restartAPI)
	}
	return s.timed("faults", func() error { return inject.Faults(ctx, env, s.keep) })
}

// writeRestricted writes the kubeconfig of the user without all rights.
func (s *Sandbox) writeRestricted() error {
	pair, err := s.api.CA.Issue(restrictedUser, nil, nil)
	if err != nil {
		return err
	}
	kubeconfig, err := pki.Kubeconfig(s.api.Host, s.api.CA.PEM, restrictedUser, pair)
	if err != nil {
		return err
	}
	return s.dir.put(s.dir.Restricted(), kubeconfig)
}

// guardAPI ends the sandbox when the API server is gone, unless that is a fault asked for.
func (s *Sandbox) guardAPI() {
	server := s.api.Done
	done := make(chan struct{})
	s.parts.run(s.life, func(ctx context.Context) {
		select {
		case <-ctx.Done():
		case <-server:
			if !s.away.Load() {
				close(done)
			}
		}
	})
	s.guard("kube-apiserver", done)
}

// restartAPI waits for the first complete InstallPlan, ends the API server, and brings it back at the same address.
// etcd and with it all data stay.
func (s *Sandbox) restartAPI(ctx context.Context) error {
	if err := s.db.WaitFor(ctx, etcd.ManagementPrefix+"/operators.coreos.com/installplans/",
		[]byte(`"phase":"Complete"`)); err != nil {
		return err
	}
	s.log.Info("the API server goes away")
	s.away.Store(true)
	s.api.Stop()
	select {
	case <-ctx.Done():
		return nil
	case <-s.api.Done:
	}
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(fault.RestartTime):
	}
	if err := s.upAPI(ctx); err != nil {
		return err
	}
	s.log.Info("the API server is back")
	return nil
}
