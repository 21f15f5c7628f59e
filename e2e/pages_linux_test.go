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
	"time"
	"unicode/utf8"

	"github.com/hcctl/hcctl/internal/layout"
	"github.com/hcctl/hcctl/internal/ptytest"
	"github.com/hcctl/hcctl/internal/sandbox"
)

// pageCommand is a command line of a page, and how it ends.
type pageCommand struct {
	line string
	exit int
	// last is the last line of the output: a regular expression.
	last string
	// notRun is why it cannot be run here.
	notRun string
	// from begins the line from which on at most lines lines stay on a terminal; empty for the first.
	from  string
	lines int
}

// holdLines fails if a command leaves more lines on a terminal than it may.
func (c pageCommand) holdLines(t *testing.T, left []string) {
	t.Helper()
	begin := slices.IndexFunc(left, func(line string) bool { return strings.HasPrefix(line, c.from) })
	switch n := len(slices.DeleteFunc(slices.Clone(left[max(begin, 0):]), ofAWarning())); {
	case begin < 0 && c.from != "":
		t.Errorf("$ %s: no line begins with %q", c.line, c.from)
	case c.lines > 0 && n > c.lines:
		t.Errorf("$ %s leaves %d lines, want %d:\n%s", c.line, n, c.lines, strings.Join(left[max(begin, 0):], "\n"))
	default:
		t.Logf("%d lines  $ %s\n%s", n, c.line, strings.Join(left[max(begin, 0):], "\n"))
	}
}

const (
	byTheTest = "the test has started the sandbox, in the same way"
	noNetwork = "there is no network"
	// ofARelease is of lines that need its archives.
	ofARelease = "TestDemoPage of hack/release runs it"
	// passwordLine is a password; on a terminal a line says whose it is.
	passwordLine = `^[a-zA-Z0-9]{5}(-[a-zA-Z0-9]{5}){3}$|^User kubeadmin of hosted cluster clusters/kv-00, `
	byTunnel     = "script tunnel.txtar runs it, where the address does not answer"
)

// makes are the make targets of all pages: make test-e2e is one of them, and CI runs them by its own list.
const makes = "make "

