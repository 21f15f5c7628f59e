package kubeconfig

import (
	"context"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/kubeconfig"
	"github.com/hcctl/hcctl/pkg/step"
)

// mergeReport is the document of kubeconfig --merge and --remove with -o json: docs/schema/kubeconfig.json.
type mergeReport struct {
	step.TypeMeta
	Contexts       []mergeChange `json:"contexts"`
	CurrentContext string        `json:"currentContext"`
	LeftOut        leftOut       `json:"leftOut"`
}

type mergeChange struct {
	HostedCluster string      `json:"hostedCluster"`
	Context       string      `json:"context"`
	Server        string      `json:"server"`
	File          string      `json:"file"`
	Change        step.Change `json:"change"`
}

// fileFor returns the file for the entries: the first that contains one of them, else the one that kubectl
// config writes.
func fileFor(a *cmdutil.Factory, f *kubeconfigFlags, entries []kubeconfig.Entry) string {
	files := cmdutil.KubeconfigFiles(a.Call, f.file)
	for _, path := range files.GetLoadingPrecedence() {
		if kubeconfig.Has(path, entries) {
			return path
		}
	}
	return files.GetDefaultFilename()
}

// mergeEntries merges kubeconfigs into the user's kubeconfig, and prints what it changed.
func mergeEntries(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, f *kubeconfigFlags,
	entries []kubeconfig.Entry, late leftOut) error {
	current := ""
	if f.switchTo {
		current = entries[0].Context
	}
	out, err := kubeconfig.Merge(ctx, fileFor(a, f, entries), entries, current)
	if err != nil {
		return err
	}
	if f.output == "json" {
		return cmdutil.WriteJSON(a.Streams.Out, reportOf(out.Current, late, out))
	}
	for _, c := range out.Changes {
		cmdutil.Tell(a.Streams.Err, "Context %s in %s: %s\n", c.Context, out.Path, c.Change)
	}
	tellMode(a, out)
	example := out.Changes[0].Context
	if f.switchTo {
		cmdutil.Tell(a.Streams.Err,
			"It is the current context now. hcctl talks to the management cluster: give it --context %s from now on.\n",
			contextWord(t.Context))
		cmdutil.Tell(a.Streams.Err, "Next: oc get nodes\n")
		return nil
	}
	cmdutil.Tell(a.Streams.Err, "Next: oc --context %s get nodes\n", sanitize.Word(example))
	return nil
}

// contextWord returns a context as the user has to type it; NAME if it is empty.
func contextWord(name string) string {
	if name == "" {
		return "NAME"
	}
	return sanitize.Word(name)
}

// tellMode prints that a file's mode was changed to 0600.
func tellMode(a *cmdutil.Factory, out kubeconfig.Outcome) {
	if out.Narrowed != 0 {
		cmdutil.Tell(a.Streams.Err, "%s had mode %04o and has 0600 now: it holds credentials.\n", out.Path, out.Narrowed)
	}
}

// reportOf returns the document about one or several files.
func reportOf(current string, late leftOut, outcomes ...kubeconfig.Outcome) *mergeReport {
	r := &mergeReport{TypeMeta: step.NewTypeMeta("KubeconfigReport"), Contexts: []mergeChange{},
		CurrentContext: current, LeftOut: leftOut{}}
	r.LeftOut = append(r.LeftOut, late...)
	for _, out := range outcomes {
		for _, c := range out.Changes {
			r.Contexts = append(r.Contexts, mergeChange{c.HostedCluster, c.Context, c.Server, out.Path, c.Change})
		}
	}
	return r
}
