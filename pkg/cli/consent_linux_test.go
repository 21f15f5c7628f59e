package cli

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hcctl/hcctl/internal/consent"
	"github.com/hcctl/hcctl/internal/ptytest"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// TestEveryDestructionAsksOnATerminal: of the table, each command that destroys something, or may, asks last, on a line
// of its own, names what is lost, and takes no line that was typed before the question. Nothing is written until then.
func TestEveryDestructionAsksOnATerminal(t *testing.T) {
	var writes atomic.Int32
	writtenWorld(t, func() { writes.Add(1) })
	for path, c := range consents {
		if len(c.names) == 0 {
			continue
		}
		for _, line := range c.lines {
			t.Run(path+" "+line, func(t *testing.T) {
				person := ptytest.New(t, "n\n")
				person.TypeAhead("y\ny\n2\n2\n")
				var out bytes.Buffer
				args := strings.Fields(path + " " + line)
				code := Main(t.Context(), args, cmdutil.Streams{In: person.Program, Out: &out, Err: person},
					func(string) string { return "" })
				answers := "[y/N] "
				if strings.HasPrefix(path, "delete cluster") {
					answers = "Type kv-00 to go on: "
				}
				question, said, _ := strings.Cut(person.Shown()[strings.LastIndex(person.Shown(), "\n\n")+2:], answers)
				if code != cmdutil.ExitError || said != "Error: not confirmed: nothing was changed\n" ||
					!strings.HasSuffix(question, "? ") || strings.Contains(question, "\n") {
					t.Errorf("exit %d, the question is not the last line, alone:\n%s%s", code, out.String(), person.Shown())
				}
				for _, name := range c.names {
					if !strings.Contains(person.Shown(), name) {
						t.Errorf("it does not name %q:\n%s", name, person.Shown())
					}
				}
			})
		}
	}
	if n := writes.Load(); n > 0 {
		t.Errorf("%d writes without consent", n)
	}
}

// writtenWorld is a planted world that calls written before each write, with KUBECONFIG for it.
func writtenWorld(t *testing.T, written func()) {
	t.Helper()
	world := plantedWorld(t, "")
	planted := world.Config.Handler.(*hostileServer)
	planted.answers["/apis/metallb.io/v1beta1/ipaddresspools"] = object{"items": []any{}}
	planted.answers["/api"] = object{"kind": "APIVersions", "versions": []any{"v1"}}
	planted.answers["/apis"] = object{"kind": "APIGroupList", "apiVersion": "v1", "groups": []any{}}
	world.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.URL.Query().Get("dryRun") == "" && !strings.Contains(r.URL.Path, "accessreviews") {
			written()
		}
		planted.ServeHTTP(w, r)
	})
	t.Setenv("KUBECONFIG", kubeconfigOf(t, world, "{token: some-other-token}"))
}

// agreement is a row of the table of docs/disks.md.
type agreement struct{ it, terminal, yes, disks, doubts, then string }

// agreements reads the table.
func agreements(t *testing.T) []agreement {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "disks.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(page), "| --- | --- | --- | --- | --- | --- |\n")
	table, _, ended := strings.Cut(table, "\n\n")
	if !found || !ended {
		t.Fatal("docs/disks.md has no table of who agrees")
	}
	var rows []agreement
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 6 {
			t.Fatalf("docs/disks.md: %s", line)
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, agreement{cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]})
	}
	return rows
}

