package e2e

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hcctl/hcctl/internal/sandbox"
)

// sandboxCommand: sandbox start [--profile P] [--speed N] [--fault F]... [NAME] | sandbox stop [NAME] | sandbox
// resident MIB
//
// start makes a management cluster and points KUBECONFIG at it; resident holds the sandbox and all its children to
// that much memory. With a real cluster they do nothing but that.
func sandboxCommand(ts *testscript.TestScript, neg bool, args []string) {
	h := harnessOf(ts)
	if neg || len(args) == 0 {
		ts.Fatalf(
			"usage: sandbox start [--profile P] [--speed N] [--fault F]... [NAME] | sandbox stop [NAME] | sandbox resident MIB",
		)
	}
	name, flags := "mgmt", args[1:]
	if len(flags)%2 == 1 {
		name, flags = flags[len(flags)-1], flags[:len(flags)-1]
	}
	switch args[0] {
	case "start":
		if h.kubeconfig != "" {
			ts.Setenv("KUBECONFIG", h.kubeconfig)
			return
		}
		kubeconfig, err := h.startSandbox(name, flags)
		ts.Check(err)
		ts.Setenv("KUBECONFIG", kubeconfig)
	case "stop":
		s := h.sandboxes[name]
		if s == nil {
			ts.Fatalf("no sandbox %s was started", name)
		}
		ts.Check(s.Stop())
	case "resident":
		if h.kubeconfig != "" {
			return
		}
		ts.Check(residentUnder(h.sandboxes["mgmt"].PID(), name))
	default:
		ts.Fatalf("unknown: sandbox %s", args[0])
	}
}

func (h *harness) startSandbox(name string, flags []string) (string, error) {
	if h.sandboxes[name] != nil {
		return "", fmt.Errorf("sandbox %s was started already", name)
	}
	for flag, value := range map[string]string{"--speed": "10", "--gc-percent": sandbox.GCPercent} {
		if !slices.Contains(flags, flag) {
			flags = append(flags, flag, value)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), sandbox.StartTime)
	defer cancel()
	s, err := sandbox.Launch(ctx, h.sandboxProgram, filepath.Join(h.work, ".sandbox-"+name), flags...)
	if err != nil {
		return "", fmt.Errorf("sandbox %s: %w", name, err)
	}
	h.sandboxes[name] = s
	return s.Kubeconfig, nil
}
