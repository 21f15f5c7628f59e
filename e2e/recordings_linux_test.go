package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/internal/golden"
	"github.com/hcctl/hcctl/internal/layout"
	"github.com/hcctl/hcctl/internal/ptytest"
	"github.com/hcctl/hcctl/internal/sandbox"
)

// recordingsPage has what the commands of the journeys leave on a terminal of 80 columns. make recordings writes it.
var recordingsPage = filepath.Join("..", "docs", "recordings.md")

// recorded is a command of a journey: one of hcctl, which leaves at most so many lines, or one of oc, whose change the
// test makes itself.
type recorded struct {
	pageCommand
	// scale is the number of replicas that the Deployment hypershift/operator gets, by oc.
	scale string
}

// journeys are played one after the other on one sandbox where nothing is installed.
var journeys = []struct {
	title, about string
	commands     []recorded
}{
	{"A new user", "Nothing is installed. The question about disks is answered by y; a warning is whole, however long.", []recorded{
		{pageCommand: pageCommand{line: "hcctl check", exit: 3, last: `see above\.$`, lines: 110}},
		{pageCommand: pageCommand{line: "hcctl bootstrap --metallb-range 127.1.217.32-127.1.217.122", lines: 25,
			from: "Bootstrapping ", last: `^Ready for hosted clusters\. Next: hcctl create cluster --name NAME$`}},
		{pageCommand: pageCommand{line: "hcctl check", lines: 15, last: `^Ready for hosted clusters\. Next: `}},
		{pageCommand: pageCommand{line: "hcctl create cluster --name kv-00", lines: 15, from: "Creating hosted cluster ",
			last: `^ *hcctl exec kv-00 -- oc get nodes$`}},
		{pageCommand: pageCommand{line: "hcctl kubeconfig kv-00 --merge", lines: 10, last: `^Next: oc --context clusters-kv-00 get nodes$`}},
		{pageCommand: pageCommand{line: "hcctl console kv-00", exit: 3, lines: 10,
			last: `^  → hcctl exec kv-00 -- oc get clusteroperator console$`}},
	}},
	{"An operator at night", "Somebody has scaled HyperShift's operator to 0.", []recorded{
		{scale: "0"},
		{pageCommand: pageCommand{line: "hcctl status kv-00", exit: 3, lines: 25,
			last: `^If that does not help: hcctl dump kv-00$`}},
		{pageCommand: pageCommand{line: "hcctl describe cluster kv-00", lines: 130}},
		{pageCommand: pageCommand{line: "hcctl explain hypershift/operator", lines: 60}},
		{scale: "2"},
		{pageCommand: pageCommand{line: "hcctl wait cluster kv-00 --for healthy --stable-for 5s", lines: 10}},
		{pageCommand: pageCommand{line: "hcctl status kv-00", lines: 25, last: `^Next: `}},
	}},
	{"A reader", "Where is it written how much memory a worker has, how is it changed, and what does a word mean?", []recorded{
		{pageCommand: pageCommand{line: "hcctl docs --search 'worker memory'", lines: 40}},
		{pageCommand: pageCommand{line: "hcctl help scale", lines: 60}},
		{pageCommand: pageCommand{line: "hcctl explain EtcdAvailable", lines: 50}},
	}},
}

// TestRecordings plays the journeys: each command ends as it should, and leaves no more lines than it may. With
// UPDATE=1 it writes the page; without, the page has to have the same commands.
func TestRecordings(t *testing.T) {
	t.Parallel()
	s := settingsFor(t)
	if s.kubeconfig != "" {
		t.Skip(realKubeconfig + " is set: only the story for real clusters is run")
	}
	if !s.all && !golden.Updating() {
		t.Skip("make test-all runs it: TestPages holds the lines of the same commands on a terminal")
	}
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), sandbox.StartTime)
	defer cancel()
	process, err := sandbox.Launch(ctx, s.sandboxProgram, filepath.Join(dir, "sandbox"),
		s.withDefaults([]string{"--speed=50", "--guests=1"})...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := process.Stop(); err != nil {
			t.Error(err)
		}
	}()
	env := append(pageEnvironment(t, s, dir), "HCCTL_PAGER=cat")
	var counts, records strings.Builder
	counts.WriteString("| journey | command | lines | exit code |\n| --- | --- | --- | --- |\n")
	var known []string
	for _, j := range journeys {
		fmt.Fprintf(&records, "\n## %s\n\n%s\n\n```\n", j.title, j.about)
		for i, c := range j.commands {
			if c.scale != "" {
				c.line = "oc scale deployment/operator -n hypershift --replicas=" + c.scale
				scaleOperator(t, process.Kubeconfig, c.scale)
			}
			known = append(known, c.line)
			fmt.Fprintf(&records, "%s$ %s\n", strings.Repeat("\n", min(i, 1)), c.line)
			if c.scale != "" {
				continue
			}
			cmd := exec.CommandContext(t.Context(), "sh", "-c", c.line)
			cmd.Dir, cmd.Env = dir, env
			left, code := ptytest.Run(t, cmd)
			c.holdLines(t, left)
			if last := lastLine(unwrapped(left)); code != c.exit || !regexp.MustCompile(c.last).MatchString(last) {
				t.Fatalf("$ %s\n%s\nexit code %d, want %d; the last line %q, want %s", c.line, strings.Join(left, "\n"), code,
					c.exit, last, c.last)
			}
			fmt.Fprintf(&counts, "| %s | `%s` | %d | %d |\n", j.title, c.line, len(left), code)
			shown := strings.Join(left, "\n") + "\n"
			if strings.Contains(shown, dir) { // the page has no path of this machine
				shown = strings.ReplaceAll(unwrapped(left), dir+"/", "")
			}
			records.WriteString(shown)
		}
		records.WriteString("```\n")
	}
	if golden.Updating() {
		golden.Section(t, recordingsPage, "<!-- recordings -->\n", "<!-- end of recordings -->", counts.String()+records.String())
		return
	}
	page, err := os.ReadFile(recordingsPage)
	if err != nil {
		t.Fatal(err)
	}
	_, made, _ := strings.Cut(string(page), "<!-- recordings -->")
	if found := layout.CommandLines(made); !slices.Equal(found, known) {
		t.Errorf("%s has the commands\n  %s\nand the test plays\n  %s\nmake recordings writes it", recordingsPage,
			strings.Join(found, "\n  "), strings.Join(known, "\n  "))
	}
}

// scaleOperator sets the replicas of HyperShift's operator, and waits until as many of them run.
func scaleOperator(t *testing.T, kubeconfig, replicas string) {
	t.Helper()
	c, err := connect(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	const kind, at = "deployments.apps", "hypershift/operator"
	if err := c.merge(kind, at, `{"spec":{"replicas":`+replicas+`}}`, "oc"); err != nil {
		t.Fatal(err)
	}
	ready := []string{".status.readyReplicas", "==", strings.Trim(replicas, "0")} // there is no field for 0
	if err := retried(awaitTime, func() error { return c.object(nil, append([]string{kind, at}, ready...)) }); err != nil {
		t.Fatal(err)
	}
}
