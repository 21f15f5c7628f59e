package diagnosis

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/internal/golden"
)

// maxTime is how long a command may take until it has said the cause.
const maxTime = 10 * time.Second

// An operator types at most maxCommands commands until the cause is said, in at least minCases cases.
const (
	maxCommands = 2
	minCases    = 30
)

// TestDiagnosis brings one hosted cluster into each state of the cases in turn, and holds the first line that hcctl
// prints, its exit code, and the message of its JSON. Where ONLY is set, it runs the cases whose symptom contains it,
// or one of several texts with bars between.
func TestDiagnosis(t *testing.T) {
	w := newWorld(t)
	cases := readCases(t)
	if len(cases) < minCases {
		t.Errorf("%d cases, want %d", len(cases), minCases)
	}
	rows := healthy(t, w)
	only := os.Getenv("ONLY")
	began := time.Now()
	for i := range cases {
		d := &cases[i]
		if !slices.ContainsFunc(strings.Split(only, "|"), func(s string) bool { return strings.Contains(d.Symptom, s) }) {
			continue
		}
		t.Run(strings.ReplaceAll(d.Symptom, " ", "-"), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			defer func() {
				if err := w.back(ctx); err != nil {
					t.Fatal(err)
				}
			}()
			if err := w.make(ctx, d); err != nil {
				t.Fatal(err)
			}
			row := w.diagnose(t, d)
			t.Log(strings.TrimSpace(row))
			rows += row
		})
	}
	t.Logf("%d cases in %s", len(cases), time.Since(began).Round(time.Second))
	if only == "" && !t.Failed() {
		healthy(t, w)
		golden.Section(t, page, "<!-- cases -->\n", "<!-- end of cases -->", rows)
	}
}

// healthy checks that the cluster is well without a case, and returns the table's first lines.
func healthy(t *testing.T, w *world) string {
	t.Helper()
	before := len(w.hosting.Requests()) + len(w.guest.Requests())
	if e := w.hcctl.Run(t, "status", name); e.Code != 0 {
		t.Fatalf("the cluster is not well by itself: %s", e)
	}
	t.Logf("a healthy cluster takes %d requests", len(w.hosting.Requests())+len(w.guest.Requests())-before)
	var took []time.Duration
	for range 11 {
		took = append(took, w.hcctl.Run(t, "status", name).Took)
	}
	slices.Sort(took)
	t.Logf("status of a healthy cluster takes %s (median of %d)", took[len(took)/2].Round(time.Millisecond), len(took))
	return "| symptom | commands | first line | exit | requests | seconds |\n| --- | --- | --- | --- | --- | --- |\n"
}

// whole is the line of status that says how the cluster is.
var whole = regexp.MustCompile(`(?m)^(Healthy|OK|Warning|Unknown|Progressing|Failing|Broken): .*$`)

// caused is the line with the cause of events, of timeline -o json and of the exporter.
var caused = regexp.MustCompile(`(?m)^Hosted cluster \S+ is .*$|"message": "it held once.*$|^hcctl_hosted_cluster_cause{.*$`)

// diagnose runs the commands of a case, and returns its row.
func (w *world) diagnose(t *testing.T, d *diagnosis) string {
	t.Helper()
	commands := d.Run
	if len(commands) == 0 {
		commands = []string{"status " + name}
	}
	if len(commands) > maxCommands {
		t.Errorf("%d commands, want at most %d", len(commands), maxCommands)
	}
	line, requests, took, text := "", 0, time.Duration(0), ""
	for i, command := range commands {
		before := len(w.hosting.Requests()) + len(w.guest.Requests())
		e := w.hcctl.Run(t, strings.Fields(command)...)
		requests += len(w.hosting.Requests()) + len(w.guest.Requests()) - before
		took += e.Took
		if i < len(commands)-1 {
			continue
		}
		text = e.Out + e.Err
		if line = firstLine(command, text); e.Code != d.Exit || line == "" {
			t.Errorf("exit code %d, want %d: %s", e.Code, d.Exit, e)
		}
	}
	for _, want := range d.Want {
		if !strings.Contains(line, want) {
			t.Errorf("the first line lacks %q: %s\n%s", want, line, text)
		}
	}
	for _, want := range d.Also {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
	for _, lacks := range d.Lacks {
		if strings.Contains(text, lacks) {
			t.Errorf("%q is there:\n%s", lacks, text)
		}
	}
	if len(d.Run) == 0 && d.API == "" {
		w.sameInJSON(t, line)
	}
	if took > maxTime {
		t.Errorf("took %s", took)
	}
	for i := range commands {
		commands[i] = "`hcctl " + commands[i] + "`"
	}
	line = ofThisRun.ReplaceAllString(strings.ReplaceAll(line, "|", `\|`), "...")
	return fmt.Sprintf("| %s | %s | %s | %d | %s |\n", d.Symptom, strings.Join(commands, ", "), line, d.Exit,
		measured(t, d, fmt.Sprintf("%d | %.1f", requests, took.Seconds())))
}

// firstLine is the verdict of status, the cluster's row of a list, or the last line with a problem.
func firstLine(command, text string) string {
	if found := whole.FindString(text); found != "" {
		return found
	}
	if strings.HasPrefix(command, "describe") {
		if lines := strings.Split(text, "\n"); len(lines) > 2 {
			return lines[1] + ": " + lines[2]
		}
	}
	if found := caused.FindString(text); found != "" {
		return found
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.Contains(command, "status") && strings.Contains(line, name+" ") ||
			strings.HasPrefix(line, "✗ ") || strings.HasPrefix(line, "Error: ") {
			return strings.Join(strings.Fields(line), " ")
		}
	}
	return ""
}

// sameInJSON holds that a program reads what a person does.
func (w *world) sameInJSON(t *testing.T, line string) {
	t.Helper()
	_, said, _ := strings.Cut(line, ": ")
	var report struct{ Message string }
	if err := json.Unmarshal([]byte(w.hcctl.Run(t, "status", name, "-o", "json").Out), &report); err != nil {
		t.Fatal(err)
	}
	if steady(report.Message) != steady(said) {
		t.Errorf("-o json says %q, the last line %q", report.Message, said)
	}
}

// steady leaves seconds out of ages, which pass between two runs.
func steady(s string) string { return regexp.MustCompile(`\d+m\d+s|\d+s`).ReplaceAllString(s, "_") }

// ofThisRun is what differs from run to run: ports, times, ages of minutes, how a connection ends.
var ofThisRun = regexp.MustCompile(`(?:no answer in time|broken pipe|connection [a-z ]+|EOF)$|127\.0\.0\.1:\d+|\d{4}-\d\d-\d\d \d\d:\d\d UTC|created \d+m ago|after \ds`)

// measured are requests and seconds: those of the page, so that they only change when it is made anew.
func measured(t *testing.T, d *diagnosis, now string) string {
	t.Helper()
	if golden.Updating() {
		return now
	}
	for line := range strings.Lines(readPage(t)) {
		if cells := strings.Split(line, " | "); strings.HasPrefix(line, "| "+d.Symptom+" |") && len(cells) > 2 {
			return strings.TrimSuffix(strings.TrimSpace(strings.Join(cells[len(cells)-2:], " | ")), " |")
		}
	}
	return now
}
