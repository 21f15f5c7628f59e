package cli

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	carried "github.com/hcctl/hcctl/docs"
	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// TestTheRedactorLeavesExamplesAlone: hcctl's own texts and examples have no secret, so nothing is taken out of them:
// neither of the help, nor of the examples of fields in a command line, nor of the pages that are built in.
func TestTheRedactorLeavesExamplesAlone(t *testing.T) {
	hold := func(where, text string) {
		for _, line := range strings.Split(text, "\n") {
			if got := redact.Secrets(line); got != line {
				t.Errorf("%s: %s\nbecomes %s", where, line, got)
			}
		}
	}
	visit(tree(), func(cmd *cobra.Command) {
		hold(cmd.CommandPath(), cmd.Short+"\n"+cmd.Long+"\n"+cmd.Example)
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { hold(cmd.CommandPath()+" --"+f.Name, f.Usage) })
	})
	for _, f := range append(append(options.Fields(), options.NodePoolFields()...), config.Fields()...) {
		hold(f.Name, "hcctl create cluster --name kv-00 --"+f.Flag+" "+f.Example+" "+f.With+"\n"+f.Text)
		hold(f.Name, "Error: --"+f.Flag+" \""+f.Example+"\": write it like "+f.Example)
	}
	err := fs.WalkDir(carried.Checks, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		page, err := fs.ReadFile(carried.Checks, path)
		hold(path, string(page))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
