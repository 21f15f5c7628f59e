package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/ptytest"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// TestPagesAreShownByAPager: on a terminal the user's pager gets the page, and only there. A pager of the current
// directory is not run.
func TestPagesAreShownByAPager(t *testing.T) {
	bin := t.TempDir()
	got := filepath.Join(bin, "got")
	const script = "#!/bin/sh\n{ echo \"$*, $LESS\"; cat; } > \"$(dirname \"$0\")/got\"\n"
	for _, name := range []string{"less", "mine"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(bin)
	for _, c := range []struct {
		about, path string
		env         map[string]string
		noTerminal  bool
		want        string
	}{
		{about: "no variable", path: bin, want: ", FRX\n"},
		{about: "PAGER", path: bin, env: map[string]string{"PAGER": "mine -a"}, want: "-a, FRX\n"},
		{about: "HCCTL_PAGER", path: bin, env: map[string]string{"PAGER": "no", "HCCTL_PAGER": "mine"}, want: ", FRX\n"},
		{about: "cat", path: bin, env: map[string]string{"PAGER": "mine", "HCCTL_PAGER": "cat"}},
		{about: "no such program", path: bin, env: map[string]string{"PAGER": "none"}},
		{about: "the current directory", path: "", env: map[string]string{"PAGER": "mine"}},
		{about: "TERM=dumb", path: bin, env: map[string]string{"TERM": "dumb"}},
		{about: "CI", path: bin, env: map[string]string{"CI": "true"}},
		{about: "a file", path: bin, noTerminal: true},
	} {
		t.Run(c.about, func(t *testing.T) {
			t.Setenv("PATH", c.path+":/usr/bin:/bin")
			t.Setenv("LESS", "")
			_ = os.Remove(got)
			terminal := ptytest.New(t, "").Program
			if err := pty.Setsize(terminal, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
				t.Fatal(err)
			}
			var written strings.Builder
			streams := cmdutil.Streams{Out: terminal, Err: terminal}
			if c.noTerminal {
				streams.Out = &written
			}
			a := cmdutil.NewFactory(streams, func(name string) string { return c.env[name] })
			cmd := New(a, func(*cobra.Command) string { return "# Commands\n" })
			cmd.SetArgs([]string{"commands"})
			if err := cmd.ExecuteContext(t.Context()); err != nil {
				t.Fatal(err)
			}
			text, _ := os.ReadFile(got) // there is none without a pager
			if want := c.want; want != "" && string(text) != want+"# Commands\n" || want == "" && len(text) > 0 {
				t.Errorf("the pager got %q, want %q", text, want)
			}
		})
	}
}
