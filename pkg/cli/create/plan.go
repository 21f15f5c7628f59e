package create

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/kube/plan"
	"github.com/hcctl/hcctl/pkg/step"
)

// previewFlags are the flags of create cluster that print or write what would be created.
type previewFlags struct {
	dryRun, renderInto      string
	render, renderSensitive bool
}

// Values of --dry-run.
const (
	dryRunClient = "client"
	dryRunServer = "server"
)

func (p *previewFlags) bind(f *pflag.FlagSet) {
	f.StringVar(&p.dryRun, "dry-run", "", "say what would be written, and change nothing: client asks no server and "+
		"needs --release-image, server has "+
		"the API server's defaults and validation, runs the checks of create, and "+cmdutil.DryRunExits)
	f.Lookup("dry-run").NoOptDefVal = dryRunServer
	f.BoolVar(&p.render, "render", false, "print the manifests and change nothing; contacts no server, so it needs "+
		"--release-image")
	f.StringVar(&p.renderInto, "render-into", "", "write the manifests to this file, which must not exist yet and is "+
		"made with mode 0600, and change nothing")
	f.BoolVar(&p.renderSensitive, "render-sensitive", false, "with --render or --render-into: the Secrets too; needs "+
		"--pull-secret")
}

// rendering reports whether --render or --render-into is given.
func (p *previewFlags) rendering() bool { return p.render || p.renderInto != "" }

// renderFlag returns the name of the given flag for manifests.
func (p *previewFlags) renderFlag() string {
	if p.render {
		return "--render"
	}
	return "--render-into"
}

// validate returns an error for flags that exclude each other. save is the file of --save-config; empty for
// none.
func (p *previewFlags) validate(output, save string) error {
	switch {
	case save != "" && (p.rendering() || p.dryRun != "" || output != ""):
		return errors.New("--save-config writes a document and does nothing else: give it without --dry-run, --render, " +
			"--render-into and --output")
	case p.dryRun != "" && p.dryRun != dryRunClient && p.dryRun != dryRunServer:
		return fmt.Errorf("--dry-run %q: use client or server", p.dryRun)
	case p.rendering() && p.dryRun != "":
		return fmt.Errorf("%s and --dry-run: give only one of them; both change nothing", p.renderFlag())
	case p.rendering() && output != "":
		return fmt.Errorf("%s gives manifests: it takes no --output", p.renderFlag())
	case p.renderSensitive && !p.rendering():
		return errors.New("--render-sensitive: it is for --render and --render-into")
	case p.dryRun != "":
		return cmdutil.PlanFormat(output)
	}
	return cmdutil.RunFormat(output)
}

// show prints or writes what would be created.
func (p *previewFlags) show(ctx context.Context, a *cmdutil.Factory, o options.Validated, flags Flags) error {
	switch {
	case p.rendering():
		return renderCluster(a, o, p.renderSensitive, p.renderInto)
	case p.dryRun == dryRunClient:
		return planClusterHere(a, o, flags.output)
	}
	return planCluster(ctx, a, o, flags)
}

// planCluster prints what creating the cluster would write, as the API server sees it. Then it checks whether
// the management cluster can take the cluster.
func planCluster(ctx context.Context, a *cmdutil.Factory, o options.Validated, flags Flags) error {
	t, err := a.Connection.Dial()
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	introduced := make(chan error, 1)
	go func() { introduced <- t.Introduce(ctx, nil) }()
	once := informer.NewCache(ctx)
	prepared, err := resolved(ctx, t, once, o, flags)
	if err := <-introduced; err != nil {
		return err
	}
	if err != nil {
		return t.Clarify(ctx, err)
	}
	passes := cmdutil.Preflight(ctx, a.Notices, t, once, prepared, flags.skipPreflight)
	if err := triedOut(ctx, once, prepared, flags); err != nil {
		return t.Clarify(ctx, err)
	}
	p, err := cmdutil.PlanWrites(ctx, t, func(dry *cmdutil.Target) (*step.Graph, error) {
		return step.New(prepared.For(dry.Client).Steps()...)
	}, func(opt *step.Options) { opt.Timeout, opt.Ahead = cmdutil.PlanTimeout, true })
	if err != nil {
		return err
	}
	if err := a.Plans.Print(p, flags.output, "ClusterPlan",
		fmt.Sprintf("What hcctl create cluster would do for %s/%s on %s", o.Namespace, o.Name, t)); err != nil {
		return err
	}
	if err := passes(); err != nil {
		return err
	}
	if flags.output == "" {
		tellContinues(a, prepared)
		WarnLeftAlone(a, prepared.LeftAlone(ctx, once))
		cmdutil.Tell(a.Streams.Err, "%s\n", afterClusterPlan(p))
	}
	return p.Verdict()
}

