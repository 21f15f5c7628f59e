package hostedtest

import (
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

// ReadOnly returns a client of an API server that serves the objects of these paths; see kubetest.ServePaths. The test
// fails on any write except dry runs.
func ReadOnly(t *testing.T, answers map[string]any) *kube.Client {
	t.Helper()
	api := kubetest.ServePaths(t, answers)
	t.Cleanup(func() {
		for _, w := range api.Writes() {
			t.Errorf("%s: only reads are expected", w)
		}
	})
	return api.Client
}
