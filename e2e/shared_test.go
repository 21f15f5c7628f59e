package e2e

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/hcctl/hcctl/e2e/state"
	"github.com/hcctl/hcctl/internal/sandbox"
)

// chains are the names of the shared sandboxes whose scripts take longest together, the longest first. They start
// first, so that none of them runs on alone in the end.
var chains = []string{"hosting", "changing", "guests", "ready"}

// sharedSandboxes are the flags of the sandboxes that scripts share, by the NAME of `sandbox share NAME`.
var sharedSandboxes = map[string][]string{
	// ready is for scripts that read, or break one object and restore it.
	"ready": {"--profile", "ready"},
	// hosting and changing are for scripts that create hosted clusters and delete them again. There are two, because the
	// scripts of one sandbox take turns.
	"hosting":  {"--profile", "ready", "--speed", "20"},
	"changing": {"--profile", "ready", "--speed", "20"},
	// guests is like hosting, and the first hosted cluster has an API server of its own.
	"guests": {"--profile", "ready", "--speed", "20", "--guests", "1"},
	// degraded and broken have several faults; each script asks about one of them.
	"degraded": {
		"--profile", "ready", "--fault", "addon-degraded", "--fault", "hco-degraded", "--fault", "storagecluster-error",
	},
	"broken": {"--profile", "ready", "--fault", "mce-component-stuck", "--fault", "no-kvm"},
	// bare is for scripts that write nothing. Beside its kubeconfig is one of a user with few rights.
	"bare": {"--fault", "rbac-restricted"},
}

// settles is how long the objects of a shared sandbox may take to become what they were.
const settles = time.Minute

// scriptsOf returns the scripts of directories: those with sandboxes of their own, and those that share one, by its
// name.
func scriptsOf(t *testing.T, dirs ...string) (own []string, sharing map[string][]string) {
	t.Helper()
	sharing = map[string][]string{}
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no scripts in %s (%v)", dir, err)
		}
		for _, file := range files {
			script, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := sharedName(script)
			if name == "" {
				own = append(own, file)
				continue
			}
			if sharedSandboxes[name] == nil {
				t.Fatalf("%s: there is no shared sandbox %q", file, name)
			}
			sharing[name] = append(sharing[name], file)
		}
	}
	return own, sharing
}

// sharedName is the sandbox that a script shares: its first line after the comments says so. "" means none.
func sharedName(script []byte) string {
	lines := bufio.NewScanner(bytes.NewReader(script))
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "[!all] skip ") {
			continue
		}
		name, _ := strings.CutPrefix(line, "sandbox share ")
		if name == line {
			return ""
		}
		return name
	}
	return ""
}