// afterClusterPlan returns the next step after a plan.
func afterClusterPlan(p *cmdutil.Planned) string {
	switch {
	case p.Forecasts.Err() != nil:
		return "hcctl create cluster would fail: see above. Nothing was changed."
	case p.Forecasts.Changes():
		return "Next: the same command without --dry-run does this. Nothing was changed."
	}
	return "Nothing to do: the cluster exists."
}

// notAsked is why only the sent content of an object is known, not its stored content.
const notAsked = "no server was asked (--dry-run=client)"

// planClusterHere prints what creating the cluster would send. It contacts no server.
func planClusterHere(a *cmdutil.Factory, o options.Validated, output string) error {
	r, err := creation.Render(o, len(o.PullSecret.Content) > 0)
	if err != nil {
		return err
	}
	p := &cmdutil.Planned{Writes: map[step.ID][]plan.Write{}}
	for _, obj := range r.Objects {
		m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
		if err != nil {
			return fmt.Errorf("%s: %w", kube.Name(obj), err)
		}
		u := &unstructured.Unstructured{Object: m}
		s := &step.Step{ID: objectStep(obj), Title: u.GetKind() + " " + obj.GetName(), Group: creation.ObjectsGroup}
		finding := step.Missing("created, unless it exists").On("%s %s", u.GetKind(), kube.Name(obj))
		p.Forecasts = append(p.Forecasts, step.Forecast{Step: s, Action: step.ActionWrite, Finding: finding,
			FindingAfter: finding,
			Change:       step.Created})
		p.Writes[s.ID] = []plan.Write{{Verb: plan.VerbCreate, After: u, Sent: u, Unvalidated: notAsked}}
	}
	if err := a.Plans.Print(p, output, "ClusterPlan", fmt.Sprintf("What hcctl create cluster would write for %s/%s",
		o.Namespace, o.Name)); err != nil {
		return err
	}
	tellLeftOut(a, r.LeftOut, "--pull-secret shows them, masked")
	cmdutil.Tell(a.Streams.Err, "Not checked: whether any of it exists already, and whether the management cluster can "+
		"take it; --dry-run=server checks both.\n")
	return nil
}

// objectStep returns the step ID for an object, such as "objects/nodepool-kv-00".
func objectStep(obj client.Object) step.ID {
	kind := obj.GetObjectKind().GroupVersionKind().Kind
	return step.ID(fmt.Sprintf("%s/%s-%s", creation.ObjectsGroup, strings.ToLower(kind), obj.GetName()))
}

// tellLeftOut prints which Secrets are not shown, and how to show them.
func tellLeftOut(a *cmdutil.Factory, names []string, how string) {
	if len(names) > 0 {
		cmdutil.Tell(a.Streams.Err, "Secrets are left out: %s. They are needed before the rest is applied; %s.\n", names, how)
	}
}

// renderCluster prints the manifests, or writes them to a new file that only its owner can read.
func renderCluster(a *cmdutil.Factory, o options.Validated, sensitive bool, path string) error {
	r, err := creation.Render(o, sensitive)
	if err != nil {
		return err
	}
	data, err := objects.YAML(r.Objects...)
	if err != nil {
		return err
	}
	tellLeftOut(a, r.LeftOut, "--render-sensitive prints them")
	if path == "" {
		return a.Streams.Document(data)
	}
	if err := cmdutil.WriteNew(path, data); err != nil {
		return fmt.Errorf("--render-into: %w", err)
	}
	cmdutil.Tell(a.Streams.Err, "Wrote %s to %s. Nothing was changed on any cluster.\n",
		plural.Count(len(r.Objects), "manifest"), path)
	return nil
}
