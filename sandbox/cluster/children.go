package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hcctl/hcctl/sandbox/cluster/pki"
	"github.com/hcctl/hcctl/sandbox/cluster/process"
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
		done, err := s.procs.Start(s.life, label, "", args, nil)
		if err != nil {
			return err
		}
		s.stopWhenDone(label, done)
	}
	return nil
}

// stopWhenDone ends the sandbox when a required part has ended.
func (s *Sandbox) stopWhenDone(label string, done <-chan struct{}) {
	s.parts.run(s.life, func(ctx context.Context) {
		select {
		case <-ctx.Done():
		case <-done:
			if ctx.Err() == nil {
				s.end(fmt.Errorf("%s ended unexpectedly: %s", label, process.LastLine(filepath.Join(s.dir.Logs(), label+".log"))))
			}
		}
	})
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