// pages are the pages whose command lines are run from the first to the last.
// first-cluster.md comes before README, whose two commands it has, too: README's find then what is there.
var pages = []struct {
	name  string
	files []string
	// passes are on a terminal, or without one; inAll are those that make test-all adds. Scripts and make demo run these
	// commands without a terminal.
	passes, inAll []bool
	lines         []pageCommand
}{
	{"first cluster", []string{"docs/first-cluster.md", "README.md"}, []bool{true}, []bool{false}, []pageCommand{
		{line: "hcctl check", exit: 3, last: `^Next: hcctl bootstrap`},
		{line: "hcctl check", exit: 3, last: `^Next: hcctl bootstrap`},
		{line: "hcctl bootstrap --metallb-range 192.168.216.32-192.168.216.122 --dry-run", exit: 6,
			last: `^Next: hcctl bootstrap does this\. Nothing was changed\.$`},
		{line: "hcctl bootstrap --metallb-range 192.168.216.32-192.168.216.122",
			last: `^Ready for hosted clusters\. Next: hcctl create cluster --name NAME$`,
			from: "Bootstrapping ", lines: 25},
		// The wildcard name resolves inside the sandbox, and not on this machine.
		{line: "hcctl check --probe", exit: 3, last: `^Next: what is left \(1\) needs a manual step, see above\.$`},
		{line: "hcctl create cluster --name kv-00 --dry-run", exit: 6,
			last: `^Next: the same command without --dry-run does this\. Nothing was changed\.$`},
		{line: "hcctl create cluster --name kv-00", last: `^ *hcctl exec kv-00 -- oc get nodes$`,
			from: "Creating hosted cluster ", lines: 15},
		// The sandbox's hosted clusters cannot be reached at an address that is not of this machine.
		{line: "hcctl console kv-00", exit: 3, last: `→ hcctl exec kv-00 -- oc get clusteroperator console$`},
		{line: "hcctl password kv-00", last: passwordLine},
		{line: "hcctl exec kv-00 -- oc get clusteroperators", last: `^oc get clusteroperators$`},
		{line: "hcctl status kv-00", notRun: byTunnel}, {line: "hcctl exec kv-00 -- oc get nodes", notRun: byTunnel},
		{line: "hcctl proxy kv-00", notRun: byTunnel},
		{line: "hcctl wait cluster kv-00 --through-management=never", notRun: byTunnel},

		{line: "git clone https://github.com/hcctl/hcctl", notRun: noNetwork},
		{line: "cd hcctl", notRun: noNetwork},
		{line: "export PATH=$PWD/bin:$PATH", last: `^$`},
		{line: "hcctl bootstrap --metallb-range 192.168.216.32-192.168.216.122",
			last: `^Ready for hosted clusters\. Next: hcctl create cluster --name NAME$`,
			from: "Bootstrapping ", lines: 25},
		{line: "hcctl create cluster --name kv-00", last: `^ *hcctl exec kv-00 -- oc get nodes$`,
			from: "Creating hosted cluster ", lines: 15},
		{line: "hcctl password kv-00", last: passwordLine},
		{line: "HCCTL_E2E_KUBECONFIG=FILE HCCTL_E2E_I_KNOW=yes HCCTL_E2E_METALLB_RANGE=FIRST-LAST make test-e2e",
			notRun: "it is for a real cluster"},
	}},
	// make demo runs the same lines without a terminal, in CI, too.
	{"demo", []string{"docs/demo.md"}, nil, []bool{true}, []pageCommand{
		{line: "version=1.2.3", notRun: ofARelease},
		{line: "from=https://github.com/hcctl/hcctl/releases/download/v$version", notRun: ofARelease},
		{line: `curl -fsSL --remote-name-all "$from/{checksums.txt,hcctl_${version}_linux_amd64.tar.gz,` +
			`hcctl-sandbox_${version}_linux_amd64.tar.gz}"`, notRun: ofARelease},
		{line: "sha256sum --check --ignore-missing checksums.txt", notRun: ofARelease},
		{line: "tar -xzf hcctl-sandbox_${version}_linux_amd64.tar.gz", notRun: ofARelease},
		{line: "tar -xzf hcctl_${version}_linux_amd64.tar.gz hcctl", notRun: ofARelease},
		{line: "export PATH=$PWD:$PATH", notRun: ofARelease},
		{line: "hcctl-sandbox start --dir sandbox &", notRun: ofARelease},
		{line: "export KUBECONFIG=sandbox/kubeconfig", notRun: ofARelease},
		{line: "hcctl check", notRun: ofARelease},

		{line: "hcctl-sandbox start --dir sandbox &", notRun: byTheTest},
		{line: "export KUBECONFIG=sandbox/kubeconfig", notRun: byTheTest},
		{line: "hcctl check", exit: 3, last: `^Next: hcctl bootstrap`},
		{line: "hcctl bootstrap --metallb-range 127.0.216.32-127.0.216.122", last: `^Ready for hosted clusters\. Next: `,
			from: "Bootstrapping ", lines: 25},
		{line: "hcctl check", last: `^Ready for hosted clusters\. Next: hcctl create cluster --name NAME$`, lines: 15},
		{line: "hcctl bootstrap --metallb-range 127.0.216.32-127.0.216.122", last: `^Ready for hosted clusters\. Next: `,
			from: "Bootstrapping ", lines: 25},
		{line: "hcctl create cluster --name kv-00 --version 4.20.3", last: `^ *hcctl exec kv-00 -- oc get nodes$`,
			from: "Creating hosted cluster ", lines: 15},
		{line: "hcctl get clusters", last: `^kv-00 +4\.20\.3 .* Completed |^ The hosted control plane is available$`},
		{line: "hcctl exec kv-00 -- kubectl get nodes", last: `^kubectl get nodes$`},
		{line: "hcctl scale kv-00 --replicas 3", last: `^NodePool clusters/kv-00 is set to 3 nodes\.$`},
		{line: "hcctl upgrade cluster kv-00", last: `^Next: hcctl upgrade cluster kv-00 --version 4\.20\.8$`},
		{line: "hcctl upgrade cluster kv-00 --version 4.20.8 --yes", last: `^Hosted cluster clusters/kv-00 is at 4\.20\.8\.$`},
		{line: "hcctl status kv-00", last: `^Next: hcctl exec kv-00 -- oc get nodes$`},
		{line: "hcctl delete cluster kv-00 --yes", last: `^Hosted cluster clusters/kv-00 is gone\.$`},
		{line: "hcctl get clusters", last: `^No hosted clusters in namespace clusters\.$`},
	}},
}

// TestPages runs each command line of pages as it is printed there, on a terminal where each question is answered by y.
func TestPages(t *testing.T) {
	t.Parallel()
	s := settingsFor(t)
	if s.kubeconfig != "" {
		t.Skip(realKubeconfig + " is set: only the story for real clusters is run")
	}
	for _, page := range pages {
		t.Run(page.name, func(t *testing.T) {
			t.Parallel()
			var found, known []string
			for _, file := range page.files {
				text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(file)))
				if err != nil {
					t.Fatal(err)
				}
				found = append(found, layout.CommandLines(string(text))...)
			}
			found = slices.DeleteFunc(found, func(line string) bool { return strings.HasPrefix(line, makes) })
			for _, c := range page.lines {
				known = append(known, c.line)
			}
			if !slices.Equal(found, known) {
				t.Fatalf("%s have the command lines\n  %s\nand the test knows\n  %s", strings.Join(page.files, ", "),
					strings.Join(found, "\n  "), strings.Join(known, "\n  "))
			}
			// All passes use the page's addresses, so they take turns.
			passes := page.passes
			if s.all {
				passes = slices.Concat(passes, page.inAll)
			}
			for _, terminal := range passes {
				t.Run(fmt.Sprintf("terminal %t", terminal), func(t *testing.T) {
					runPage(t, s, page.lines, terminal)
				})
			}
		})
	}
}

