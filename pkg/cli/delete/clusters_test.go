package delete

import (
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster/deletion"
)

// The question names what somebody may still be creating, and is answered with the number of all.
func TestTheQuestionNamesWhatIsStillCreated(t *testing.T) {
	at := &cmdutil.Target{Server: "https://a.example", OpenShift: "4.20.3"}
	q := deleteAllQuestion(&fleet.Delete{Members: []fleet.Member{{Namespace: "lab", Name: "a"}, {Namespace: "lab", Name: "b"}},
		Creating: []string{"lab/b"}}, at)
	if q.Count != 2 || !q.Destroys || len(q.Details) != 3 || q.Details[0] != "  1 is still being created: lab/b" {
		t.Errorf("%+v", q)
	}
	q = Question(&deletion.Plan{Namespace: "lab", Name: "b", Creating: true, Found: []string{"HostedCluster lab/b"}}, at)
	if len(q.Details) != 1 || !strings.Contains(string(q.Details[0]), "still being created: lab/b") {
		t.Errorf("%+v", q)
	}
}