// inOrder returns the names of shared sandboxes with scripts in the order in which they start.
func inOrder(sharing map[string][]string) []string {
	rank := func(name string) int {
		if i := slices.Index(chains, name); i >= 0 {
			return i
		}
		return len(chains)
	}
	return slices.SortedFunc(maps.Keys(sharing), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
}

// inTurn runs scripts one after the other, and looks at the shared sandbox after each.
type inTurn struct {
	*testing.T
	shared *sharedSandbox
}

// Parallel implements testscript.T.
func (inTurn) Parallel() {}

// Verbose implements testscript.T.
func (inTurn) Verbose() bool { return testing.Verbose() }

// Run implements testscript.T.
func (r inTurn) Run(name string, script func(testscript.T)) {
	r.T.Run(name, func(t *testing.T) {
		t.Helper()
		defer r.shared.after(t)
		script(inTurn{t, r.shared})
	})
}

// sharedSandbox is a sandbox for several scripts, each of which finds it as the first one did.
type sharedSandbox struct {
	settings
	name string
	// dir has a directory for each start.
	dir string
	// addresses are those that its MetalLB assigns.
	addresses string
	process   *sandbox.Process
	config    *rest.Config
	// before is what every script finds.
	before state.Snapshot
	// taken is whether the current script uses it.
	taken bool
}

// offer lets a script take the sandbox by `sandbox share`.
func (s *sharedSandbox) offer(env *testscript.Env) error {
	env.Values[home{}].(*harness).shared = s
	return nil
}

// take returns the kubeconfig for a script. It starts the sandbox, if it does not run.
func (s *sharedSandbox) take() (string, error) {
	s.taken = true
	if s.process == nil {
		if err := s.start(); err != nil {
			return "", fmt.Errorf("shared sandbox %s: %w", s.name, err)
		}
	}
	return s.process.Kubeconfig, nil
}

func (s *sharedSandbox) start() error {
	ctx, cancel := context.WithTimeout(context.Background(), sandbox.StartTime)
	defer cancel()
	dir, err := os.MkdirTemp(s.dir, s.name)
	if err != nil {
		return err
	}
	flags := s.withDefaults(sharedSandboxes[s.name])
	if s.process, err = sandbox.Launch(ctx, s.sandboxProgram, dir, flags...); err != nil {
		return err
	}
	if s.config, err = clientcmd.BuildConfigFromFlags("", s.process.Kubeconfig); err != nil {
		return err
	}
	s.config.QPS, s.config.UserAgent, s.config.WarningHandler = -1, "hcctl-e2e", rest.NoWarnings{}
	if slices.Contains(flags, "ready") {
		admin, err := connect(s.process.Kubeconfig)
		if err != nil {
			return err
		}
		if err := admin.giveOut(metalLBPool, s.addresses); err != nil {
			return err
		}
	}
	s.before, err = state.Take(ctx, s.config, nil)
	return err
}

// after fails the test unless the script has left every object as it was. A sandbox with other objects, or of a script
// that failed, is stopped: the next script gets a new one.
func (s *sharedSandbox) after(t *testing.T) {
	t.Helper()
	if !s.taken {
		return
	}
	s.taken = false
	if !t.Failed() {
		began := time.Now()
		left := s.left(t)
		t.Logf("compared with the shared sandbox in %s", time.Since(began))
		if len(left) == 0 {
			return
		}
		t.Errorf("the script did not leave the shared sandbox %s as it was:\n%s", s.name, strings.Join(left, "\n"))
	}
	t.Logf("the shared sandbox %s is thrown away", s.name)
	if s.process != nil {
		t.Logf("sandbox %s wrote:\n%s", s.name, s.process.Log())
	}
	s.stop(t)
}

// left lists the objects that are not what they were. Those that only need time get it.
func (s *sharedSandbox) left(t *testing.T) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), settles)
	defer cancel()
	again := time.NewTicker(time.Second)
	defer again.Stop()
	for {
		now, err := state.Take(t.Context(), s.config, s.before)
		if err != nil {
			return []string{err.Error()}
		}
		left := state.Difference(s.before.Texts(), now.Texts())
		if len(left) == 0 {
			s.before = now
			return nil
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return left
		}
	}
}

func (s *sharedSandbox) stop(t *testing.T) {
	t.Helper()
	if s.process == nil {
		return
	}
	if err := s.process.Stop(); err != nil {
		t.Error(err)
	}
	t.Logf("shared sandbox %s took %.1fs of processor time", s.name, s.process.CPUTime().Seconds())
	s.process = nil
}

func TestSharedName(t *testing.T) {
	for script, want := range map[string]string{
		"# One.\n# Two.\nsandbox share ready\nexits 0 hcctl check\n":         "ready",
		"# One.\n[!all] skip 'because'\nsandbox share hosting\n":             "hosting",
		"# One.\nsandbox start --profile ready\nsandbox share ready\n":       "",
		"# sandbox share ready\nsandbox start\n":                             "",
		"# One.\nexits 0 hcctl version\n\n-- file --\nsandbox share ready\n": "",
		"": "",
	} {
		if got := sharedName([]byte(script)); got != want {
			t.Errorf("%q shares %q, want %q", script, got, want)
		}
	}
}

func TestInOrder(t *testing.T) {
	sharing := map[string][]string{}
	for name := range sharedSandboxes {
		sharing[name] = []string{name + ".txtar"}
	}
	order := inOrder(sharing)
	if !slices.Equal(order[:len(chains)], chains) {
		t.Errorf("the order is %v, want %v first", order, chains)
	}
	if len(order) != len(sharedSandboxes) {
		t.Errorf("the order is %v, want all of %v", order, slices.Sorted(maps.Keys(sharing)))
	}
}