// runPage runs the lines on a sandbox where nothing is installed, in one directory. The hosted cluster has an API
// server, so that its health can be seen at an address that is not of this machine.
func runPage(t *testing.T, s settings, lines []pageCommand, terminal bool) {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), sandbox.StartTime)
	defer cancel()
	began := time.Now()
	cluster, err := sandbox.Launch(ctx, s.sandboxProgram, filepath.Join(dir, "sandbox"),
		s.withDefaults([]string{"--speed=50", "--guests=1"})...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := cluster.Stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("the sandbox wrote:\n%s", cluster.Log())
		}
	}()
	t.Logf("the sandbox: %.1fs", time.Since(began).Seconds())
	env := pageEnvironment(t, s, dir)
	for _, c := range lines {
		if c.notRun != "" {
			continue
		}
		began := time.Now()
		cmd := exec.CommandContext(t.Context(), "sh", "-c", c.line)
		cmd.Dir, cmd.Env = dir, env
		var shown string
		var code int
		if terminal {
			var left []string
			left, code = ptytest.Run(t, cmd)
			shown = unwrapped(left)
			c.holdLines(t, left)
		} else {
			out, _ := cmd.CombinedOutput() // the exit code says it; there is no standard input
			shown, code = string(out), cmd.ProcessState.ExitCode()
		}
		if last := lastLine(shown); code != c.exit || !regexp.MustCompile(c.last).MatchString(last) {
			t.Fatalf("$ %s\n%s\nexit code %d, want %d; the last line %q, want %s", c.line, shown, code, c.exit, last, c.last)
		}
		if strings.HasPrefix(c.line, "hcctl create cluster") && c.exit == 0 &&
			!regexp.MustCompile(`(?m)^Console: +https://console-openshift-console\.apps\.kv-00\.`).MatchString(shown) {
			t.Errorf("$ %s: no address of the console in:\n%s", c.line, shown)
		}
		t.Logf("%.1fs  $ %s", time.Since(began).Seconds(), c.line)
	}
}

// pageEnvironment has hcctl in the path and KUBECONFIG set, as the pages say, and nothing else of the machine's own.
// Stand-ins for oc and kubectl print how they are called, if they are given a kubeconfig.
func pageEnvironment(t *testing.T, s settings, dir string) []string {
	t.Helper()
	bin, home := filepath.Join(dir, ".bin"), filepath.Join(dir, ".home")
	for _, directory := range []string{bin, home} {
		if err := os.Mkdir(directory, 0o750); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(s.hcctl, filepath.Join(bin, "hcctl")); err != nil {
		t.Fatal(err)
	}
	const standIn = "#!/bin/sh\ngrep -q '^current-context: ' \"$KUBECONFIG\" && echo \"$(basename \"$0\") $*\"\n"
	for _, name := range []string{"oc", "kubectl"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(standIn), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + home, "TERM=xterm",
		"KUBECONFIG=" + filepath.Join(dir, "sandbox", "kubeconfig")}
}

// ofAWarning reports whether the next line of a command's is one of a warning or of the question about disks, which are
// whole however long they are, and come only where something is to be known or decided.
func ofAWarning() func(string) bool {
	of, asks := false, false
	return func(line string) bool {
		text := strings.TrimLeft(line, " ")
		asks = asks && !strings.HasPrefix(text, "✓") || strings.HasPrefix(text, "Disks for ")
		of = strings.HasPrefix(text, "! ") || of && len(line)-len(text) >= 3
		return of || asks
	}
}

// unwrapped joins the lines that a terminal has broken at its edge. A space there is not on the screen.
func unwrapped(left []string) string {
	var b strings.Builder
	for _, line := range left {
		b.WriteString(line)
		switch n := utf8.RuneCountInString(line); {
		case n == ptytest.Columns-1:
			b.WriteString(" ")
		case n < ptytest.Columns:
			b.WriteString("\n")
		}
	}
	return b.String()
}

// lastLine is the last line that has something on it.
func lastLine(shown string) string {
	lines := strings.Split(strings.TrimRight(strings.ReplaceAll(shown, "\r", ""), " \n"), "\n")
	return strings.TrimRight(lines[len(lines)-1], " ")
}
