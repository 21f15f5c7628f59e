package main

import (
	"cmp"
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
	"github.com/hcctl/hcctl/internal/audit"
	"github.com/hcctl/hcctl/internal/faultproxy"
)

// latencyBench measures what a user feels whose API server is far away: each command through a faultproxy.Line.
type latencyBench struct {
	// RoundTrip is what the line adds to every round trip, Runs how often each command runs.
	RoundTrip time.Duration
	Runs      int
	// Programs run in turn. The first is the hcctl that the goals are for.
	Programs []contender
	// Only are the names of the commands to measure, none for all.
	Only []string
	Told io.Writer

	// kubeconfig leads over the line.
	kubeconfig string
	w          *world
	names      int
}

// contender is a program that is measured.
type contender struct{ Name, Path, Agent string }

const (
	contenderNow     = "hcctl"
	contenderBefore  = "hcctl before"
	contenderKubectl = "kubectl"
	contenderHcp     = "hcp"
	// followed is the cluster that commands read. It has an API server.
	followed = "followed"
)

// goalRoundTrip is the round trip that the goals are for.
const goalRoundTrip = 100 * time.Millisecond

// latencyCommand is a command as it is measured. NAME in the arguments is a new hosted cluster's name.
type latencyCommand struct {
	Name string
	Args []string
	// Peer are the arguments of the other tool, Tool, that does the same.
	Tool string
	Peer []string
	// Exit is the exit code of success beside 0.
	Exit int
	// Deletes is whether the cluster has to exist before; it is created directly.
	Deletes bool
	// Goal is the time at goalRoundTrip until the HostedCluster is written or, without Written, until the end; 0 for none.
	Goal    time.Duration
	Written bool
	// Before and After limit the requests before the first write and from then on, Total all; noLimit for none.
	Before, After, Total int
}

const noLimit = -1

// latencyCommands returns the commands in the order of the report.
func latencyCommands() []latencyCommand {
	second := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	reads := func(name string, goal float64, args ...string) latencyCommand {
		return latencyCommand{Name: name, Args: args, Goal: second(goal), Before: noLimit, After: noLimit,
			Total: noLimit}
	}
	get := reads("get clusters", 0, "get", "clusters", "-A")
	get.Tool, get.Peer = contenderKubectl, []string{"get", "hostedclusters.hypershift.openshift.io", "-A"}
	version, help := reads("version", 0, "version"), reads("--help", 0, "--help")
	version.Before, help.Before = 0, 0
	flags := []string{"--name", "NAME", "--namespace", namespace, "--pull-secret", "PULLSECRET", "--release-image",
		"quay.io/openshift-release-dev/ocp-release:4.20.8-multi", "--node-pool-replicas", "2", "--memory", "8Gi", "--cores",
		"2"}
	create := latencyCommand{Name: "create", Args: []string{"create", "cluster", "--name", "NAME", "--wait", "none", "--yes"},
		Tool: contenderHcp, Peer: append([]string{"create", "cluster", "kubevirt"}, flags...),
		Goal: second(1.4), Written: true, Before: 40, After: 25, Total: noLimit}
	dry := reads("create --dry-run=server", 1.6, "create", "cluster", "--name", "NAME", "--dry-run=server")
	dry.Exit = 6
	remove := latencyCommand{Name: "delete", Args: []string{"delete", "cluster", "NAME", "--yes"}, Deletes: true,
		Tool: contenderHcp, Peer: []string{"destroy", "cluster", "kubevirt", "--name", "NAME", "--namespace", namespace},
		Before: noLimit, After: noLimit, Total: 60}
	one, all := reads("status of one", 0.5, "status", followed), reads("status of all", 0, "status")
	// Other clusters, and what is simulated, need not be well.
	one.Exit, all.Exit = 3, 3
	return []latencyCommand{
		version, help, get, one, all,
		reads("check", 0.7, "check"),
		create, dry, remove,
		reads("releases on offer", 0, "upgrade", "cluster", followed),
		reads("kubeconfig", 0, "kubeconfig", followed),
		reads("exec", 0, "exec", followed, "--", "true"),
		reads("completion of a name", 0.4, "__complete", "status", ""),
	}
}

// latencyRuns are enough for a median of what a line makes slow, and keep the whole to a few minutes.
const latencyRuns = 5

// contenders returns the programs that exist. Only the first has to.
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
		b.worlds.stop()
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

// latencySample is one run of a command.
type latencySample struct {
	First, Write, Written, End time.Duration
	Before, After              int
}

// latencyRow is what a program took for a command: medians.
type latencyRow struct {
	Command, Program           string
	First, Write, Written, End time.Duration
	// Before and After are requests before the first write, and from then on.
	Before, After int
	Runs          int
	// Missed are the goals that were not reached.
	Missed []string
}

// run measures the commands in turn in one sandbox.
func (l *latencyBench) run(ctx context.Context, w *world) ([]latencyRow, error) {
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
		if err := l.made(ctx, followed, "complete"); err != nil {
			return nil, err
		}
	}
	var rows []latencyRow
	for _, c := range commands {
		samples := map[string][]latencySample{}
		for run := range l.Runs + 1 { // the first warms up what the server prepares at the first request
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
			if of := samples[p.Name]; len(of) > 0 {
				row := medians(of)
				row.Command, row.Program = c.Name, p.Name
				if p.Name == contenderNow {
					row.Missed = c.missed(row, l.RoundTrip)
				}
				rows = append(rows, row)
				_, _ = fmt.Fprintf(l.Told, "# %s\n", row)
			}
		}
	}
	return rows, nil
}

