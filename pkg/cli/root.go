package cli

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"k8s.io/klog/v2"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// Streams are hcctl's input and output.
type Streams = cmdutil.Streams

// Signals returns a context that the first SIGINT or SIGTERM ends. The second signal exits with 130 at once, and
// so does the first if the command does not end within five seconds.
func Signals(parent context.Context, exit func(int)) context.Context {
	return cmdutil.Signals(parent, exit)
}

// MainAs runs hcctl with the arguments after the program's name and returns the exit code. Help and hints name
// hcctl as the user calls it, "kubectl hcctl" for kubectl-hcctl. It reads the environment through getenv; only
// client-go reads KUBECONFIG and the proxy settings itself.
func MainAs(ctx context.Context, program string, args []string, streams cmdutil.Streams,
	getenv func(string) string) int {
	// The logs of the libraries are for their developers. Users get findings instead.
	klog.SetLogger(logr.Discard())
	streams = streams.Guarded()
	a := cmdutil.NewFactory(streams, getenv)
	a.Call.Args, a.Call.Name = args, cmdutil.ProgramName(program)
	ctx = cmdutil.UnderSudo(ctx, getenv)
	root := newTree(a, single(a.Call.Name, args))
	root.InitDefaultCompletionCmd(args...)
	refuseUnknownShells(root)
	if isCompletion(args) {
		completeTree(a, root)
	}
	root.SetArgs(args)
	root.SetIn(streams.In)
	help := &errorKeepingWriter{w: streams.Out}
	root.SetOut(help)
	root.SetErr(streams.Err)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = help.err
	}
	if a.Files.GaveUp {
		err = context.Canceled
	}
	err = a.Limit.Explain(err)
	err = a.WriteJUnit(cmd, err)
	if err != nil && !errors.Is(err, cmdutil.ErrFindings) {
		a.PrintError(cmdutil.NameFlags(err))
		a.Call.PrintDenied(err, cmd)
	}
	return cmdutil.ExitCode(err)
}

// isCompletion reports whether a shell requests completions. Only then is the tree prepared for them, because
// that visits every flag of every command.
func isCompletion(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// errorKeepingWriter keeps the first write error, which cobra ignores when it prints help.
type errorKeepingWriter struct {
	w   io.Writer
	err error
}

func (h *errorKeepingWriter) Write(p []byte) (int, error) {
	n, err := h.w.Write(p)
	if h.err == nil {
		h.err = err
	}
	return n, err
}

// newRoot returns hcctl with all its commands.
func newRoot(a *cmdutil.Factory) *cobra.Command { return newTree(a, "") }

// newTree returns hcctl with the subcommand only, or with all subcommands if only is "".
func newTree(a *cmdutil.Factory, only string) *cobra.Command {
	version := false
	root := &cobra.Command{
		Use:         "hcctl",
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: displayName(a)},
		Short:       "Create and manage hosted clusters (HyperShift, KubeVirt platform) on bare-metal OpenShift",
		Long: `hcctl creates and manages hosted clusters on bare-metal OpenShift.

  hcctl check                           shows what the management cluster has or lacks
  hcctl bootstrap                       installs what is missing
  hcctl create cluster --name kv-00     a hosted cluster; waits until it works
  hcctl exec kv-00 -- oc get nodes      runs oc against it

hcctl help exit-codes, hcctl help environment and hcctl help config explain what several commands share.`,
		Example:       "  hcctl help create cluster",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				return printVersion(a)
			}
			return cmd.Help()
		},
	}
	root.AddGroup(&cobra.Group{ID: "management", Title: "Management cluster:"},
		&cobra.Group{ID: "hosted", Title: "Hosted clusters:"})
	a.Call.KubeFlags.Bind(root.PersistentFlags())
	for _, file := range []string{"kubeconfig", "certificate-authority", "client-certificate", "client-key"} {
		_ = root.MarkPersistentFlagFilename(file)
	}
	root.PersistentFlags().CountVarP(&a.Streams.Verbosity, "verbose", "v",
		"list what is well, too, and log each request to the API server on stderr")
	cmdutil.BindThrough(a.Connection, root)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return cmdutil.FlagError(cmd, a.Call.Args, err) })
	a.Streams.BindColour(root)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		cmdutil.WarnDeprecated(a.Notices, cmd)
		if err := a.Streams.CheckColour(cmd); err != nil {
			return err
		}
		if err := cmdutil.CheckThrough(a.Connection, cmd); err != nil {
			return err
		}
		if err := cmdutil.RequestTimeout(cmd, a.Call); err != nil {
			return err
		}
		if err := cmdutil.Namespace(cmd, a.Call); err != nil {
			return err
		}
		ctx := a.Limit.OfCommand(cmd.Context(), cmd)
		a.Files.Interrupted = ctx.Done()
		cmd.SetContext(ctx)
		return nil
	}
	root.Flags().BoolVar(&version, "version", false, "print hcctl's version, as hcctl version does")
	root.SetHelpCommand(newHelp(a))
	setHelp(a, root)
	for _, c := range commands {
		if only == "" || c.word == only {
			root.AddCommand(c.build(a))
		}
	}
	otherWords(root)
	return root
}

func displayName(a *cmdutil.Factory) string {
	if a.Call.Name == "" {
		return "hcctl"
	}
	return a.Call.Name
}

// refuseUnknownShells makes hcctl completion return an error without a shell and for an unknown shell. cobra
// prints help and exits 0, and the help would end up in the user's completion file.
func refuseUnknownShells(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Args, cmd.RunE = cobra.ArbitraryArgs, cmdutil.Noun("", "").RunE
		}
	}
}

// otherWords suggests hcctl's commands for words that users know from hcp, kubectl, oc and helm.
func otherWords(root *cobra.Command) {
	for command, words := range map[string][]string{
		"apply -f FILE --dry-run":       {"diff"},
		"bootstrap":                     {"install"},
		"config validate -f FILE":       {"lint", "validate"},
		"delete cluster NAME":           {"destroy", "remove", "rm"},
		"get clusters":                  {"cluster", "clusters", "hostedclusters", "list", "ls"},
		"get machines NAME":             {"machines", "nodes", "vms"},
		"get nodepools":                 {"nodepool", "nodepools"},
		"kubeconfig NAME --merge":       {"login"},
		"update cluster NAME":           {"edit", "patch", "set"},
		"exec NAME -- oc adm top nodes": {"top"},
	} {
		for _, word := range words {
			cmdutil.Instead(root, word, command)
		}
	}
	for _, cmd := range root.Commands() {
		if slices.Contains([]string{"create", "get"}, cmd.Name()) {
			cmdutil.Instead(cmd, "kubeconfig", "kubeconfig NAME")
		}
	}
}

// knownCommand returns an error for an unknown command, with similar ones.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return cmdutil.UnknownCommand(cmd, args)
}
