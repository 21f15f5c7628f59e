package kube

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// loggedInBy is a configuration whose credentials come from a command.
func loggedInBy(server string, command ...string) *rest.Config {
	return &rest.Config{Host: server, ExecProvider: &api.ExecConfig{
		APIVersion: "client.authentication.k8s.io/v1", InteractiveMode: api.NeverExecInteractiveMode, Command: command[0],
		Args: command[1:],
	}}
}

// TestACommandForCredentialsThatFails is not taken for an API server that does not answer: it is asked nothing, and
// nobody waits for it.
func TestACommandForCredentialsThatFails(t *testing.T) {
	for command, want := range map[string]string{
		"false": "the command that the kubeconfig names for credentials has failed: executable false failed " +
			"with exit code 1",
		"no-such-login-tool": "the command that the kubeconfig names for credentials has failed: executable " +
			"no-such-login-tool not found",
	} {
		c, err := New(loggedInBy("https://127.0.0.1:1", command))
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.ServerVersion(t.Context())
		if !transport.IsCredentials(err) || Explain(err) != want {
			t.Errorf("%s: %q of %v", command, Explain(err), err)
		}
		if f := Unknown(err); f.Final || f.Hint.String() != Remedy(err).String() || f.Hint.String() == "" {
			t.Errorf("%s: what cannot be read for it is final %t, with the hint %q", command, f.Final, f.Hint.String())
		}
		if !IsTransient(err) {
			t.Errorf("%s: a command that asks somebody over the network may succeed the next time", command)
		}
	}
}

// TestWatchesOutliveTheCommandForCredentials: while the command fails, what is watched cannot be seen, and why is told;
// when it has credentials again, it is seen.
func TestWatchesOutliveTheCommandForCredentials(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Has("watch") {
			<-r.Context().Done()
			return
		}
		_, _ = w.Write(
			[]byte(
				`{"kind":"NodePoolList","apiVersion":"hypershift.openshift.io/v1beta1","metadata":{"resourceVersion":"1"},"items":[]}`))
	}))
	defer server.Close()
	credential := filepath.Join(t.TempDir(), "credential")
	c, err := New(loggedInBy(server.URL, "cat", credential))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	mirror := c.NewInformers(ctx)
	defer mirror.Close()
	watch := mirror.Watch()
	defer watch.Close()
	changes := c.Changes(watch, Selection{Kind: NodePool, Namespace: "clusters"})
	if _, err := changes.Take(ctx); !transport.IsCredentials(err) {
		t.Fatalf("not told: %v", err)
	}
	if err := os.WriteFile(credential,
		[]byte(`{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"t"}}`),
		0o600); err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := changes.Take(ctx); err == nil {
			return
		}
		select {
		case <-watch.Changed():
		case <-ctx.Done():
			t.Fatal("it was never seen again")
		}
	}
}
