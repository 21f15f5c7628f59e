package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hcctl/hcctl/internal/golden"
)

// nightPage has the table of what was broken in a sandbox where everything runs, and how its cause was found.
var nightPage = filepath.Join("..", "docs", "dev", "journeys.md")

const (
	// maxNightCommands is how many commands an operator types at most until a line names the cause.
	maxNightCommands = 2
	// nightTime is how long operators have until their conditions say that something is broken.
	nightTime = time.Minute
)

// nightRow is a row of the table.
type nightRow struct{ broken, commands, line string }

// String is the row without the line of the cause.
func (r nightRow) String() string { return fmt.Sprintf("| %s | %s |", r.broken, r.commands) }

// TestNight breaks what hosted clusters need, one thing after the other, and holds that at most two commands name the
// cause. UPDATE=1 writes the table; else the table has to have the same rows.
func TestNight(t *testing.T) {
	t.Parallel()
	s := settingsFor(t)
	if s.kubeconfig != "" {
		t.Skip(realKubeconfig + " is set: nothing is broken on purpose on a real cluster")
	}
	var rows []nightRow
	t.Run("breaks", func(t *testing.T) {
		testscript.Run(t, params(s, []string{filepath.Join("testdata", "night", "breaks.txtar")}, func(env *testscript.Env) error {
			env.Values[home{}].(*harness).night = &rows
			return nil
		}))
	})
	if t.Failed() {
		return
	}
	if golden.Updating() {
		var b strings.Builder
		b.WriteString("| broken | commands | line that names the cause |\n| --- | --- | --- |\n")
		for _, r := range rows {
			fmt.Fprintf(&b, "%s %s |\n", r, strings.ReplaceAll(r.line, "|", `\|`))
		}
		golden.Section(t, nightPage, "<!-- night -->\n", "<!-- end of night -->", b.String())
		return
	}
	page, err := os.ReadFile(nightPage)
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "<!-- night -->\n")
	table, _, _ = strings.Cut(table, "<!-- end of night -->")
	lines := strings.Split(strings.TrimSpace(table), "\n")
	if len(lines) != len(rows)+2 {
		t.Errorf("%s has %d rows, want %d: UPDATE=1 writes them", nightPage, len(lines)-2, len(rows))
	}
	for _, r := range rows {
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, r.String()) }) {
			t.Errorf("%s has no row %s: UPDATE=1 writes it", nightPage, r)
		}
	}
}

// nightCommand: night BROKEN LINE COMMAND...
//
// runs the commands, each of which is one argument, until a line of the last matches the regular expression LINE.
func nightCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: night BROKEN LINE COMMAND...")
	}
	commands, rows := args[2:], harnessOf(ts).night
	if len(commands) > maxNightCommands {
		ts.Fatalf("%d commands, want at most %d", len(commands), maxNightCommands)
	}
	want, err := regexp.Compile(args[1])
	ts.Check(err)
	row := nightRow{broken: args[0], commands: "`" + strings.Join(commands, "`, `") + "`"}
	untilHolds(ts, nightTime, func() error {
		shown := ""
		for _, command := range commands {
			words := strings.Fields(command)
			_ = ts.Exec(words[0], words[1:]...) // that something is wrong is an exit code
			shown = ts.ReadFile("stdout") + ts.ReadFile("stderr")
		}
		for line := range strings.Lines(shown) {
			if row.line = strings.Join(strings.Fields(line), " "); want.MatchString(row.line) {
				return nil
			}
		}
		return fmt.Errorf("no line matches %s:\n%s", want, shown)
	})
	*rows = append(*rows, row)
}
