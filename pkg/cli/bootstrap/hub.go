package bootstrap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/hubrun"
	"github.com/hcctl/hcctl/pkg/fleet/hub/sites"
	"github.com/hcctl/hcctl/pkg/step"
)

// hubFlags are the flags of bootstrap for a hub.
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

// validate returns an error for flags that do not go together.
func (f *hubFlags) validate(cmd *cobra.Command) error {
	if err := hubrun.OnlyWithSites(cmd, f.on, "manifests", "placement", "site"); err != nil || !f.on {
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

// delivery reads the directories. From the common directory it takes what does not depend on the site, from the
// directory of a site what does.
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
		a.Notices.Warn(f.manifests+": left out, since it depends on the management cluster: "+names(left),
			hint.New("%s brings it to one", hint.Run("bootstrap").Flag("hub").Flag("site", "SITE=DIR")))
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

// run delivers prerequisites to the sites and waits for them.
func (f *hubFlags) run(ctx context.Context, a *cmdutil.Factory, planning cmdutil.PlanFlags, output string) error {
	d, err := f.delivery(a)
	if err != nil {
		return err
	}
	t, err := a.Connection.Connect(ctx)
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
		if err := a.Plans.Print(p, output, "BootstrapPlan",
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
	if err := a.Prompter.Consent(ctx, cmdutil.Question{Ask: cmdutil.Textf(
		"Deliver prerequisites to %s, through the hub, %s?", to, t.Named())}); err != nil {
		return err
	}
	next := hint.Run("check").Flag("hub").Text()
	r, err := a.Runner.Run(ctx, t, cmdutil.Run{Graph: g, Timeout: f.timeout, Output: output, Command: "bootstrap",
		Next:    func(step.Report) hint.Text { return next },
		Heading: cmdutil.Textf("Bootstrapping %s through the hub %s", to, t.Named())})
	if err != nil || output == "json" {
		return cmp.Or(err, r.Err())
	}
	if err := r.Err(); err != nil {
		return cmdutil.WithResume(err, "what is delivered stays, and the sites go on: %s shows how far they are", next)
	}
	cmdutil.Tell(a.Streams.Err, "All of it is at the sites. Next: %s\n", a.Call.Render(next))
	return nil
}
