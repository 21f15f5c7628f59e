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

// restrictedUser is the user of DIR/kubeconfig-restricted. fault/inject/objects/rbac-restricted.yaml has its rights.
const restrictedUser = "restricted"

// injectFaults applies the chosen faults once the cluster matches its profile.
func (s *Sandbox) injectFaults(ctx context.Context, env operator.Env) error {
	if len(env.Faults.Chosen()) == 0 {
		return nil
	}
	if env.Faults.Has(fault.RBACRestricted) {
		if err := s.writeRestricted(); err != nil {
			return err
		}
	}
	if env.Faults.Has(fault.APIServerRestart) {
		s.runInBackground("fault "+fault.APIServerRestart, s.restartAPI)
	}
	return s.timed("faults", func() error { return inject.Faults(ctx, env, s.runInBackground) })
}

// writeRestricted writes the kubeconfig of the user with fewer rights.
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

// restartAPI waits for the first complete InstallPlan, ends the API server, and restarts it at the same address. etcd
// keeps all data.
func (s *Sandbox) restartAPI(ctx context.Context) error {
	if err := s.db.WaitFor(ctx, etcd.ManagementPrefix+"/operators.coreos.com/installplans/",
		[]byte(`"phase":"Complete"`)); err != nil {
		return err
	}
	s.log.Info("the API server stops")
	if err := s.downAPI(ctx, s.api.Stop); err != nil {
		return err
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
