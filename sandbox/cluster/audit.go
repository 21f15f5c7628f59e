package cluster

import (
	"fmt"
	"os"
	"path/filepath"
)

// auditPolicy logs each request once, and each watch at its start and its end.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{level: Metadata, omitManagedFields: true}]
`

// auditArgs returns kube-apiserver's flags for its audit log. The API server writes the log before it answers, so a
// client that has its answer finds the request in the log.
func (s *Sandbox) auditArgs() ([]string, error) {
	policy := filepath.Join(s.dir.Run(), "audit-policy.yaml")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		return nil, fmt.Errorf("write audit policy: %w", err)
	}
	return []string{"--audit-policy-file=" + policy, "--audit-log-path=" + s.dir.Audit(), "--audit-log-mode=blocking"}, nil
}
