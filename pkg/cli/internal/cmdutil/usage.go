package cmdutil

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// Misuse makes err a mistake in the call of cmd. Its hint is err's own, else how to get help.
func Misuse(cmd *cobra.Command, err error) error {
	err = NameFlags(err)
	var own interface{ Hint() string }
	if errors.As(err, &own) && own.Hint() != "" {
		return &UsageError{Err: err, Help: own.Hint()}
	}
	return &UsageError{Err: err, Help: cmd.CommandPath() + " --help"}
}

// NameFlags calls each option in err by its flag, unless it is called already as the file or variable that its value is
// from. It changes err.
func NameFlags(err error) error { return option.Located(err, flagName) }

// flagName is the flag of an option with its dashes; empty for one that only a file can say.
func flagName(e *option.Error) string {
	flag, known := config.FlagOf(e)
	if !known {
		flag = options.FlagOf(e)
	}
	if flag == "" {
		return ""
	}
	return "--" + flag
}

// NoArgs refuses arguments with the words of the rest of hcctl.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Misuse(cmd, fmt.Errorf("unexpected argument %q: %s takes flags only", args[0], cmd.CommandPath()))
	}
	return nil
}

// Noun is a command that only holds others, such as "create".
func Noun(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return Misuse(cmd, fmt.Errorf("%s does not know %q", cmd.CommandPath(), args[0]))
			}
			return Misuse(cmd, fmt.Errorf("%s needs to know what: %s", cmd.CommandPath(), names(cmd.Commands())))
		},
	}
	cmd.AddCommand(commands...)
	return cmd
}

// OneName takes exactly one argument, the name of a thing.
func OneName(thing string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return Misuse(cmd, fmt.Errorf("which %s? %s takes one name", thing, cmd.CommandPath()))
		}
		return nil
	}
}

// Times refuses what the engine would take for no limit at all.
func Times(timeout, trouble time.Duration) error {
	switch {
	case timeout <= 0:
		return fmt.Errorf("--timeout %s: give a time above zero, such as 1h or 90m", timeout)
	case trouble < 0:
		return fmt.Errorf("--trouble-timeout %s: it cannot be negative; 0 means no limit of its own", trouble)
	}
	return nil
}

func names(commands []*cobra.Command) string {
	s := ""
	for i, c := range commands {
		if i > 0 {
			s += ", "
		}
		s += c.Name()
	}
	return s
}

// NamespaceFlag repeats --namespace in a command line for the user, where it was given.
func NamespaceFlag(a *Factory) string {
	if ns := *a.KubeFlags.Namespace; ns != "" {
		return " --namespace " + ns
	}
	return ""
}

// ClustersNamespace is --namespace, else the namespace HostedClusters are kept in by default.
func ClustersNamespace(a *Factory) string {
	if ns := *a.KubeFlags.Namespace; ns != "" {
		return ns
	}
	return options.Defaults().Namespace
}
