package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/printable"
	"github.com/hcctl/hcctl/pkg/kubeconfig"
)

// What a command that could not be started exits with, as env(1) and shells have it.
const (
	exitNotRunnable = 126
	exitNotFound    = 127
)

// clusterVariable tells a command, or a shell's prompt, which hosted cluster it is in.
const clusterVariable = "HCCTL_HOSTED_CLUSTER"

func newExec(a *app) *cobra.Command {
	custom := false
	cmd := &cobra.Command{
		Use:     "exec NAME -- COMMAND [ARG]...",
		GroupID: "hosted",
		Short:   "Run a command against a hosted cluster, without touching your kubeconfig",
		Long: `exec runs a command with KUBECONFIG set to a hosted cluster's admin kubeconfig. The command has hcctl's stdin, stdout and stderr;
signals go through to it, and its exit code is hcctl's. A command that a signal ended gives 128 and the signal's number; one that
is not found 127, one that cannot be run 126.

The kubeconfig is a file of mode 0600 in a folder of its own (in XDG_RUNTIME_DIR, else TMPDIR), and is gone when the command has ended.
None of your files is touched. HCCTL_HOSTED_CLUSTER is set to NAMESPACE/NAME.

Without a command, on a terminal, it runs your shell: what you do there is done to the hosted cluster, and exit leaves it.`,
		Example: `  hcctl exec kv-00 -- oc get nodes
  hcctl exec kv-00 -- sh -c 'oc get clusteroperators -o json | jq .items[].metadata.name'
  hcctl exec kv-00`,
		Args: func(cmd *cobra.Command, args []string) error {
			dash := cmd.ArgsLenAtDash()
			if len(args) == 0 || dash == 0 {
				return misuse(cmd, errors.New("which hosted cluster? hcctl exec NAME -- COMMAND"))
			}
			if dash < 0 && len(args) > 1 || dash > 1 {
				return misuse(cmd, fmt.Errorf("unexpected argument %q: the command comes after --, as in hcctl exec %s -- %s", args[1], args[0], strings.Join(args[1:], " ")))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			command := args[1:]
			if len(command) == 0 {
				shell := a.getenv("SHELL")
				if _, terminal := a.terminal(); !terminal || shell == "" {
					return misuse(cmd, fmt.Errorf("which command? hcctl exec %s -- COMMAND, such as: hcctl exec %s -- oc get nodes", args[0], args[0]))
				}
				command = []string{shell}
			}
			return a.exec(cmd.Context(), args[0], custom, command, len(args) == 1)
		},
	}
	cmd.Flags().BoolVar(&custom, "custom", false, "reach it by its own DNS name (spec.kubeAPIServerDNSName)")
	return cmd
}

// exec fetches the kubeconfig and runs the command.
func (a *app) exec(ctx context.Context, name string, custom bool, command []string, shell bool) error {
	program, err := exec.LookPath(command[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return notStarted(command[0], err)
	}
	t, err := a.connect(ctx)
	if err != nil {
		return err
	}
	variant := kubeconfig.Admin
	if custom {
		variant = kubeconfig.Custom
	}
	content, err := a.fetchOne(ctx, t, name, variant)
	if err != nil {
		return err
	}
	// From here on a signal must not end hcctl before it has cleaned up. The context has taken one since main began; a signal
	// that came before this line ends it now, one that comes later is the command's.
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, heard(forwarded())...)
	defer signal.Stop(signals)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	path, remove, err := kubeconfig.Private(a.privateFolder(), content)
	if err != nil {
		return fmt.Errorf("write a kubeconfig for %s: %w", command[0], err)
	}
	defer remove()
	if shell {
		tell(a.streams.Err, "A shell in hosted cluster %s/%s; exit leaves it.\n", a.clustersNamespace(), name)
	}
	cmd := &exec.Cmd{
		Path: program, Args: command, Stdin: a.streams.In, Stdout: printable.Unwrap(a.streams.Out),
		Stderr: printable.Unwrap(a.streams.Err),
		Env:    append(os.Environ(), "KUBECONFIG="+path, clusterVariable+"="+a.clustersNamespace()+"/"+name),
	}
	return runThrough(cmd, signals)
}

// heard are the signals that are not ignored on purpose, as nohup does: to listen for one would end that, for the command too.
func heard(all []os.Signal) []os.Signal { return slices.DeleteFunc(all, signal.Ignored) }

// privateFolder is where a kubeconfig lies while a command runs: in memory and the user's own where there is such a folder.
func (a *app) privateFolder() string {
	if dir := a.getenv("XDG_RUNTIME_DIR"); dir != "" {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
	}
	return os.TempDir()
}

// runThrough runs a command to its end and passes signals on to it.
func runThrough(cmd *exec.Cmd, signals <-chan os.Signal) error {
	if err := cmd.Start(); err != nil {
		return notStarted(cmd.Args[0], err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			if !terminalSends(s) {
				_ = cmd.Process.Signal(s) // it may have ended meanwhile
			}
		case err := <-ended:
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				return &exited{exit, exitOf(exit.ProcessState)}
			}
			return err
		}
	}
}

// exited is a command's own end: it has said itself what there is to say.
type exited struct {
	error
	code int
}

func (e *exited) ExitCode() int      { return e.code }
func (*exited) Is(target error) bool { return target == errFindings }
func (e *exited) Unwrap() error      { return e.error }
func notStarted(name string, err error) error {
	code := exitNotRunnable
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		code = exitNotFound
	}
	return &unstarted{fmt.Errorf("%s cannot be run: %w", name, err), code}
}

// unstarted is a command that could not be run at all.
type unstarted struct {
	error
	code int
}

func (e *unstarted) ExitCode() int { return e.code }
func (e *unstarted) Unwrap() error { return e.error }
