package kubeconfig

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/kubeconfig"
)

// unmerge removes a hosted cluster's contexts from the user's kubeconfig. It contacts no server, because the
// cluster may not exist any more.
func unmerge(ctx context.Context, a *cmdutil.Factory, f *kubeconfigFlags) error {
	which := kubeconfig.Selection{Context: f.contextName}
	if f.name != "" {
		which.HostedCluster = cmdutil.ClustersNamespace(a.Call) + "/" + f.name
	}
	if err := a.Connection.CheckKubeconfigs(); err != nil {
		return err
	}
	if cfg, err := a.Call.KubeFlags.REST(); err == nil {
		which.Management = cfg.Host
	}
	files := cmdutil.KubeconfigFiles(a.Call, f.file)
	outcomes, err := removeFrom(ctx, files.GetLoadingPrecedence(), which)
	if err != nil {
		return err
	}
	if changed(outcomes) == 0 {
		return notMerged(files.GetLoadingPrecedence(), which)
	}
	if f.output == "json" {
		return cmdutil.WriteJSON(a.Streams.Out, reportOf(currentOf(files), nil, outcomes...))
	}
	tellRemoved(a, files, outcomes)
	return nil
}

// ForgetKubeconfig removes a deleted hosted cluster from the user's kubeconfig. It only prints errors, because
// the deletion has succeeded.
func ForgetKubeconfig(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, namespace, name string) {
	which := kubeconfig.Selection{Owner: kubeconfig.Owner{HostedCluster: namespace + "/" + name, Management: t.Server}}
	files := cmdutil.KubeconfigFiles(a.Call, "")
	outcomes, err := removeFrom(ctx, files.GetLoadingPrecedence(), which)
	tellRemoved(a, files, outcomes)
	if err != nil {
		again := a.Call.Render(hint.Run("kubeconfig", name).Flag("namespace", namespace).Flag("remove").Text())
		cmdutil.Tell(a.Streams.Err, "Its context is still in your kubeconfig: %v\n  → once that is fixed: %s\n", err, again)
	}
}

// removeFrom removes the contexts from all files. An error with one file does not stop the others.
func removeFrom(ctx context.Context, paths []string, which kubeconfig.Selection) ([]kubeconfig.Outcome, error) {
	var outcomes []kubeconfig.Outcome
	var failed []error
	for _, path := range paths {
		out, err := kubeconfig.Remove(ctx, path, which)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		outcomes = append(outcomes, out)
	}
	return outcomes, errors.Join(failed...)
}

func changed(outcomes []kubeconfig.Outcome) int {
	n := 0
	for _, out := range outcomes {
		n += len(out.Changes)
	}
	return n
}

// currentOf returns the current context of all files together, or "" if they cannot be read.
func currentOf(files clientcmd.ConfigAccess) string {
	config, err := files.GetStartingConfig()
	if err != nil {
		return ""
	}
	return config.CurrentContext
}

func tellRemoved(a *cmdutil.Factory, files clientcmd.ConfigAccess, outcomes []kubeconfig.Outcome) {
	for _, out := range outcomes {
		for _, c := range out.Changes {
			cmdutil.Tell(a.Streams.Err, "Context %s in %s: %s\n", c.Context, out.Path, c.Change)
		}
		if len(out.Changes) > 0 && currentOf(files) == "" {
			cmdutil.Tell(a.Streams.Err, "%s has no current context: oc config use-context NAME sets one.\n", out.Path)
		}
		tellMode(a, out)
	}
}

// notMerged returns the error that there was nothing to remove, with the contexts of the same name.
func notMerged(paths []string, which kubeconfig.Selection) error {
	if which.Context != "" {
		return cmdutil.Missing(fmt.Errorf("there is no context %q in %s", which.Context, strings.Join(paths, ", ")),
			"oc config get-contexts lists them")
	}
	var others []string
	for _, path := range paths {
		found, err := kubeconfig.ContextsElsewhere(path, which.Owner)
		if err != nil {
			return err
		}
		others = append(others, found...)
	}
	err := fmt.Errorf("hcctl has merged no context for hosted cluster %s of %s into %s", which.HostedCluster,
		cmp.Or(which.Management, "any management cluster"), strings.Join(paths, ", "))
	if len(others) > 0 {
		return cmdutil.Missing(fmt.Errorf("%w; for others of that name there are: %s", err, strings.Join(others, ", ")),
			"--remove --context-name NAME removes one of those")
	}
	return cmdutil.Missing(err, "oc config get-contexts lists what there is")
}
