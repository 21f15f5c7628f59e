package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// TestDeprecatedFlagsWarn gives commands deprecated flags: they work, warn on stderr alone, and are not offered.
func TestDeprecatedFlagsWarn(t *testing.T) {
	for _, tt := range []struct {
		name  string
		args  []string
		warns string
	}{
		{"not given", []string{"version", "-o", "json"}, ""},
		{"given", []string{"version", "-o", "json", "--old"},
			"Warning: --old is deprecated and will be removed: use kubectl hcctl version -o json\n"},
		{"a command", []string{"config", "schema", "Cluster"},
			"Warning: kubectl hcctl config schema is deprecated and will be removed: use kubectl hcctl docs\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			a := cmdutil.NewFactory(cmdutil.Streams{In: strings.NewReader(""), Out: &out, Err: &errs}.Guarded(), nil)
			a.Call.Name = "kubectl hcctl"
			root := newRoot(a)
			cmdutil.Deprecate(find(t, root, "config", "schema"), "use hcctl docs")
			version := find(t, root, "version")
			version.Flags().Bool("old", false, "an old flag")
			cmdutil.DeprecateFlag(version.Flags().Lookup("old"), "use hcctl version -o json")
			root.SetArgs(tt.args)
			root.SetOut(&out)
			root.SetErr(&errs)
			if err := root.Execute(); err != nil {
				t.Fatal(err)
			}
			if errs.String() != tt.warns {
				t.Errorf("stderr has %q, want %q", errs.String(), tt.warns)
			}
			if !json.Valid(out.Bytes()) {
				t.Errorf("stdout is for programs and has %s", out.String())
			}
			if help := helpText(version, 100) + helpText(find(t, root, "config"), 100); strings.Contains(help, "--old") ||
				strings.Contains(help, "\n  schema") {
				t.Errorf("help offers what is deprecated:\n%s", help)
			}
		})
	}
}

func find(t *testing.T, root *cobra.Command, path ...string) *cobra.Command {
	t.Helper()
	cmd, _, err := root.Find(path)
	if err != nil {
		t.Fatal(err)
	}
	return cmd
}
