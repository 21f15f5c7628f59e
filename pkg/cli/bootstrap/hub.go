package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/hubrun"
	"github.com/hcctl/hcctl/pkg/cli/internal/probing"
	"github.com/hcctl/hcctl/pkg/hub"
	"github.com/hcctl/hcctl/pkg/hub/sites"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// hubFlags are the flags of bootstrap that are about a hub.
type hubFlags struct {
	on        bool
	manifests string
	placement string
	own       map[string]string
	timeout   time.Duration
}

// bind adds the flags to bootstrap.
func (f *hubFlags) bind(cmd *cobra.Command) {
	hubrun.BindSites(cmd, &f.on)
	cmd.Flags().StringVar(&f.manifests, "manifests", "", "with --hub: `DIR` of hcctl bootstrap --render, with what every "+
		"management cluster gets")
	cmd.Flags().StringVar(&f.placement, "placement", "", "with --hub: `NAMESPACE/NAME` of the Placement that chooses the "+
		"management clusters")
	cmd.Flags().StringToStringVar(&f.own, "site", nil, "with --hub: SITE=DIR, what depends on that management cluster, "+
		"such as its addresses and disks; can be repeated")
}

// hubToo are the flags that bootstrap and check take with --hub besides their own.
func hubToo() []string { return []string{"hub", "output", "yes", "dry-run", "timeout", "publish"} }

// onlyWithHub refuses flags that do not go with --hub, and those that need it.
func onlyWithHub(cmd *cobra.Command, on bool, own ...string) error {
	var others []string
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(hubToo(), f.Name) && !slices.Contains(own, f.Name) {
			others = append(others, f.Name)
		}
	})
	return hubrun.Without(cmd, on, others, own...)
}

// validate refuses flags that do not go together.
func (f *hubFlags) validate(cmd *cobra.Command) error {
	if err := onlyWithHub(cmd, f.on, "manifests", "placement", "site"); err != nil || !f.on {
		return err
	}
	if f.manifests == "" && len(f.own) == 0 {
		return errors.New("--hub: give --manifests DIR, --site SITE=DIR, or both: hcctl bootstrap --render DIR writes them")
	}
	if (f.manifests == "") != (f.placement == "") {
		return errors.New("--manifests and --placement go together")
	}
	for _, site := range slices.Sorted(maps.Keys(f.own)) {
		if len(validation.IsDNS1123Subdomain(site)) > 0 {
			return fmt.Errorf("--site %q: it is not the name of a ManagedCluster", site)
		}
	}
	_, err := f.named()
	return err
}

func (f *hubFlags) named() (types.NamespacedName, error) {
	if f.placement == "" {
		return types.NamespacedName{}, nil
	}
	return hubrun.PlacementName(f.placement)
}

// delivery reads the folders. Of the common one it takes what does not depend on the site, of a site's own what does.
func (f *hubFlags) delivery(a *cmdutil.Factory) (d sites.Delivery, err error) {
	if d.Placement, err = f.named(); err != nil {
		return d, err
	}
	var left []sites.Object
	if f.manifests != "" {
		all, err := sites.Read(f.manifests)
		if err != nil {
			return d, err
		}
		d.Alike, left = sites.Split(all)
	}
	d.Own = map[string][]sites.Object{}
	for _, site := range slices.Sorted(maps.Keys(f.own)) {
		all, err := sites.Read(f.own[site])
		if err != nil {
			return d, err
		}
		if _, d.Own[site] = sites.Split(all); len(d.Own[site]) == 0 {
			return d, fmt.Errorf("--site %s=%s: nothing in it depends on the management cluster", site, f.own[site])
		}
	}
	if len(left) > 0 && len(d.Own) == 0 {
		a.Warn(f.manifests+": left out, since it depends on the management cluster: "+names(left),
			"hcctl bootstrap --hub --site SITE=DIR brings it to one")
	}
	return d, nil
}

func names(objects []sites.Object) string {
	var all []string
	for _, o := range objects {
		all = append(all, o.String())
	}
	return cmdutil.Few(all)
}

