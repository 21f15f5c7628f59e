package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// newHelp makes cobra's help command with hcctl's errors: an unknown command or topic is wrong usage. It also
// prints the help topics, which are commands without a run function.
func newHelp(a *cmdutil.Factory) *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use:   "help [COMMAND or TOPIC]",
		Short: "Help about a command or a topic",
		Long: `help prints what a command does, its flags and examples, as its --help does. With --all it
lists every command. There are also topics:

  hcctl help exit-codes      what hcctl's exit codes mean
  hcctl help environment     what the variables of the environment mean
  hcctl help config          hcctl.yaml, the file of settings`,
		Example: "  hcctl help create cluster\n  hcctl help --all\n  hcctl help exit-codes",
		RunE: func(cmd *cobra.Command, args []string) error {
			if all {
				if len(args) > 0 {
					return cmdutil.Misuse(cmd, errors.New("--all lists every command: give no command"))
				}
				return a.Streams.Document([]byte(cmdutil.AsCalled(a.Call, cmd, allCommands(cmd.Root(), helpWidth(a)))))
			}
			found, rest, err := cmd.Root().Find(args)
			if err != nil {
				return cmdutil.Misuse(cmd.Root(), err)
			}
			if rest = cmdutil.WithoutNoun(found, rest); len(rest) > 0 {
				return cmdutil.UnknownCommand(found, rest)
			}
			found.InitDefaultHelpFlag()
			if found == cmd.Root() {
				found.SetContext(cmd.Context())
			}
			return found.Help()
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, sub := range found.Commands() {
				if strings.HasPrefix(sub.Name(), begun) && (sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand()) {
					names = append(names, sub.Name()+"\t"+sub.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "list every command and topic")
	return cmd
}
