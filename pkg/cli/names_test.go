package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// TestNamesAreAcceptedEverywhere gives each command that takes a NAME what get -o name prints, and NAMESPACE/NAME.
func TestNamesAreAcceptedEverywhere(t *testing.T) {
	var commands []string
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		if first, _, _ := strings.Cut(strings.TrimPrefix(c.Use, c.Name()+" "), " "); slices.Contains(
			[]string{"NAME", "NAME...", "[NAME]", "[NAME]...", "FILE|NAME"}, first) && c.Runnable() {
			commands = append(commands, c.CommandPath())
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(newRoot(namesFactory()))
	if len(commands) < 20 {
		t.Fatalf("only %d commands take a name: %s", len(commands), commands)
	}
	for _, path := range commands {
		kind, thing := "hostedcluster", "hosted cluster"
		if strings.Contains(path, "nodepool") || path == "hcctl scale" {
			kind, thing = "nodepool", "node pool"
		}
		for word, namespace := range map[string]string{
			kind + ".hypershift.openshift.io/kv-00": "", "other/kv-00": "other", "kv-00": "",
		} {
			t.Run(path+" "+word, func(t *testing.T) {
				a := namesFactory()
				cmd, _, err := newRoot(a).Find(strings.Fields(path)[1:])
				if err != nil {
					t.Fatal(err)
				}
				args := []string{word}
				if err := cmd.ParseFlags(nil); err != nil {
					t.Fatal(err)
				}
				switch cmd.Name() {
				case "kubeconfig", "timeline", "scp": // these read their name later, and refuse it there
					err = cmdutil.Named(cmd, thing, args)
				default:
					err = cmd.ValidateArgs(args)
				}
				if err != nil || args[0] != "kv-00" || a.Call.KubeFlags.Overrides.Context.Namespace != namespace {
					t.Errorf("got %s in namespace %q, %v", args, a.Call.KubeFlags.Overrides.Context.Namespace, err)
				}
			})
		}
	}
}

func namesFactory() *cmdutil.Factory {
	streams := cmdutil.Streams{In: new(bytes.Buffer), Out: new(bytes.Buffer), Err: new(bytes.Buffer)}
	return cmdutil.NewFactory(streams, nil)
}
