// Package exec implements hcctl exec.
package exec

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/safefile"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/program"
	kubeconfigcmd "github.com/hcctl/hcctl/pkg/cli/kubeconfig"
	proxycmd "github.com/hcctl/hcctl/pkg/cli/proxy"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kubeconfig"
)

// ClusterVariable is the environment variable with the hosted cluster, for the command or a shell's prompt.
const ClusterVariable = "HCCTL_HOSTED_CLUSTER"

// New returns the command exec.
func New(a *cmdutil.Factory) *cobra.Command {
	custom := false
	cmd := &cobra.Command{
		Use:     "exec NAME -- COMMAND [ARG]...",
		GroupID: "hosted",
		Short:   "Run a command against a hosted cluster, without touching your kubeconfig",
		Long: `exec runs a command with KUBECONFIG set to a hosted cluster's admin kubeconfig. The command has hcctl's
stdin, stdout and stderr; signals go through to it, and its exit code is hcctl's. A command that a signal ended
gives 128 and the signal's number; one that is not found 127, one that cannot be run 126. SIGTERM or SIGINT sent to
hcctl twice ends the command in any case: after half a second with SIGKILL.

A command without a slash is looked for in PATH, but never run from the current directory: write ./COMMAND for that.

The kubeconfig is a file of mode 0600 in a directory of its own (in XDG_RUNTIME_DIR, else TMPDIR), and is gone when the
command has ended. None of your files is touched. HCCTL_HOSTED_CLUSTER is set to NAMESPACE/NAME. Where the cluster's
address does not answer from here, the kubeconfig leads through the management cluster, as that of hcctl proxy does.

Without a command, on a terminal, it runs your shell: what you do there affects the hosted cluster, and exit leaves
it.`,
		Example: `  hcctl exec kv-00 -- oc get nodes
  hcctl exec kv-00 -- sh -c 'oc get clusteroperators -o json | jq .items[].metadata.name'
  hcctl exec kv-00`,
		Args: func(cmd *cobra.Command, args []string) error {
			dash := cmd.ArgsLenAtDash()
			if len(args) == 0 || dash == 0 {
				return cmdutil.Misuse(cmd, errors.New("which hosted cluster? hcctl exec NAME -- COMMAND"))
			}
			if dash < 0 && len(args) > 1 || dash > 1 {
				return cmdutil.Misuse(cmd,
					fmt.Errorf("unexpected argument %q: the command comes after --, as in hcctl exec %s -- %s", args[1], args[0],
						strings.Join(args[1:], " ")))
			}
			return cmdutil.Named(cmd, "hosted cluster", args[:1])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			command := args[1:]
			if len(command) == 0 {
				shell := a.Getenv("SHELL")
				if _, terminal := a.Streams.Terminal(); !terminal || shell == "" {
					return cmdutil.Misuse(cmd,
						fmt.Errorf("which command? hcctl exec %s -- COMMAND, such as: hcctl exec %s -- oc get nodes", args[0], args[0]))
				}
				command = []string{shell}
			}
			return runExec(cmd.Context(), a, args[0], custom, command, len(args) == 1)
		},
	}
	cmd.Flags().BoolVar(&custom, "custom", false, "reach it by its own DNS name (spec.kubeAPIServerDNSName)")
	return cmd
}

// runExec reads the kubeconfig and runs the command.
func runExec(ctx context.Context, a *cmdutil.Factory, name string, custom bool, command []string, shell bool) error {
	path, err := program.Find(command[0])
	if err != nil {
		return err
	}
	t, err := a.Connection.Dial()
	if err != nil {
		return err
	}
	variant := kubeconfig.Admin
	if custom {
		variant = kubeconfig.Custom
	}
	access, err := kubeconfigcmd.FetchOne(ctx, a, t, name, variant)
	if err != nil {
		return t.Clarify(ctx, err)
	}
	content, err := access.Kubeconfig()
	if err != nil {
		return err
	}
	key := client.ObjectKey{Namespace: cmdutil.ClustersNamespace(a.Call), Name: name}
	way, err := proxycmd.Needed(ctx, a, t, key, access)
	if err != nil {
		return err
	}
	if way != nil {
		defer way.Close()
		content = way.Kubeconfig
	}
	// From here on a signal must not end hcctl before the cleanup. An earlier signal ends it now, a later one
	// goes to the command.
	sent, stop := program.Listen()
	defer stop()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	file, remove, err := kubeconfig.WritePrivate(ctx, program.PrivateDirectory(ctx, a.Getenv), content)
	if err != nil {
		return cannotKeep(command[0], err)
	}
	defer remove()
	back, ok := cmdutil.TakeSignals(ctx)
	if !ok {
		return context.Canceled
	}
	defer back()
	if shell {
		cmdutil.Tell(a.Streams.Err, "A shell in hosted cluster %s; exit leaves it.\n", key)
	}
	cmd := &exec.Cmd{
		Path: path, Args: command, Stdin: a.Streams.In, Stdout: sanitize.Unwrap(a.Streams.Out),
		Stderr: sanitize.Unwrap(a.Streams.Err),
		Env:    append(os.Environ(), "KUBECONFIG="+file, ClusterVariable+"="+key.String()),
	}
	return program.Run(cmd, sent)
}

// cannotKeep returns why the kubeconfig for a command cannot be written, and what to do.
func cannotKeep(command string, err error) error {
	err = fmt.Errorf("write a kubeconfig for %s: %w", command, err)
	var unsafe *safefile.Error
	if errors.As(err, &unsafe) {
		return cmdutil.WithHint(err, "set TMPDIR to a directory of yours that nobody else can write (mode 0700)")
	}
	return err
}
