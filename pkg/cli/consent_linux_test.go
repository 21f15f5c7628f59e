package cli

import (
	"bytes"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hcctl/hcctl/internal/ptytest"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// TestEveryDestructionAsksOnATerminal: of the table, each command that destroys something, or may, asks last, on a line
// of its own, names what is lost, and takes no line that was typed before the question. Nothing is written until then.
func TestEveryDestructionAsksOnATerminal(t *testing.T) {
	world := plantedWorld(t, "")
	planted := world.Config.Handler.(*hostileServer)
	planted.answers["/apis/metallb.io/v1beta1/ipaddresspools"] = object{"items": []any{}}
	planted.answers["/api"] = object{"kind": "APIVersions", "versions": []any{"v1"}}
	planted.answers["/apis"] = object{"kind": "APIGroupList", "apiVersion": "v1", "groups": []any{}}
	var writes atomic.Int32
	world.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.URL.Query().Get("dryRun") == "" && !strings.Contains(r.URL.Path, "accessreviews") {
			writes.Add(1)
		}
		planted.ServeHTTP(w, r)
	})
	t.Setenv("KUBECONFIG", kubeconfigOf(t, world, "{token: some-other-token}"))
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
				question, said, _ := strings.Cut(person.Shown()[strings.LastIndex(person.Shown(), "\n\n")+2:], "[y/N] ")
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
