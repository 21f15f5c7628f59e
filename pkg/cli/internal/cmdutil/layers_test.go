package cmdutil

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/prereqs/disk"
)

// TestTheCommandThatGoesOn repeats the settings of the call: those about disks as the plan has them, none of the
// environment, and no flag that bootstrap does not take.
func TestTheCommandThatGoesOn(t *testing.T) {
	for name, tc := range map[string]struct {
		args, env string
		own       bool
		want      string
	}{
		"nothing":  {"", "", false, ""},
		"settings": {"--metallb-range 10.0.0.1-10.0.0.9 --only storage --yes -f a.yaml", "", false, "--file a.yaml --metallb-range 10.0.0.1-10.0.0.9 --only storage --yes"},
		"lists":    {"--only storage,ingress --only cluster", "", false, "--only storage --only ingress --only cluster"},
		"switches": {"--grow-storage --odf-encryption=false", "", false, "--grow-storage --odf-encryption=false"},
		"disks":    {"--disk-media any --disks sha256:1 --storage odf", "", false, "--storage odf"},
		"variable": {"--storage odf", "--only=storage", false, "--storage odf"},
		"a check":  {"--only storage --timeout 5s --probe", "", true, "--only storage"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &Settings{Flags: config.Default(), OwnTimeout: tc.own}
			cmd := &cobra.Command{}
			s.Bind(cmd)
			cmd.Flags().BoolP("yes", "y", false, "")
			cmd.Flags().Bool("probe", false, "")
			fromEnv := map[string]bool{}
			if variable, value, given := strings.Cut(strings.TrimPrefix(tc.env, "--"), "="); given {
				fromEnv[variable] = true
				if err := cmd.Flags().Set(variable, value); err != nil {
					t.Fatal(err)
				}
			}
			if err := cmd.ParseFlags(strings.Fields(tc.args)); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(s.givenWords(cmd, fromEnv), " "); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	selection, err := disk.Options{Media: "any"}.Validate()
	if err != nil {
		t.Fatal(err)
	}
	plan := disk.Plan{Selection: selection.CalledWith([]string{"--file", "my file.yaml", "--only", "storage"})}
	if got := plan.Command(); !strings.HasPrefix(got, "hcctl bootstrap --file 'my file.yaml' --only storage --disk-media any --disks sha256:") {
		t.Errorf("got %q", got)
	}
}