// made creates a cluster over no line.
func (l *latencyBench) made(ctx context.Context, name, wait string) error {
	_, err := measuring.Run(ctx, l.w.env, l.Programs[0].Path, "create", "cluster", "--name", name, "--wait", wait, "--yes",
		"--skip-preflight", "all")
	return err
}

// one runs a command once; ran is false if the program has none for it.
func (l *latencyBench) one(ctx context.Context, c latencyCommand, p contender, secret string) (s latencySample, ran bool,
	err error) {
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
		if err := l.made(ctx, name, "none"); err != nil {
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

// sampleOf reads the times of a run from its output and the API server's audit log.
func sampleOf(e measuring.Ended, requests []audit.Request) latencySample {
	s := latencySample{End: e.Took}
	if len(e.Said) > 0 {
		s.First = e.Said[0].After
	}
	begin := e.At.Add(-e.Took)
	var first time.Time
	for _, r := range requests {
		if !writes(r) {
			continue
		}
		if first.IsZero() || r.Received.Before(first) {
			first = r.Received
		}
		if at := r.Received.Sub(begin); r.Resource == hostedClusters.Resource && (s.Written == 0 || at < s.Written) {
			s.Written = at
		}
	}
	if !first.IsZero() {
		s.Write = first.Sub(begin)
	}
	for _, r := range requests {
		if first.IsZero() || r.Received.Before(first) {
			s.Before++
		} else {
			s.After++
		}
	}
	return s
}

// writes reports whether a request changes something.
func writes(r audit.Request) bool {
	switch r.Verb {
	case "create", "update", "patch", "delete", "deletecollection":
		return !r.DryRun() && !strings.HasSuffix(r.Resource, "reviews")
	}
	return false
}

// medians returns the median of each figure.
func medians(samples []latencySample) latencyRow {
	of := func(value func(latencySample) float64) float64 {
		values := make([]float64, len(samples))
		for i, s := range samples {
			values[i] = value(s)
		}
		return measuring.Median(values)
	}
	span := func(value func(latencySample) time.Duration) time.Duration {
		return time.Duration(of(func(s latencySample) float64 { return float64(value(s)) }))
	}
	return latencyRow{
		First:   span(func(s latencySample) time.Duration { return s.First }),
		Write:   span(func(s latencySample) time.Duration { return s.Write }),
		Written: span(func(s latencySample) time.Duration { return s.Written }),
		End:     span(func(s latencySample) time.Duration { return s.End }),
		Before:  int(of(func(s latencySample) float64 { return float64(s.Before) })),
		After:   int(of(func(s latencySample) float64 { return float64(s.After) })),
		Runs:    len(samples),
	}
}

// missed names the goals that a row does not reach. Times count only at the round trip that the goals are for.
func (c latencyCommand) missed(r latencyRow, roundTrip time.Duration) []string {
	var out []string
	took, what := r.End, "end"
	if c.Written {
		took, what = r.Written, "HostedCluster written"
	}
	if c.Goal > 0 && roundTrip == goalRoundTrip && took > c.Goal {
		out = append(out, fmt.Sprintf("%s at most %s s", what, seconds(c.Goal)))
	}
	if c.Before != noLimit && r.Before > c.Before {
		out = append(out, fmt.Sprintf("at most %d requests before the first write", c.Before))
	}
	if c.After != noLimit && r.After > c.After {
		out = append(out, fmt.Sprintf("at most %d requests from the first write on", c.After))
	}
	if c.Total != noLimit && r.Before+r.After > c.Total {
		out = append(out, fmt.Sprintf("at most %d requests", c.Total))
	}
	return out
}

// seconds formats a duration for a table, "" for none.
func seconds(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", d.Seconds())
}

// String is the row in one line.
func (r latencyRow) String() string {
	text := fmt.Sprintf("%s, %s: first line %s, first write %s, HostedCluster %s, end %s s, %d + %d requests", r.Command,
		r.Program, cmp.Or(seconds(r.First), "-"), cmp.Or(seconds(r.Write), "-"), cmp.Or(seconds(r.Written), "-"),
		seconds(r.End), r.Before, r.After)
	if len(r.Missed) > 0 {
		text += "; missed: " + strings.Join(r.Missed, ", ")
	}
	return text
}

// latencyTable returns the rows in Markdown, with the ratio to the program that ran as "before".
func latencyTable(roundTrip time.Duration, rows []latencyRow) string {
	before := map[string]latencyRow{}
	for _, r := range rows {
		if r.Program == contenderBefore {
			before[r.Command] = r
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Round trip %s added; seconds, medians.\n\n", roundTrip)
	b.WriteString("| command | program | first line | first write | HostedCluster written | end | requests before the first " +
		"write | from then on | end: new over old | goals |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, r := range rows {
		ratio, goals := "", ""
		if old, ok := before[r.Command]; ok && r.Program == contenderNow && old.End > 0 {
			ratio = fmt.Sprintf("%.2f", r.End.Seconds()/old.End.Seconds())
		}
		if len(r.Missed) > 0 {
			goals = "**missed: " + strings.Join(r.Missed, "; ") + "**"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %d | %d | %s | %s |\n", r.Command, r.Program, seconds(r.First),
			seconds(r.Write), seconds(r.Written), seconds(r.End), r.Before, r.After, ratio, goals)
	}
	return b.String()
}

// pullSecret writes the management cluster's pull secret into a file, which hcp has to be given.
func (w *world) pullSecret(ctx context.Context) (string, error) {
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
	return path, os.WriteFile(path, content, 0o600) //nolint:forbidigo // for this run alone
}

// removeAll deletes the hosted clusters that a run has left, and waits for them.
func (w *world) removeAll(ctx context.Context) error {
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
