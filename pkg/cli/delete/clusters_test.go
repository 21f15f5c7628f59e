package delete

import (
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster/deletion"
)

// The question names what somebody may still be creating, what is lost, and as it is what is deleted: nothing in a name
// puts another question.
func TestTheQuestionIsHcctlsOwn(t *testing.T) {
	const forged = "x\nNothing is deleted.\r\x1b[2J"
	d := &deletion.Plan{Namespace: "clusters", Name: "kv-00", Found: []string{"Secret " + forged},
		Lost: []string{"volume " + forged, "b"}, Creating: true}
	at := &cmdutil.Target{Server: "https://a.example" + forged, Version: "v1.33.5"}
	got := change(t.Context(), cmdutil.NewFactory(cmdutil.Streams{}, nil), at, d, true, false)
	const ask = `Delete what is left of hosted cluster clusters/kv-00 (Secret x Nothing is deleted. \x1b[2J), ` +
		`with all its data, on Kubernetes v1.33.5 at https://a.examplex Nothing is deleted. \x1b[2J?`
	const lost = `  lost for good: volume x Nothing is deleted. \x1b[2J, b`
	if got.Question != ask || len(got.Details) != 2 || got.Details[1] != lost ||
		!strings.Contains(string(got.Details[0]), "still being created: clusters/kv-00") {
		t.Errorf("got:\n%s\n%s\nwant:\n%s\n%s", got.Details, got.Question, lost, ask)
	}
}
