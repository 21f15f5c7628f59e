package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/hack/internal/measuring"
	"github.com/hcctl/hcctl/internal/faultproxy"
)

// latencyBench measures each command through a faultproxy.Line, as with a distant API server.
type latencyBench struct {
	// RoundTrip is what the line adds to every round trip. Runs is the number of runs of each command.
	RoundTrip time.Duration
	Runs      int
	// Programs run in turn. The goals apply to the first, hcctl.
	Programs []contender
	// Only are the names of the commands to measure, none for all.
	Only     []string
	Progress io.Writer

	// kubeconfig connects through the line.
	kubeconfig string
	w          *testbed
	names      int
}

type contender struct{ Name, Path, Agent string }

const (
	contenderNow     = "hcctl"
	contenderBefore  = "hcctl before"
	contenderKubectl = "kubectl"
	contenderHcp     = "hcp"
	// followed is the cluster that commands read. It has an API server.
	followed = "followed"
)

// latencyRuns is enough for a median of slow commands, and limits the whole to a few minutes.
const latencyRuns = 5

// contenders returns the programs that exist. Only the first is required.
func contenders(hcctl, old, kubectl, hcp string) []contender {
	out := []contender{{contenderNow, hcctl, own}}
	for _, c := range []contender{{contenderBefore, old, own}, {contenderKubectl, kubectl, "kubectl"},
		{contenderHcp, hcp, "hcp"}} {
		if _, err := os.Stat(c.Path); err == nil {
			out = append(out, c)
		}
	}
	return out
}

// latencyResults is the content of latency.json.
type latencyResults struct {
	Machine   measuring.Machine `json:"machine"`
	Commit    string            `json:"commit"`
	Date      string            `json:"date"`
	RoundTrip time.Duration     `json:"roundTrip"`
	Rows      []latencyRow      `json:"rows"`
}

// latency measures in a sandbox of its own, and writes and prints the table. Its exit code is 1 if a goal was missed.
func (b *bench) latency(ctx context.Context, l *latencyBench, out string) int {
	r := latencyResults{Machine: measuring.ThisMachine(), Commit: measuring.Git("describe", "--tags", "--always",
		"--dirty"), Date: time.Now().UTC().Format("2006-01-02 15:04"), RoundTrip: l.RoundTrip}
	w, err := b.working(ctx)
	if err == nil {
		r.Rows, err = l.run(ctx, w)
		b.testbeds.stop()
	}
	table := latencyTable(l.RoundTrip, r.Rows)
	fmt.Printf("%s\nMeasured %s, commit %s, on %s.\n", table, r.Date, r.Commit, r.Machine)
	err = errors.Join(err, measuring.WriteResults(filepath.Join(out, "latency.json"), r),
		os.WriteFile(filepath.Join(out, "latency.md"), []byte(table), 0o644)) //nolint:gosec // for everybody
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 1
	}
	if slices.ContainsFunc(r.Rows, func(r latencyRow) bool { return len(r.Missed) > 0 }) {
		return 1
	}
	return 0
}

// run measures the commands in turn in one sandbox.
func (l *latencyBench) run(ctx context.Context, w *testbed) ([]latencyRow, error) {
	dir, err := os.MkdirTemp("", "hcctl-bench")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	line, err := faultproxy.StartLine(ctx, w.Kubeconfig, dir, l.RoundTrip)
	if err != nil {
		return nil, err
	}
	defer func() { _ = line.Close() }()
	l.w, l.kubeconfig = w, line.Kubeconfig
	secret, err := w.pullSecret(ctx)
	if err != nil {
		return nil, err
	}
	commands := slices.DeleteFunc(latencyCommands(), func(c latencyCommand) bool {
		return len(l.Only) > 0 && !slices.Contains(l.Only, c.Name)
	})
	if slices.ContainsFunc(commands, func(c latencyCommand) bool { return slices.Contains(c.Args, followed) }) {
		if err := l.createDirectly(ctx, followed, "complete"); err != nil {
			return nil, err
		}
	}
	var rows []latencyRow
	for _, c := range commands {
		samples := map[string][]latencySample{}
		for run := range l.Runs + 1 { // the first only warms up the server
			for i := range l.Programs {
				p := l.Programs[(i+run)%len(l.Programs)]
				s, ran, err := l.one(ctx, c, p, secret)
				if err != nil {
					return rows, fmt.Errorf("%s, %s: %w", c.Name, p.Name, err)
				}
				if ran && run > 0 {
					samples[p.Name] = append(samples[p.Name], s)
				}
			}
		}
		for _, p := range l.Programs {
			if programSamples := samples[p.Name]; len(programSamples) > 0 {
				row := medians(programSamples)
				row.Command, row.Program = c.Name, p.Name
				if p.Name == contenderNow {
					row.Missed = c.missed(row, l.RoundTrip)
				}
				rows = append(rows, row)
				_, _ = fmt.Fprintf(l.Progress, "# %s\n", row)
			}
		}
	}
	return rows, nil
}

// createDirectly creates a cluster without the line.
func (l *latencyBench) createDirectly(ctx context.Context, name, wait string) error {
	_, err := measuring.Run(ctx, l.w.env, l.Programs[0].Path, "create", "cluster", "--name", name, "--wait", wait, "--yes",
		"--skip-preflight", "all")
	return err
}

// one runs a command once; ran is false if the program has none for it.
func (l *latencyBench) one(
	ctx context.Context, c latencyCommand, p contender, secret string,
) (s latencySample, ran bool, err error) {
	args := c.Args
	switch p.Name {
	case contenderKubectl, contenderHcp:
		if c.Tool != p.Name {
			return s, false, nil
		}
		args = c.Peer
	}
	l.names++
	name := fmt.Sprintf("latency-%d", l.names)
	if c.Deletes {
		if err := l.createDirectly(ctx, name, "none"); err != nil {
			return s, false, err
		}
	}
	full := make([]string, len(args))
	for i, a := range args {
		full[i] = strings.NewReplacer("NAME", name, "PULLSECRET", secret).Replace(a)
	}
	counter, err := measuring.NewCounter(l.w.config, l.w.Audit())
	if err != nil {
		return s, false, err
	}
	e, err := measuring.Run(ctx, []string{"KUBECONFIG=" + l.kubeconfig}, p.Path, full...)
	if err != nil && (c.Exit == 0 || e.Exit != c.Exit) {
		return s, false, err
	}
	requests, err := counter.Requests(ctx, p.Agent)
	if err != nil {
		return s, false, err
	}
	s = sampleOf(e, requests)
	return s, true, l.w.removeAll(ctx)
}

// pullSecret writes the management cluster's pull secret into a file for hcp.
func (w *testbed) pullSecret(ctx context.Context) (string, error) {
	secret, err := w.client.Resource(secrets).Namespace("openshift-config").Get(ctx, "pull-secret", metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	text, _, err := unstructured.NestedString(secret.Object, "data", ".dockerconfigjson")
	if err != nil {
		return "", err
	}
	content, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return "", err
	}
	path := filepath.Join(w.dir, "pull-secret.json")
	return path, os.WriteFile(path, content, 0o600)
}

// removeAll deletes the hosted clusters that a run has left behind, and waits for them.
func (w *testbed) removeAll(ctx context.Context) error {
	all, err := w.client.Resource(hostedClusters).Namespace(namespace).List(ctx, metav1.ListOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	var errs []error
	for _, hc := range all.Items {
		if strings.HasPrefix(hc.GetName(), "latency-") {
			errs = append(errs, w.remove(ctx, hc.GetName()))
		}
	}
	return errors.Join(errs...)
}
