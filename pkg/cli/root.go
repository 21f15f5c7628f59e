package cli

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"k8s.io/klog/v2"

	"github.com/hcctl/hcctl/pkg/cli/apply"
	backupcmd "github.com/hcctl/hcctl/pkg/cli/backup"
	"github.com/hcctl/hcctl/pkg/cli/bootstrap"
	"github.com/hcctl/hcctl/pkg/cli/check"
	"github.com/hcctl/hcctl/pkg/cli/config"
	"github.com/hcctl/hcctl/pkg/cli/console"
	"github.com/hcctl/hcctl/pkg/cli/create"
	"github.com/hcctl/hcctl/pkg/cli/delete"
	"github.com/hcctl/hcctl/pkg/cli/density"
	"github.com/hcctl/hcctl/pkg/cli/describe"
	"github.com/hcctl/hcctl/pkg/cli/disks"
	"github.com/hcctl/hcctl/pkg/cli/docs"
	"github.com/hcctl/hcctl/pkg/cli/dump"
	"github.com/hcctl/hcctl/pkg/cli/events"
	"github.com/hcctl/hcctl/pkg/cli/exec"
	"github.com/hcctl/hcctl/pkg/cli/explain"
	exportercmd "github.com/hcctl/hcctl/pkg/cli/exporter"
	"github.com/hcctl/hcctl/pkg/cli/get"
	gitopscmd "github.com/hcctl/hcctl/pkg/cli/gitops"
	"github.com/hcctl/hcctl/pkg/cli/graph"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/kubeconfig"
	"github.com/hcctl/hcctl/pkg/cli/lint"
	"github.com/hcctl/hcctl/pkg/cli/logs"
	"github.com/hcctl/hcctl/pkg/cli/maintenance"
	"github.com/hcctl/hcctl/pkg/cli/password"
	"github.com/hcctl/hcctl/pkg/cli/pause"
	proxycmd "github.com/hcctl/hcctl/pkg/cli/proxy"
	"github.com/hcctl/hcctl/pkg/cli/rbac"
	"github.com/hcctl/hcctl/pkg/cli/restore"
	"github.com/hcctl/hcctl/pkg/cli/resume"
	"github.com/hcctl/hcctl/pkg/cli/scale"
	schedulecmd "github.com/hcctl/hcctl/pkg/cli/schedule"
	"github.com/hcctl/hcctl/pkg/cli/scp"
	sshcmd "github.com/hcctl/hcctl/pkg/cli/ssh"
	"github.com/hcctl/hcctl/pkg/cli/start"
	"github.com/hcctl/hcctl/pkg/cli/status"
	"github.com/hcctl/hcctl/pkg/cli/stop"
	supportcmd "github.com/hcctl/hcctl/pkg/cli/support"
	"github.com/hcctl/hcctl/pkg/cli/timeline"
	"github.com/hcctl/hcctl/pkg/cli/uninstall"
	"github.com/hcctl/hcctl/pkg/cli/update"
	"github.com/hcctl/hcctl/pkg/cli/upgrade"
	"github.com/hcctl/hcctl/pkg/cli/wait"
)

// Streams are what hcctl reads from and writes to.
type Streams = cmdutil.Streams

// Signals returns a context that the first SIGINT or SIGTERM ends. The second one exits with 130 at once, and so does
// the first if the command does not end within five seconds.
func Signals(parent context.Context, exit func(int)) context.Context {
	return cmdutil.Signals(parent, exit)
}

// MainAs runs hcctl with the arguments after the program's name and returns the exit code. Help and hints name hcctl as
// a user calls it, "kubectl hcctl" for kubectl-hcctl. It reads the environment only through getenv; client-go reads
// KUBECONFIG and the proxy settings itself.
func MainAs(ctx context.Context, program string, args []string, streams cmdutil.Streams,
	getenv func(string) string) int {
	// The logs of the libraries are for their developers. Users get findings instead.
	klog.SetLogger(logr.Discard())
	streams = streams.Guarded()
	a := cmdutil.NewFactory(streams, getenv)
	a.Call.Args, a.Call.Name = args, cmdutil.ProgramName(program)
	ctx = cmdutil.UnderSudo(ctx, getenv)
	root := newRoot(a)
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

// isCompletion reports whether a shell asks what may come next. Only then is it worked out, as that visits every flag
// of every command.
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

func newRoot(a *cmdutil.Factory) *cobra.Command {
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
	root.PersistentFlags().CountVarP(&a.Connection.Verbosity, "verbose", "v",
		"log each request to the API server on stderr")
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
	check, install := check.New(a), bootstrap.New(a)
	root.AddCommand(
		check, disks.New(a), install,
		uninstall.New(a),
		config.New(a), lint.New(a),
		rbac.New(a),
		maintenance.New(a),
		graph.New(a), timeline.New(a),
		create.New(a),
		apply.New(a),
		density.New(a),
		get.New(a),
		status.New(a),
		kubeconfig.New(a),
		scale.New(a), update.New(a),
		upgrade.New(a, upgrade.NewManagement(a)),
		pause.New(a), resume.New(a),
		stop.New(a), start.New(a), schedulecmd.New(a),
		gitopscmd.New(a),
		exec.New(a), proxycmd.New(a),
		password.New(a), console.New(a),
		sshcmd.New(a), scp.New(a), sshcmd.NewProxy(a),
		delete.New(a),
		dump.New(a),
		describe.New(a), events.New(a), logs.New(a), explain.New(a),
		docs.New(a, reference), supportcmd.New(a),
		backupcmd.New(a), restore.New(a),
		wait.New(a), exportercmd.New(a),
		newVersion(a),
		newMan(a), newOptions(a),
		cmdutil.NewExitCodes(),
		NewEnvironment(check, install),
	)
	otherWords(root)
	return root
}

func displayName(a *cmdutil.Factory) string {
	if a.Call.Name == "" {
		return "hcctl"
	}
	return a.Call.Name
}

// refuseUnknownShells makes an error of hcctl completion without a shell, and of a shell that it does not know. cobra
// prints help and says that all is well, which then stands in somebody's file.
func refuseUnknownShells(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Args, cmd.RunE = cobra.ArbitraryArgs, cmdutil.Noun("", "").RunE
		}
	}
}

// otherWords says what hcctl calls the commands that people know from hcp, kubectl, oc and helm.
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

// knownCommand refuses unknown commands and suggests similar ones.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return cmdutil.UnknownCommand(cmd, args)
}