// says returns what the table says, which has to be one row.
func says(t *testing.T, rows []agreement, of agreement) string {
	t.Helper()
	fits := func(cell, value string) bool { return cell == value || cell == "any" }
	rows = slices.DeleteFunc(slices.Clone(rows), func(r agreement) bool {
		return r.it != of.it || !fits(r.terminal, of.terminal) || !fits(r.yes, of.yes) || !fits(r.disks, of.disks) ||
			!fits(r.doubts, of.doubts)
	})
	if len(rows) != 1 {
		t.Fatalf("docs/disks.md: %d rows are about %+v", len(rows), of)
	}
	return rows[0].then
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// exitOf has the exit codes of the decisions that stop a command.
var exitOf = map[consent.Decision]int{consent.NeedsYes: cmdutil.ExitCode(consent.MissingFlag("")),
	consent.NeedsDisks: cmdutil.ExitBroken}

// TestTheTableOfWhoAgrees: docs/disks.md says what hcctl decides, for everything that the decision rests on.
func TestTheTableOfWhoAgrees(t *testing.T) {
	rows, both := agreements(t), []bool{false, true}
	hold := func(c consent.Caller, r consent.Request, of agreement) {
		of.terminal, of.yes = yesNo(c.Terminal), yesNo(c.Yes)
		decided := c.Decide(r)
		got := string(decided)
		if code := exitOf[decided]; code != 0 {
			got += fmt.Sprintf(" (exit code %d)", code)
		}
		if want := says(t, rows, of); got != want {
			t.Errorf("%+v: it %s, docs/disks.md says %s", of, got, want)
		}
	}
	for _, terminal := range both {
		for _, yes := range both {
			c := consent.Caller{Terminal: terminal, Yes: yes}
			hold(c, consent.Request{}, agreement{it: "creates or changes", disks: "-", doubts: "-"})
			hold(c, consent.Request{Destroys: true}, agreement{it: "destroys", disks: "-", doubts: "-"})
			for _, doubts := range both {
				for _, approval := range []consent.Approval{consent.NotGiven, consent.OfThese, consent.Named, consent.OfOthers} {
					of := agreement{it: "takes disks", disks: string(approval), doubts: yesNo(doubts)}
					if approval == consent.NotGiven {
						of.disks = "-"
					}
					hold(c, consent.Request{Disks: approval, Doubts: doubts}, of)
				}
			}
		}
	}
}

// before are commands whose question comes after something that the planted world does not have. Their scripts of
// e2e hold it.
var before = []string{"density", "restore", "uninstall"}

// TestEveryCommandDoesWhatTheTableSays: each command that changes something, on a terminal and without one, with --yes
// and without it.
func TestEveryCommandDoesWhatTheTableSays(t *testing.T) {
	rows := agreements(t)
	t.Chdir(t.TempDir())
	for file, content := range map[string]string{"pull.json": `{"auths":{"quay.io":{"auth":"ZGVtbzpkZW1v"}}}`,
		"cluster.yaml": "apiVersion: hcctl.dev/v1alpha1\nkind: Cluster\n" +
			"spec: {version: 4.20.8, pullSecret: pull.json}\n",
		"fleet.yaml": "apiVersion: hcctl.dev/v1alpha1\nkind: Fleet\ndefaults: {spec: {releaseImage: \"quay.io/x/y:4.20.2-multi\"," +
			" pullSecret: pull.json}}\nclusters: [{metadata: {name: kv-01}}]\n"} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for path, c := range consents {
		if c.kind == reads {
			continue
		}
		if len(c.lines) == 0 {
			t.Errorf("hcctl %s: the table consents has no line for it", path)
		}
		for _, line := range c.lines {
			for _, way := range []agreement{{terminal: "yes", yes: "yes"}, {terminal: "yes", yes: "no"},
				{terminal: "no", yes: "yes"}, {terminal: "no", yes: "no"}} {
				way.it, way.disks, way.doubts = "destroys", "-", "-"
				if c.kind == changes {
					way.it = "creates or changes"
				}
				t.Run(fmt.Sprintf("%s %s, terminal %s, --yes %s", path, line, way.terminal, way.yes), func(t *testing.T) {
					want, _, _ := strings.Cut(says(t, rows, way), " (")
					if got, shown := doesThen(t, path+" "+line, way); got != want && (want != "asks" || !slices.Contains(before, path)) {
						t.Errorf("it %s, docs/disks.md says that it %s:\n%s", got, want, shown)
					}
				})
			}
		}
	}
}

// doesThen calls a command until its first write, and answers n. It returns what the command does, in the words of
// the table.
func doesThen(t *testing.T, command string, way agreement) (does, shown string) {
	t.Helper()
	ctx, end := context.WithTimeout(t.Context(), 20*time.Second)
	defer end()
	writtenWorld(t, end)
	user := ptytest.New(t, "n\n")
	streams := cmdutil.Streams{In: strings.NewReader("n\n"), Out: &bytes.Buffer{}, Err: user}
	if way.terminal == "yes" {
		streams.In = user.Program
	}
	args := strings.Fields(command)
	if way.yes == "yes" {
		args = append(args, "--yes")
	}
	code := Main(ctx, args, streams, func(string) string { return "" })
	shown = user.Shown()
	switch asked := strings.Contains(shown, "? [y/N] ") || strings.Contains(shown, " to go on: "); {
	case asked && code == cmdutil.ExitError:
		return string(consent.Asks), shown
	case !asked && code == exitOf[consent.NeedsYes] && strings.Contains(shown, "needs --yes here"):
		return string(consent.NeedsYes), shown
	case !asked && code != cmdutil.ExitUsage:
		return string(consent.GoesOn), shown
	}
	return fmt.Sprintf("ends with exit code %d", code), shown
}
