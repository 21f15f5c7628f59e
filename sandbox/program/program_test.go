package program

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
)

// program writes a script that containers can run.
func program(t *testing.T, script string) Runner {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hcctl")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	return Runner{Path: path}
}

// server answers requests for tokens of account "hook" in namespace "dev".
func server(t *testing.T) *rest.Config {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/v1/namespaces/dev/serviceaccounts/hook/token" {
			http.Error(w, "no such account", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","status":{"token":"t0ken"}}`))
	}))
	t.Cleanup(s.Close)
	return &rest.Config{Host: s.URL}
}

func pod(account string, command ...string) *corev1.PodSpec {
	return &corev1.PodSpec{ServiceAccountName: account, Containers: []corev1.Container{{Command: command,
		Env: []corev1.EnvVar{{Name: "CSV", Value: "a.v1"}}}}}
}

// TestRun: the program has its arguments, with variables filled in, its account's token, and none of the sandbox's own
// environment.
func TestRun(t *testing.T) {
	t.Setenv("OF_THE_SANDBOX", "secret")
	r := program(t, `echo "$@ [$OF_THE_SANDBOX] $CSV"; grep t0ken "$KUBECONFIG"; exit 3`)
	spec := pod("hook", "hcctl", "approve", "$(CSV)")
	if !r.Runs(&spec.Containers[0]) || r.Runs(&pod("hook", "sh", "-c", "hcctl").Containers[0]) ||
		(Runner{}).Runs(&spec.Containers[0]) {
		t.Error("it runs another command than its own, or not its own")
	}
	code, output := r.Run(t.Context(), server(t), "dev", spec)
	if code != 3 || !strings.Contains(output, "approve a.v1 [] a.v1\n") || !strings.Contains(output, "token: t0ken") {
		t.Errorf("exit code %d: %s", code, output)
	}
}

// TestNoAccount: without a token nothing runs.
func TestNoAccount(t *testing.T) {
	code, output := program(t, "echo ran").Run(t.Context(), server(t), "dev", pod("other", "hcctl"))
	if code != 128 || !strings.Contains(output, "token of ServiceAccount dev/other") {
		t.Errorf("exit code %d: %s", code, output)
	}
}

// TestLongOutput: the end is kept.
func TestLongOutput(t *testing.T) {
	r := program(t, `i=0; while [ $i -lt 2000 ]; do echo "line $i"; i=$((i+1)); done`)
	code, output := r.Run(t.Context(), server(t), "dev", pod("hook", "hcctl"))
	if code != 0 || len(output) != maxOutput || !strings.HasSuffix(output, "line 1999\n") {
		t.Errorf("exit code %d, %d bytes", code, len(output))
	}
}
