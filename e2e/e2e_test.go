// Package e2e drives hcctl as a process, through scripts, against sandboxes or a real cluster. See README.md.
package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hcctl/hcctl/internal/sandbox"
)

// home is where the harness finds itself in a script's Values.
type home struct{}

// TestShared runs the scripts that share a sandbox: those with the line `sandbox share NAME`. The scripts of one
// sandbox run one after the other, and each has to leave every object as it was.
func TestShared(t *testing.T) {
	t.Parallel()
	s := settingsFor(t)
	if s.kubeconfig != "" {
		t.Skip(realKubeconfig + " is set: only the story for real clusters is run")
	}
	_, sharing := scriptsOf(t, "testdata/sandbox", faultScripts)
	for _, name := range inOrder(sharing) {
		files := sharing[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runShared(t, s, name, files)
		})
	}
}

// runShared runs the scripts of one shared sandbox in turn.
func runShared(t *testing.T, s settings, name string, files []string) {
	t.Helper()
	shared := &sharedSandbox{settings: s, name: name, dir: t.TempDir(), addresses: (&harness{settings: s}).addresses()}
	t.Cleanup(func() { shared.stop(t) })
	testscript.RunT(inTurn{t, shared}, params(s, files, shared.offer))
}

// TestSandbox runs the scripts of testdata/sandbox that have sandboxes of their own; TestShared runs the others.
func TestSandbox(t *testing.T) {
	t.Parallel()
	s := settingsFor(t)
	if s.kubeconfig != "" {
		t.Skip(realKubeconfig + " is set: only the story for real clusters is run")
	}
	own, _ := scriptsOf(t, "testdata/sandbox")
	testscript.Run(t, params(s, own))
}

// TestStory runs the scripts that hold on any management cluster: the one of HCCTL_E2E_KUBECONFIG, else a sandbox.
func TestStory(t *testing.T) {
	t.Parallel()
	run(t, settingsFor(t), "testdata/story")
}

// settingsFor reads the settings. It skips the test with go test -short, for machines without a sandbox.
func settingsFor(t *testing.T) settings {
	t.Helper()
	if testing.Short() {
		t.Skip("runs hcctl against a sandbox: make test runs it")
	}
	s, err := settingsFrom(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// run runs the scripts of a directory; each of more adds to their environment.
func run(t *testing.T, s settings, dir string, more ...func(*testscript.Env) error) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts in %s (%v)", dir, err)
	}
	testscript.Run(t, params(s, files, more...))
}

// params are those of scripts; each of more adds to their environment.
func params(s settings, files []string, more ...func(*testscript.Env) error) testscript.Params {
	return testscript.Params{
		Files:               files,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		TestWork:            os.Getenv("HCCTL_E2E_KEEP") != "",
		Condition:           s.condition,
		Setup: func(env *testscript.Env) error {
			if err := setup(env, s); err != nil {
				return err
			}
			for _, add := range more {
				if err := add(env); err != nil {
					return err
				}
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"absent":         absentCommand,
			"apply":          applyCommand,
			"applydirectory": applyDirectoryCommand,
			"await":          awaitCommand,
			"conforms":       conformsCommand,
			"count":          countCommand,
			"credentials":    credentialsCommand,
			"delete":         deleteCommand,
			"exits":          exitsCommand,
			"finding":        findingCommand,
			"keygen":         keygenCommand,
			"login":          loginCommand,
			"oidc":           oidcCommand,
			"oauth":          oauthCommand,
			"marks":          marksCommand,
			"merge":          mergeCommand,
			"night":          nightCommand,
			"report":         reportCommand,
			"object":         objectCommand,
			"objects":        objectsCommand,
			"person":         personCommand,
			"purposes":       purposesCommand,
			"internet":       internetCommand,
			"interrupted":    interruptedCommand,
			"refused":        refusedCommand,
			"remember":       rememberCommand,
			"sandbox":        sandboxCommand,
			"snapshot":       snapshotCommand,
		},
	}
}

// harness is what the commands of one script share.
type harness struct {
	settings
	work      string
	sandboxes map[string]*sandbox.Process
	clusters  map[string]*cluster
	snapshots map[string][]string
	internet  *internet
	// stage is the sandbox that the scripts of TestHostile share; nil for others.
	stage *stage
	// shared is the sandbox that the script can share; nil for others.
	shared  *sharedSandbox
	started time.Time
	// night are the rows of TestNight; nil for others.
	night *[]nightRow
}

func harnessOf(ts *testscript.TestScript) *harness { return ts.Value(home{}).(*harness) }

// setup gives a script an environment without anything of the machine: no kubeconfig, an empty home.
func setup(env *testscript.Env, s settings) error {
	h := &harness{
		settings: s, work: env.WorkDir, started: time.Now(),
		sandboxes: map[string]*sandbox.Process{}, clusters: map[string]*cluster{}, snapshots: map[string][]string{},
	}
	bin, homeDir := filepath.Join(env.WorkDir, ".bin"), filepath.Join(env.WorkDir, ".home")
	for _, dir := range []string{bin, homeDir} {
		if err := os.Mkdir(dir, 0o750); err != nil {
			return err
		}
	}
	if err := os.Symlink(s.hcctl, filepath.Join(bin, "hcctl")); err != nil {
		return err
	}
	env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
	env.Setenv("HOME", homeDir)
	env.Setenv("NO_COLOR", "1")
	examples, err := filepath.Abs(filepath.Join("..", "examples", "network-plug-ins"))
	if err != nil {
		return err
	}
	env.Setenv("EXAMPLES", examples)
	pipelines, err := filepath.Abs(filepath.Join("..", "examples", "ci"))
	if err != nil {
		return err
	}
	env.Setenv("CI_EXAMPLES", pipelines)
	calico, err := filepath.Abs(filepath.Join("testdata", "calico"))
	if err != nil {
		return err
	}
	env.Setenv("CALICO", calico)
	addresses := h.addresses()
	first, _, _ := strings.Cut(addresses, "-")
	env.Setenv("RANGE", addresses)
	env.Setenv("SANDBOX", s.sandboxProgram)
	env.Setenv("ADDRESS", first)
	env.Values[home{}] = h
	env.Defer(func() { h.end(env.T()) })
	return nil
}

// scripts counts those that were begun.
var scripts atomic.Int32

// addresses are those that MetalLB may assign. Each sandbox of each run has its own, because hosted API servers listen
// on them on the same machine.
func (h *harness) addresses() string {
	if h.metalLBRange != "" {
		return h.metalLBRange
	}
	network := fmt.Sprintf("127.%d.%d.", 180+os.Getpid()%70, scripts.Add(1))
	return network + "32-" + network + "122"
}

// end stops the script's sandboxes; if the script failed it shows how each one ended.
func (h *harness) end(t testscript.T) {
	failed, ok := t.(interface{ Failed() bool })
	for name, s := range h.sandboxes {
		if err := s.Stop(); err != nil {
			t.Log(fmt.Sprintf("sandbox %s: %v", name, err))
		}
		t.Log(fmt.Sprintf("sandbox %s took %.1fs of processor time", name, s.CPUTime().Seconds()))
		if ok && failed.Failed() {
			t.Log(fmt.Sprintf("sandbox %s wrote:\n%s", name, s.Log()))
		}
	}
}
