package follow

import (
	"net/http"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestTheHostedAPIServerIsAsked(t *testing.T) {
	for name, tc := range map[string]struct {
		change  func(*management)
		state   step.State
		words   []string
		recheck time.Duration
	}{
		"answers": {func(*management) {}, step.StateOK, []string{"the API server answers"}, 0},
		"not ready": {func(m *management) { m.readyz = http.StatusInternalServerError }, step.StatePending,
			[]string{"from here it does not answer", "/readyz answers 500 Internal Server Error",
				"(hcctl logs kv-00 kube-apiserver)"},
			time.Second},
		"away": {func(m *management) { m.server.Close() }, step.StatePending,
			[]string{"from here it does not answer", "connection refused", "nothing listens at 127.0.0.1:",
				"hcctl status kv-00 says whether its pods run"}, time.Second},
		"no Secret": {func(m *management) { m.Of("Secret").Delete("clusters", "kv-00-admin-kubeconfig") },
			step.StatePending, []string{"not written yet", "Secret clusters/kv-00-admin-kubeconfig"}, 0},
		"the Secret may not be read": {func(m *management) { m.Forbid("get " + adminSecretPath) }, step.StateUnknown,
			[]string{"not allowed", "Secret clusters/kv-00-admin-kubeconfig"}, 0},
		"the HostedCluster may not be read": {func(m *management) { m.Forbid("get " + hostedClusterPath) },
			step.StateUnknown, []string{"not allowed", "HostedCluster clusters/kv-00"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			m := manage(t)
			tc.change(m)
			f := expect(t, New(m.Client, "clusters", "kv-00").Steps(options.WaitAPI), APIStep, tc.state, tc.words...)
			if f.Recheck != tc.recheck {
				t.Errorf("asks again after %s, want %s", f.Recheck, tc.recheck)
			}
		})
	}
}
