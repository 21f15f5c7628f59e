package disks

import (
	"strings"
	"testing"

	"github.com/hcctl/hcctl/internal/consent"
	"github.com/hcctl/hcctl/internal/ptytest"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/prereqs/disk"
)

// The question has the plan in view; who has agreed by the digest is asked nothing, and sees the plan all the same.
func TestShowDisks(t *testing.T) {
	plan := func(agreed ...string) disk.Plan {
		t.Helper()
		s, err := disk.Options{Agreed: agreed}.Validate()
		if err != nil {
			t.Fatal(err)
		}
		p := disk.Plan{Selection: s}
		p.Rows = append(p.Rows, disk.Row{Taken: true, Why: "taken"})
		p.Rows[0].Node, p.Rows[0].Device, p.Rows[0].Model = "worker-0", "/dev/sdb", "evil\x1b[2J\nmodel"
		return p
	}
	digest := plan().Digest()
	const question = "\nTake these disks, with all that is on them lost? [y/N] "
	for name, tc := range map[string]struct {
		typed string
		yes   bool
		plan  disk.Plan
		fails bool
		asked bool
	}{
		"yes": {"y\n", false, plan(), false, true}, "no": {"n\n", false, plan(), true, true},
		"--yes": {"n\n", true, plan(), false, false}, "agreed": {"n\n", false, plan(digest), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			person := ptytest.New(t, tc.typed)
			a := cmdutil.NewFactory(cmdutil.Streams{In: person.Program, Err: person}, nil)
			a.Prompter.Yes = tc.yes
			disks := ShowDisks(a)
			asks := disks.Caller.Decide(tc.plan.Request()) == consent.Asks
			err := disks.Show(t.Context(), tc.plan, asks)
			if (err != nil) != tc.fails || err != nil && !strings.Contains(err.Error(), "hcctl bootstrap --disks sha256:") {
				t.Errorf("got %v", err)
			}
			text := person.Shown()
			if !strings.Contains(text, "worker-0  /dev/sdb") || strings.Contains(text, question) != tc.asked {
				t.Errorf("shown:\n%s", text)
			}
			if strings.ContainsAny(text, "\x1b") {
				t.Errorf("a disk controls the terminal: %q", text)
			}
		})
	}
}
