package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"k8s.io/klog/v2"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
)

// Main runs hcctl with the arguments after the program's name and returns the exit code. It reads the environment through
// getenv only, apart from what client-go reads itself (KUBECONFIG, proxy settings).
func Main(ctx context.Context, args []string, streams Streams, getenv func(string) string) int {
	// The libraries' own logs are for their developers; what matters of them reaches the person as findings.
	klog.SetLogger(logr.Discard())
	ctrllog.SetLogger(logr.Discard())
	streams = streams.guarded()
	a := &app{streams: streams, getenv: getenv, kubeFlags: connectionFlags(), interrupted: ctx.Done()}
	ctx = a.underSudo(ctx)
	root := newRoot(a)
	if completes(args) {
		completeTree(a, root)
	}
	root.SetArgs(args)
	root.SetIn(streams.In)
	help := &heedful{w: streams.Out}
	root.SetOut(help)
	root.SetErr(streams.Err)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = help.err
	}
	if a.gaveUp {
		err = context.Canceled
	}
	if err != nil && !errors.Is(err, errFindings) {
		a.printError(err)
		a.printDenied(err, cmd)
	}
	return exitCode(err)
}

// completes tells whether a shell asks what may come next. Only then is it worked out: that reads the help of every flag of every command.
func completes(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// heedful keeps the first error of writing: cobra ignores it when it prints help.
type heedful struct {
	w   io.Writer
	err error
}

func (h *heedful) Write(p []byte) (int, error) {
	n, err := h.w.Write(p)
	if h.err == nil {
		h.err = err
	}
	return n, err
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "hcctl",
		Short: "Hosted clusters (HyperShift, KubeVirt platform) on bare-metal OpenShift, from nothing to running",
		Long: `hcctl takes a bare-metal OpenShift cluster from nothing to a running hosted cluster
(HyperShift, KubeVirt platform), and looks after such clusters.

  hcctl check                           what the management cluster has, lacks or has broken
  hcctl bootstrap                       installs what is missing
  hcctl create cluster --name kv-00     a hosted cluster, waited for until it works
  hcctl exec kv-00 -- oc get nodes      the way in

hcctl help exit-codes, hcctl help environment and hcctl help config tell what holds for several commands.`,
		Example:                    "  hcctl help create cluster",
		SuggestionsMinimumDistance: 2,
		SilenceErrors:              true,
		SilenceUsage:               true,
		Args:                       knownCommand,
		RunE:                       func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddGroup(&cobra.Group{ID: "management", Title: "Management cluster:"}, &cobra.Group{ID: "hosted", Title: "Hosted clusters:"})
	a.kubeFlags.AddFlags(root.PersistentFlags())
	root.PersistentFlags().CountVarP(&a.verbosity, "verbose", "v", "log each request to the API server on stderr")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return misuse(cmd, errors.New(strings.ReplaceAll(err.Error(), "\n", " ")))
	})
	root.SetHelpCommand(newHelp())
	check, bootstrap := newCheck(a), newBootstrap(a)
	root.AddCommand(
		check, bootstrap,
		newUninstall(a),
		newConfig(a),
		newRBAC(a),
		newCreate(a),
		newApply(a),
		newDensity(a),
		newGet(a),
		newStatus(a),
		newKubeconfig(a),
		newScale(a), newUpdate(a),
		newUpgrade(a),
		newPause(a), newResume(a),
		newStop(a), newStart(a),
		newExec(a),
		newPassword(a),
		newDelete(a),
		newDump(a),
		newWait(a),
		newVersion(a),
		newMan(a),
		newExitCodes(),
		newEnvironment(check, bootstrap),
	)
	return root
}

// knownCommand refuses what is not a command, and says what may have been meant.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Errorf("unknown command %q for %s", args[0], cmd.CommandPath())
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		err = fmt.Errorf("%w; did you mean %s?", err, strings.Join(near, " or "))
	}
	return misuse(cmd, err)
}
