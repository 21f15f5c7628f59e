package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const (
	realKubeconfig = "HCCTL_E2E_KUBECONFIG"
	realConsent    = "HCCTL_E2E_I_KNOW"
	realRange      = "HCCTL_E2E_METALLB_RANGE"
	// everything makes the tests also run the variants of make test-all. make test has one form of each.
	everything = "HCCTL_E2E_ALL"
	// vendorsOwn makes TestReal run, which needs what make sandbox-real builds.
	vendorsOwn = "HCCTL_E2E_REAL"
)

// settings say what is tested, and against what.
type settings struct {
	// hcctl and sandboxProgram are the programs.
	hcctl, sandboxProgram string
	// kubeconfig is a real cluster's; empty means sandboxes.
	kubeconfig string
	// kubernetes is the minor version of the management clusters' API servers; empty means the sandbox's own.
	kubernetes string
	// all is whether the variants run that make test leaves to make test-all.
	all bool
	// metalLBRange is what bootstrap is given; empty means one of the harness's own, on loopback.
	metalLBRange string
}

// settingsFrom reads the environment. It refuses a real cluster without explicit consent, because the story installs
// operators on it and creates and deletes a hosted cluster.
func settingsFrom(getenv func(string) string) (settings, error) {
	s := settings{kubeconfig: getenv(realKubeconfig), all: getenv(everything) != ""}
	var err error
	if s.hcctl, err = program(getenv, "HCCTL_BIN"); err != nil {
		return s, err
	}
	if s.kubeconfig == "" {
		s.sandboxProgram, err = program(getenv, "HCCTL_SANDBOX_BIN")
		return s, err
	}
	if getenv(realConsent) != "yes" {
		return s, fmt.Errorf("%s names a real cluster, and the story installs operators on it and creates and deletes "+
			"a hosted cluster: set %s=yes if that is what you want", realKubeconfig, realConsent)
	}
	if s.metalLBRange = getenv(realRange); s.metalLBRange == "" {
		return s, fmt.Errorf("set %s to the addresses MetalLB may give out on the real cluster", realRange)
	}
	if _, err := os.Stat(s.kubeconfig); err != nil {
		return s, fmt.Errorf("%s: %w", realKubeconfig, err)
	}
	return s, nil
}

// condition is [sandbox] for lines that hold only on a sandbox, and [all] for what only make test-all runs.
func (s settings) condition(name string) (bool, error) {
	switch name {
	case "sandbox":
		return s.kubeconfig == "", nil
	case "all":
		return s.all, nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

// program is the path in the named variable, which must be one that can be run.
func program(getenv func(string) string, variable string) (string, error) {
	path := getenv(variable)
	if path == "" {
		return "", fmt.Errorf("%s is not set: run make build sandbox and make test-e2e, which sets it", variable)
	}
	if _, err := exec.LookPath(path); err != nil {
		return "", fmt.Errorf("%s: %w: run make build sandbox", variable, err)
	}
	return path, nil
}

func TestSettings(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	both := map[string]string{"HCCTL_BIN": self, "HCCTL_SANDBOX_BIN": self}
	// named is the environment of somebody who names a real cluster, and says this much of it.
	named := func(kubeconfig, consent, addresses string) map[string]string {
		return map[string]string{"HCCTL_BIN": self, realKubeconfig: kubeconfig, realConsent: consent, realRange: addresses}
	}
	const someRange = "192.0.2.1-192.0.2.9"
	for name, tc := range map[string]struct {
		env  map[string]string
		want string
	}{
		"sandbox":            {both, ""},
		"no hcctl":           {map[string]string{"HCCTL_SANDBOX_BIN": self}, "run make build sandbox"},
		"hcctl not built":    {map[string]string{"HCCTL_BIN": self + "-gone"}, "run make build sandbox"},
		"no sandbox":         {map[string]string{"HCCTL_BIN": self}, "run make build sandbox"},
		"real, not meant":    {named(self, "", ""), "set HCCTL_E2E_I_KNOW=yes"},
		"real, half meant":   {named(self, "y", ""), "set HCCTL_E2E_I_KNOW=yes"},
		"real, no addresses": {named(self, "yes", ""), "set HCCTL_E2E_METALLB_RANGE"},
		"real, no file":      {named(self+"-gone", "yes", someRange), "no such file"},
		"real":               {named(self, "yes", someRange), ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := settingsFrom(func(key string) string { return tc.env[key] })
			if tc.want == "" && err != nil {
				t.Errorf("refused: %v", err)
			}
			if tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}

// TestRealClusterIsRefused runs this test binary as a process, with only the kubeconfig set.
func TestRealClusterIsRefused(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := t.TempDir() + "/kubeconfig"
	if err := os.WriteFile(kubeconfig, []byte("not even read"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run", "^Test(Sandbox|Story)$")
	cmd.Env = []string{"HCCTL_BIN=" + self, realKubeconfig + "=" + kubeconfig}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	var exit *exec.ExitError
	if err := cmd.Run(); !errors.As(err, &exit) {
		t.Fatalf("the tests ran against a real cluster without consent: %v\n%s", err, &out)
	}
	if !strings.Contains(out.String(), "set HCCTL_E2E_I_KNOW=yes if that is what you want") {
		t.Errorf("the refusal does not say what to do:\n%s", &out)
	}
}