// run delivers prerequisites to sites, and follows them.
func (f *hubFlags) run(ctx context.Context, a *cmdutil.Factory, planning cmdutil.PlanFlags, output string) error {
	d, err := f.delivery(a)
	if err != nil {
		return err
	}
	t, err := a.Connect(ctx)
	if err != nil {
		return err
	}
	graph := func(t *cmdutil.Target) (*step.Graph, error) {
		steps, err := sites.Prepare(ctx, t.Client, d)
		if err != nil {
			return nil, err
		}
		return step.New(steps...)
	}
	if planning.DryRun {
		p, err := cmdutil.PlanWrites(ctx, t, graph, func(opt *step.Options) { opt.Timeout = cmdutil.PlanTimeout })
		if err != nil {
			return err
		}
		if err := a.PrintPlan(p, output, "BootstrapPlan",
			fmt.Sprintf("What hcctl bootstrap would deliver through the hub %s", t)); err != nil {
			return err
		}
		return p.Verdict()
	}
	g, err := graph(t)
	if err != nil {
		return err
	}
	to := plural.Count(len(d.Own), "management cluster")
	if f.placement != "" {
		to = "the management clusters of Placement " + f.placement
	}
	if err := a.Consent(ctx, cmdutil.Question{Ask: cmdutil.Textf("Deliver prerequisites to %s, through the hub, %s?", to,
		t.Named())}); err != nil {
		return err
	}
	shape := func(opt *step.Options) { opt.Timeout = f.timeout }
	const next = "hcctl check --hub"
	if output == "json" {
		return a.StreamGraph(ctx, t, g, shape, "bootstrap", func(step.Report) string { return next })
	}
	r, err := a.RunGraph(ctx, t, cmdutil.Textf("Bootstrapping %s through the hub %s", to, t.Named()), g, shape)
	if err != nil {
		return err
	}
	if err := r.Err(); err != nil {
		return cmdutil.WithResume(err, "what is delivered stays, and the sites go on: "+next+" shows how far they are")
	}
	cmdutil.Tell(a.Streams.Err, "All of it is at the sites. Next: %s\n", a.WithConnection(next))
	return nil
}

// runCheckHub checks what is delivered to sites through a hub.
func runCheckHub(a *cmdutil.Factory, cmd *cobra.Command, output string, timeout time.Duration, publish bool) error {
	ctx := cmd.Context()
	t, err := a.Connect(ctx)
	if err != nil {
		return err
	}
	if publish {
		if err := publishScores(ctx, a, t); err != nil {
			return err
		}
	}
	looked, err := sites.Look(ctx, t.Client)
	var none *hub.NoSiteError
	if publish && errors.As(err, &none) {
		return nil // that prerequisites come to the sites by other means is no failure of the scores
	}
	if err != nil {
		return err
	}
	graph, err := step.New(looked.Steps...)
	if err != nil {
		return err
	}
	once := kube.NewCache(ctx)
	r := a.ReportWithConnection(graph.Check(ctx, step.Options{Timeout: timeout,
		ReadCache: func(context.Context) step.Reads { return once }}))
	return printReport(a, output, r, &probing.Flags{}, func() error {
		cmdutil.Tell(a.Streams.Out, "Management clusters of the hub %s\n", t)
		for _, line := range looked.Heard {
			cmdutil.Tell(a.Streams.Out, "  %s\n", line)
		}
		cmdutil.Tell(a.Streams.Out, "\n")
		return report.Check(a.Streams.Out, r, a.ScreenOut())
	})
}

// runUninstallHub stops the delivery to all sites. What was brought stays there.
func runUninstallHub(ctx context.Context, a *cmdutil.Factory, f uninstallFlags) error {
	t, err := a.Connect(ctx)
	if err != nil {
		return err
	}
	steps := func(t *cmdutil.Target) ([]step.Step, error) { return sites.Removal(ctx, t.Client) }
	p, err := cmdutil.PlanWrites(ctx, t, func(t *cmdutil.Target) (*step.Graph, error) {
		all, err := steps(t)
		if err != nil {
			return nil, err
		}
		return step.New(all...)
	}, func(opt *step.Options) { opt.Timeout = cmdutil.PlanTimeout })
	if err != nil {
		return err
	}
	if f.dryRun || a.Asks() && p.Forecasts.Changes() {
		title := fmt.Sprintf("What hcctl uninstall would stop delivering through the hub %s", t)
		if err := a.PrintPlan(p, f.output, "UninstallPlan", title); err != nil {
			return err
		}
	}
	if f.dryRun {
		return p.Verdict()
	}
	if p.Forecasts.Changes() {
		ask := cmdutil.Textf("Stop delivering prerequisites to the management clusters of %s? What they have stays.",
			t.Named())
		if err := a.Consent(ctx, cmdutil.Destruction("uninstall", ask)); err != nil {
			return err
		}
	}
	all, err := steps(t)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return cmdutil.Say(a.Streams.Err, "There is nothing to do: nothing is delivered.\n")
	}
	r, err := a.Run(ctx, t, cmdutil.Textf("Stopping the delivery through the hub %s", t), f.timeout, all)
	if err != nil {
		return err
	}
	if err := r.Err(); err != nil {
		return cmdutil.WithResume(err, "hcctl uninstall --hub continues from there")
	}
	cmdutil.Tell(a.Streams.Err, "Nothing is delivered any more; what the sites have stays. hcctl uninstall at a site "+
		"removes it there.\n")
	return nil
}
