package budget_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/hcctl/hcctl/internal/audit"
	"github.com/hcctl/hcctl/internal/budget"
	"github.com/hcctl/hcctl/internal/sandbox"
)

// commandTime bounds one command.
const commandTime = 2 * time.Minute

// TestRequests counts what commands ask of one management cluster, in this order, by its audit log.
func TestRequests(t *testing.T) {
	c := newCounter(t)
	for _, call := range []struct {
		name, args string
		code       int
	}{
		{"version", "version", 0},
		{"check", "check", 0},
		{"bootstrap of a ready cluster", "bootstrap --yes", 0},
		{"plan of an update", "upgrade management --plan --to 4.20.8", 1},
		{"plan of a node's maintenance", "maintenance master-0 --plan", 0},
		{"create, checks left out", "create cluster --name kv-00 --wait none --skip-preflight all --yes", 0},
		{"create", "create cluster --name kv-01 --wait none --yes", 0},
		{"create again", "create cluster --name kv-01 --wait none --yes", 0},
		{"create --dry-run", "create cluster --name kv-02 --wait none --dry-run=server", 6},
		{"get clusters", "get clusters", 0},
		{"get nodepools", "get nodepools -o json", 0},
		{"status", "status", 3},
		{"upgrades on offer", "upgrade cluster kv-00", 0},
		{"wait, two seconds of it", "wait cluster kv-00 --for version=4.99.0 --timeout 2s", 4},
		{"check with clusters", "check", 0},
		{"delete", "delete cluster kv-01 --yes --timeout 100s", 0},
	} {
		asked := c.asked(t, call.code, strings.Fields(call.args)...)
		slack := 0.0
		switch call.name {
		case "status":
			slack = 0.3 // the clusters are being created: 24 to 29, by how far they are
		case "delete":
			slack = 0.2 // what is left for a moment when the HostedCluster is gone costs a watch
		}
		hold(t, budget.Figure{
			Kind: "requests", Name: call.name, Now: float64(len(asked)), Slack: slack,
			Look: "hcctl -v " + call.args + "\n    " + strings.Join(asked, "\n    "),
		})
	}
	c.chains(t)
}

// counter runs hcctl against a sandbox that writes an audit log.
type counter struct {
	program, kubeconfig string
	log                 *audit.Log
	marker              *http.Client
	server              string
	marks               int
}

func newCounter(t *testing.T) *counter {
	t.Helper()
	// At its real pace nothing comes of the clusters while they are counted. Status asks the API server of the first.
	s := sandbox.Start(t, "--profile", "ready", "--speed", "1", "--audit", "--lean", "--guests", "1")
	c := &counter{program: program(t), kubeconfig: s.Kubeconfig}
	var err error
	if c.log, err = audit.Open(s.Audit()); err != nil {
		t.Fatal(err)
	}
	cfg, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	if c.marker, err = rest.HTTPClientFor(cfg); err != nil {
		t.Fatal(err)
	}
	c.server = cfg.Host
	return c
}

// asked are the requests of one command.
func (c *counter) asked(t *testing.T, code int, args ...string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), commandTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.program, append(args, "--kubeconfig", c.kubeconfig)...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "KUBECONFIG=")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // the exit code tells
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("hcctl %s: exit %d, want %d\n%s", strings.Join(args, " "), got, code, &out)
	}
	var asked []string
	for _, r := range audit.By("hcctl", c.untilMarked(ctx, t)) {
		asked = append(asked, fmt.Sprintf("%s %d %s", r.Verb, r.Code, r.URI))
	}
	return asked
}

// untilMarked reads the log up to a request of its own: what was asked before that is in it.
func (c *counter) untilMarked(ctx context.Context, t *testing.T) []audit.Request {
	t.Helper()
	c.marks++
	agent := fmt.Sprintf("budget-%d", c.marks)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.server+"/version", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("User-Agent", agent)
	answer, err := c.marker.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	var all []audit.Request
	for {
		more, err := c.log.Next()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, more...)
		if len(audit.By(agent, all)) > 0 {
			return all
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("the audit log does not tell of %s: %v", agent, ctx.Err())
		}
	}
}
