package cluster

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/hcctl/hcctl/sandbox/cluster/pki"
)

// startControllers runs the controller manager and the scheduler.
func (s *Sandbox) startControllers() error {
	path, err := s.writeKubeconfig()
	if err != nil {
		return err
	}
	for label, args := range map[string][]string{
		"kube-controller-manager": controllerManagerArgs(s.api, path, s.opts.Kubernetes),
		"kube-scheduler":          schedulerArgs(path, s.opts.Kubernetes),
	} {
		if _, err := s.procs.Keep(s.life, label, "", args, nil); err != nil {
			return err
		}
	}
	return nil
}

// writeKubeconfig writes the admin kubeconfig for the sandbox's own children.
func (s *Sandbox) writeKubeconfig() (string, error) {
	data, err := pki.TokenKubeconfig(s.api.Host, s.api.CA.PEM, "admin", s.api.Token)
	if err != nil {
		return "", err
	}
	path := filepath.Join(s.dir.Run(), "kubeconfig.children")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return "", fmt.Errorf("write kubeconfig for children: %w", err)
	}
	return path, nil
}
