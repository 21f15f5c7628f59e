package cli

import (
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// Of a paused cluster that cannot work, status names the cause first, and of a paused one that is well the pause.
func TestStatusOfAPausedCluster(t *testing.T) {
	world := lab()
	broken := world["/apis/hypershift.openshift.io/v1beta1/namespaces/dev/hostedclusters/kv-02"].(object)
	broken["spec"].(object)["pausedUntil"] = "true"
	url := server(t, world, nil)
	code, stdout, stderr := runOn(t, url, "status", "kv-02", "-n", "dev")
	next := stdout[strings.LastIndex(stdout, "Next: "):]
	if code != cmdutil.ExitBroken || stderr != "" || strings.Contains(next, "resume") || !strings.Contains(next, "dump") ||
		!strings.Contains(stdout, "Broken: ValidReleaseImage False") || !strings.Contains(stdout, "resume kv-02") {
		t.Errorf("exit %d: %s\n%s", code, stderr, stdout)
	}
}

// A wait for what its operator leaves as it is says so at once, and what ends the pause.
func TestWaitForAPausedCluster(t *testing.T) {
	world := lab()
	creating := world[clustersPath+"/kv-01"].(object)
	creating["spec"].(object)["pausedUntil"] = "2126-01-01T00:00:00Z"
	url := server(t, world, nil)
	const paused = "Warning: HostedCluster clusters/kv-01 is paused until 2126-01-01T00:00:00Z"
	_, _, stderr := runOn(t, url, "wait", "cluster", "kv-01", "--timeout", "2s")
	if !strings.Contains(stderr, paused) || !strings.Contains(stderr, "resume kv-01") {
		t.Errorf("paused: %s", stderr)
	}
	creating["spec"].(object)["pausedUntil"] = "2020-01-01T00:00:00Z"
	if _, _, stderr = runOn(t, url, "wait", "cluster", "kv-01", "--timeout", "2s"); strings.Contains(stderr, "is paused") {
		t.Errorf("no longer paused: %s", stderr)
	}
}
