package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// TestManPages: a page for each command and topic, with its flags and examples, and nothing roff would stumble over.
func TestManPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man")
	if code, _, stderr := run(t, "man", dir); code != cmdutil.ExitDone {
		t.Fatal(stderr)
	}
	visit(tree(), func(cmd *cobra.Command) {
		data, err := os.ReadFile(filepath.Join(dir, pageName(cmd)+".1"))
		if cmd.Hidden {
			if err == nil {
				t.Errorf("%s is hidden and has a page", cmd.CommandPath())
			}
			return
		}
		if err != nil {
			t.Error(err)
			return
		}
		page := string(data)
		for _, want := range []string{".TH \"" + strings.ToUpper(pageName(cmd)), ".SH NAME\n" + roff(pageName(cmd)) + ` \- `,
			".SH SEE ALSO\n"} {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %q", pageName(cmd), want)
			}
		}
		if cmd.Example != "" && !strings.Contains(page, ".SH EXAMPLES\n") {
			t.Errorf("%s: no examples", pageName(cmd))
		}
		requests := strings.Fields(".TH .nh .ad .SH .PP .TP .B .nf .fi")
		for _, l := range strings.Split(page, "\n") {
			if name, _, _ := strings.Cut(l, " "); strings.HasPrefix(l, ".") && !slices.Contains(requests, name) ||
				strings.HasPrefix(l, "'") {
				t.Errorf("%s: roff would take this as a request: %q", pageName(cmd), l)
			}
		}
	})
	page, err := os.ReadFile(filepath.Join(dir, "hcctl-kubeconfig.1"))
	if err != nil || !strings.Contains(string(page), `\fB\-l\fR, \fB\-\-selector\fR \fIVALUE\fR`) {
		t.Errorf("%s, %v", page, err)
	}
}
