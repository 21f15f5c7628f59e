package cluster

import (
	"path/filepath"

	"github.com/hcctl/hcctl/sandbox/argocd"
	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/program"
)

// argocd is the vendor's Argo CD of a profile that has it.
func (s *Sandbox) argocd(env operator.Env) *argocd.Argo {
	run := s.dir.Run()
	return &argocd.Argo{Client: env.Live, Processes: s.procs, Kubeconfig: filepath.Join(run, "kubeconfig.children"),
		Dir: filepath.Join(run, "argocd"), Release: s.opts.Profile.Minor(), Runner: s.runner(), Log: s.log,
		Operator: s.opts.Profile.ArgoCD}
}

// runner runs the program that Jobs may have for real.
func (s *Sandbox) runner() program.Runner { return program.Runner{Path: s.opts.Program} }
