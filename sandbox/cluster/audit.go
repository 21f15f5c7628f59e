package cluster

import (
	"fmt"
	"os"
	"path/filepath"
)

// auditPolicy has each request written down once or, if it is a watch, at its begin and at its end.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{level: Metadata, omitManagedFields: true}]
`

// auditing are kube-apiserver's flags for its audit log. It is written before the answer goes out, so that whoever has
// the answer finds the request in it.
func (s *Sandbox) auditing() ([]string, error) {
	policy := filepath.Join(s.dir.Run(), "audit-policy.yaml")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		return nil, fmt.Errorf("write audit policy: %w", err)
	}
	return []string{"--audit-policy-file=" + policy, "--audit-log-path=" + s.dir.Audit(), "--audit-log-mode=blocking"}, nil
}
