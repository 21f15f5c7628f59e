package feasibility

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/e2e/program"
	"github.com/hcctl/hcctl/e2e/world"
	"github.com/hcctl/hcctl/internal/golden"
)

const (
	// page is the document that the inputs make a table of.
	page = "../../docs/dev/feasibility.md"
	// base is a hosted cluster that commands on existing ones work on.
	base = "base"
	// least is how many inputs there have to be.
	least = 60
	// wouldChange is the exit code of a dry run of what would work.
	wouldChange = 6
)

var (
	background = context.Background()
	noGet      = metav1.GetOptions{}
	asUser     = metav1.PatchOptions{FieldManager: "somebody"}
	atOnce     = metav1.DeleteOptions{}
)

// TestAgreement has one management cluster with a hosted cluster for both tests.
func TestAgreement(t *testing.T) {
	w := world.New(t, "--profile", "ready", "--lean", "--guests", "0")
	w.Hcctl.Must(t, create(base, "--node-pool-replicas", "1")...)
	t.Run("lint", func(t *testing.T) { lintAgreesWithTheAPIServer(t, w) })
	t.Run("dry runs", func(t *testing.T) { dryRunsAgreeWithRuns(t, w) })
}

// dryRunsAgreeWithRuns tries each input in a dry run without a server, in one with it, and for real, and fails
// where one says that it works and another does not. With HCCTL_E2E_ALL, what works is created and deleted again, and
// what does not is tried once more without the checks: it has to fail then, too. Where ONLY is set, it tries inputs
// whose words or finding contain it.
func dryRunsAgreeWithRuns(t *testing.T, w *world.World) {
	t.Helper()
	inputs, only := readInputs(t), os.Getenv("ONLY")
	if len(inputs) < least {
		t.Errorf("%d inputs, want %d", len(inputs), least)
	}
	rows := "| input | command | client | server | real | the dry run says |\n| --- | --- | --- | --- | --- | --- |\n"
	for i := range inputs {
		in := &inputs[i]
		if !strings.Contains(in.Input+" "+in.Finding, only) {
			continue
		}
		t.Run(strings.ReplaceAll(in.Input, " ", "-"), func(t *testing.T) {
			arrange(t, w, in)
			rows += try(t, w, in)
		})
	}
	if only == "" && !everything() && golden.Updating() && !t.Failed() { // numbers of room differ from run to run
		golden.Section(t, page, "<!-- inputs -->\n", "<!-- end of inputs -->", rows)
	}
}

func everything() bool { return os.Getenv("HCCTL_E2E_ALL") != "" }

// create are the arguments that create a cluster in a way that ends soon either way.
func create(name string, more ...string) []string {
	return forReal(append([]string{"create", "cluster", "--name", name}, more...))
}

// real are the arguments of a real run: one that ends soon, either way.
func forReal(line []string) []string {
	args := append([]string{}, line...)
	if line[0] != "apply" {
		args = append(args, "--yes")
	}
	if line[0] == "create" || line[0] == "apply" || line[0] == "scale" {
		args = append(args, "--wait", "nodes", "--trouble-timeout", "20s", "--timeout", "3m")
	}
	return args
}

// try runs one input in every way, and returns its row.
func try(t *testing.T, w *world.World, in *input) string {
	t.Helper()
	name := in.name()
	line := in.line(name)
	foreseen := cmp.Or(in.Dry, in.Exit)
	if foreseen == 0 {
		foreseen = wouldChange
	}
	client := "-"
	if in.creates() {
		offline := append(append([]string{}, line...), "--dry-run=client", "--pull-secret", w.PullSecret)
		if !strings.Contains(in.Args, "--release-image") {
			offline = append(offline, "--release-image", "quay.io/openshift-release-dev/ocp-release:4.20.8-multi")
		}
		e := w.Hcctl.Run(t, offline...)
		client = fmt.Sprint(e.Code)
		if want := cmp.Or(in.Client, map[bool]int{true: 2}[in.Exit == 2]); e.Code != want {
			t.Errorf("the dry run without a server: want exit code %d: %s", want, e)
		}
	}
	dry := "--dry-run"
	if in.creates() {
		dry = "--dry-run=server"
	}
	e := w.Hcctl.Run(t, append(append([]string{}, line...), dry)...)
	said := problem(e)
	if e.Code != foreseen {
		t.Errorf("the dry run: want exit code %d: %s", foreseen, e)
	}
	for _, want := range in.Want {
		want = strings.ReplaceAll(want, "NAME", name)
		if !strings.Contains(said, want) {
			t.Errorf("the dry run lacks %q: %s", want, e)
		}
	}
	really := really(t, w, in, line, said)
	unchecked(t, w, in, line)
	return fmt.Sprintf("| %s | `%s` | %s | %d | %s | %s |\n", in.Input, strings.Join(line, " "), client, e.Code, really,
		cell(said))
}

// really runs the input for real, which has to end as it was foreseen.
func really(t *testing.T, w *world.World, in *input, line []string, said string) string {
	t.Helper()
	if in.Exit == 0 && !in.Short && !everything() {
		return "as `make test-all` runs it"
	}
	e := w.Hcctl.Run(t, forReal(line)...)
	if e.Code != in.Exit {
		t.Errorf("the run: want exit code %d: %s", in.Exit, e)
	}
	_, cause, _ := strings.Cut(said, ": ") // after the name of the check or step
	if words := strings.Join(strings.Fields(e.Err+e.Out), " "); in.Exit != 0 && !strings.Contains(words, cause) {
		t.Errorf("the dry run says %q, the run %s", said, e)
	}
	undo(t, w, in, in.Exit == 0)
	return fmt.Sprint(e.Code)
}

// unchecked runs what would not work without the checks before: it must not work.
func unchecked(t *testing.T, w *world.World, in *input, line []string) {
	t.Helper()
	if in.Exit != 3 || in.Alone != "" || !everything() || !in.creates() {
		return
	}
	e := w.Hcctl.Run(t, forReal(append(append([]string{}, line...), "--skip-preflight", "all"))...)
	if e.Code == 0 || e.Code == 2 {
		t.Errorf("without its checks it works: %s", e)
	}
	undo(t, w, in, true)
}

// undo takes back what a run did. One that was refused must not have written anything.
func undo(t *testing.T, w *world.World, in *input, wrote bool) {
	t.Helper()
	if in.creates() {
		_, err := w.Resource(world.HostedClusters, "clusters").Get(t.Context(), in.name(), noGet)
		switch {
		case err == nil && !wrote:
			t.Errorf("HostedCluster %s was written", in.name())
		case err != nil && !apierrors.IsNotFound(err):
			t.Fatal(err)
		}
		if err == nil {
			w.Hcctl.Must(t, "delete", "cluster", in.name(), "--yes", "--timeout", "2m")
		}
	}
	for _, command := range in.Undo {
		if wrote {
			w.Hcctl.Must(t, strings.Fields(strings.ReplaceAll(command, "NAME", in.name()))...)
		}
	}
}

// found is the start of a line that names a problem.
var found = regexp.MustCompile(`(?m)^(?:Error: |  ✗ )(.*)$`)

// problem is the first problem that a run names.
func problem(e program.Ended) string {
	if m := found.FindStringSubmatch(e.Err + e.Out); m != nil {
		return strings.Join(strings.Fields(m[1]), " ")
	}
	return ""
}

// cell is a text for a table.
func cell(s string) string { return strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(s) }

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
