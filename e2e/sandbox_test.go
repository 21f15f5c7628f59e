package e2e

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hcctl/hcctl/internal/sandbox"
)

// sandboxCommand: sandbox start [FLAG]... [NAME] | sandbox share NAME | sandbox stop [NAME] | sandbox resident MIB |
// sandbox control ORDER
//
// start makes a management cluster and points KUBECONFIG at it; share points it at one of sharedSandboxes, whose
// MetalLB assigns $POOL; resident holds the sandbox and all its children to that much memory; control has it do an
// order. With a real cluster they do nothing but that.
func sandboxCommand(ts *testscript.TestScript, neg bool, args []string) {
	h := harnessOf(ts)
	if neg || len(args) == 0 {
		ts.Fatalf("usage: sandbox start [FLAG]... [NAME] | sandbox share NAME | sandbox stop [NAME] | sandbox resident MIB | " +
			"sandbox control ORDER [NAME]")
	}
	name, flags := splitName(args[1:])
	switch args[0] {
	case "start":
		if h.kubeconfig != "" {
			ts.Setenv("KUBECONFIG", h.kubeconfig)
			return
		}
		kubeconfig, err := h.startSandbox(name, flags)
		ts.Check(err)
		ts.Setenv("KUBECONFIG", kubeconfig)
	case "share":
		if h.shared == nil || h.shared.name != name {
			ts.Fatalf("sandbox share %s has to be the first command of a script of TestShared", name)
		}
		kubeconfig, err := h.shared.take()
		ts.Check(err)
		ts.Setenv("KUBECONFIG", kubeconfig)
		ts.Setenv("POOL", h.shared.addresses)
	case "stop":
		s := h.sandboxes[name]
		if s == nil {
			ts.Fatalf("no sandbox %s was started", name)
		}
		ts.Check(s.Stop())
		delete(h.sandboxes, name)
	case "control":
		of := "mgmt"
		if len(args) > 2 {
			of = args[2]
		}
		ts.Check(ts.Exec(h.sandboxProgram, "control", "--dir", filepath.Join(h.work, ".sandbox-"+of), name))
	case "resident":
		if h.kubeconfig != "" {
			return
		}
		ts.Check(residentUnder(h.sandboxes["mgmt"].PID(), name))
	default:
		ts.Fatalf("unknown: sandbox %s", args[0])
	}
}

// splitName takes the sandbox's name, mgmt if there is none, from the end of its flags.
func splitName(args []string) (name string, flags []string) {
	for i := 0; i < len(args); i++ {
		flag, isFlag := strings.CutPrefix(args[i], "--")
		switch {
		case !isFlag:
			return args[i], args[:i]
		case !strings.Contains(flag, "=") && !slices.Contains([]string{"audit", "fleet", "lean"}, flag):
			i++ // its value
		}
	}
	return "mgmt", args
}

// withDefaults adds the flags that a script does not give. Unless everything is to run, hosted clusters are small and
// without API servers of their own, and there are no OpenAPI documents. The vendor's HyperShift makes none that are
// small, and API servers of another Kubernetes always have the documents.
func (s settings) withDefaults(flags []string) []string {
	given := func(flag string) bool {
		return slices.ContainsFunc(flags, func(f string) bool { return f == flag || strings.HasPrefix(f, flag+"=") })
	}
	defaults := []string{"--speed=10", "--gc-percent=" + sandbox.GCPercent}
	if s.kubernetes != "" {
		defaults = append(defaults, "--kubernetes="+s.kubernetes)
	}
	vendors := given("--hypershift") || strings.Contains(strings.Join(flags, " "), "--profile real")
	if !s.all && !given("--lean") && !given("--fleet") && !vendors {
		defaults = append(defaults, "--lean", "--guests=0")
		if s.kubernetes == "" {
			defaults = append(defaults, sandbox.NoOpenAPI)
		}
	}
	all := slices.Clone(flags)
	for _, flag := range defaults {
		if name, _, _ := strings.Cut(flag, "="); !given(name) {
			all = append(all, flag)
		}
	}
	return all
}

// hosting is the sandbox's flags for this many hosted clusters with API servers of their own, small ones unless
// everything is to run.
func (s settings) hosting(profile string, guests int) []string {
	flags := []string{"--profile", profile, "--guests", strconv.Itoa(guests)}
	if !s.all {
		flags = append(flags, "--lean")
	}
	if s.kubernetes != "" {
		flags = append(flags, "--kubernetes", s.kubernetes, "--openapi")
	}
	return flags
}

func (h *harness) startSandbox(name string, flags []string) (string, error) {
	if h.sandboxes[name] != nil {
		return "", fmt.Errorf("sandbox %s was started already", name)
	}
	flags = h.withDefaults(flags)
	ctx, cancel := context.WithTimeout(context.Background(), sandbox.StartTime)
	defer cancel()
	s, err := sandbox.Launch(ctx, h.sandboxProgram, filepath.Join(h.work, ".sandbox-"+name), flags...)
	if err != nil {
		return "", fmt.Errorf("sandbox %s: %w", name, err)
	}
	h.sandboxes[name] = s
	return s.Kubeconfig, nil
}

func TestSandboxFlags(t *testing.T) {
	for _, c := range []struct {
		args       string
		everything bool
		kubernetes string
		name       string
		flags      string
	}{
		{"", false, "", "mgmt", "--speed=10 --gc-percent=400 --lean --guests=0 --openapi=false"},
		{"bare", false, "", "bare", "--speed=10 --gc-percent=400 --lean --guests=0 --openapi=false"},
		{"--profile ready", true, "", "mgmt", "--profile ready --speed=10 --gc-percent=400"},
		{"--profile ready --fleet", false, "", "mgmt", "--profile ready --fleet --speed=10 --gc-percent=400"},
		{"--guests 1 --speed 20 other", false, "", "other", "--guests 1 --speed 20 --gc-percent=400 --lean --openapi=false"},
		{"--profile ready --hypershift real", false, "", "mgmt",
			"--profile ready --hypershift real --speed=10 --gc-percent=400"},
		{"", false, "1.33", "mgmt", "--speed=10 --gc-percent=400 --kubernetes=1.33 --lean --guests=0"},
		{"--profile ready", true, "1.34", "mgmt", "--profile ready --speed=10 --gc-percent=400 --kubernetes=1.34"},
		{"--profile real", false, "", "mgmt", "--profile real --speed=10 --gc-percent=400"},
		{"--profile ready --lean=false", false, "", "mgmt", "--profile ready --lean=false --speed=10 --gc-percent=400"},
	} {
		name, flags := splitName(strings.Fields(c.args))
		got := strings.Join(settings{all: c.everything, kubernetes: c.kubernetes}.withDefaults(flags), " ")
		if name != c.name || got != c.flags {
			t.Errorf("%q starts %s with %q, want %s with %q", c.args, name, got, c.name, c.flags)
		}
	}
}
