package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// misuse makes err a mistake in the call of cmd. Its hint is err's own, else how to get help.
func misuse(cmd *cobra.Command, err error) error {
	var own interface{ Hint() string }
	if errors.As(err, &own) && own.Hint() != "" {
		return &usageError{err: err, help: own.Hint()}
	}
	return &usageError{err: err, help: cmd.CommandPath() + " --help"}
}

// noArgs refuses arguments with the words of the rest of hcctl.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return misuse(cmd, fmt.Errorf("unexpected argument %q: %s takes flags only", args[0], cmd.CommandPath()))
	}
	return nil
}

// noun is a command that only holds others, such as "create".
func noun(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return misuse(cmd, fmt.Errorf("%s does not know %q", cmd.CommandPath(), args[0]))
			}
			return misuse(cmd, fmt.Errorf("%s needs to know what: %s", cmd.CommandPath(), names(cmd.Commands())))
		},
	}
	cmd.AddCommand(commands...)
	return cmd
}

// oneName takes exactly one argument, the name of a thing.
func oneName(thing string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return misuse(cmd, fmt.Errorf("which %s? %s takes one name", thing, cmd.CommandPath()))
		}
		return nil
	}
}

// times refuses what the engine would take for no limit at all.
func times(timeout, trouble time.Duration) error {
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

// namespaceFlag repeats --namespace in a command line for the user, where it was given.
func namespaceFlag(a *app) string {
	if ns := *a.kubeFlags.Namespace; ns != "" {
		return " --namespace " + ns
	}
	return ""
}

// clustersNamespace is --namespace, else the namespace HostedClusters are kept in by default.
func clustersNamespace(a *app) string {
	if ns := *a.kubeFlags.Namespace; ns != "" {
		return ns
	}
	return options.Defaults().Namespace
}
