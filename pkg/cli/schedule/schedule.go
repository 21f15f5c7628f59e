package schedule

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/each"
	"github.com/hcctl/hcctl/pkg/cli/internal/rendering"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/fleet/schedule"
)

// flags are the flags of schedule.
type flags struct {
	schedule.Options
	render, apply, remove bool
	change                cmdutil.ChangeFlags
}

// timeout bounds the command, which writes a few objects and waits for nothing.
const timeout = 5 * time.Minute

// New returns the command schedule.
func New(a *cmdutil.Factory) *cobra.Command {
	f := &flags{}
	cmd := &cobra.Command{
		Use: "schedule -l SELECTOR --stop TIMES --start TIMES --delete-expired TIMES --image IMAGE " +
			"{--render|--apply|--remove}",
		GroupID: "hosted",
		Short:   "Stop and start the workers of hosted clusters at set times, or delete what has expired",
		Long: `schedule makes CronJobs on the management cluster that run hcctl stop and hcctl start for the
hosted clusters with these labels, in one namespace. Clusters that get the labels later take part, too. Times have the
five fields of cron: minute, hour, day of month, month, day of week.

The CronJobs run --image, which must have hcctl in its PATH, with a ServiceAccount that may do just that (hcctl rbac
--for schedule), under the PodSecurity level restricted. They do not wait for VMs and nodes: hcctl wait and hcctl
status tell how far those are. Stopping deletes the workers' root volumes, as hcctl stop does.

--delete-expired makes a CronJob that runs hcctl delete clusters --expired for those with these labels, with the role of
hcctl rbac --for cleanup: a cluster without an expiry, or with an invalid one, stays. -l hcctl.dev/owner chooses all
that have an owner.

--apply writes them; the same command again changes nothing, and with other times it changes those. With --stop and
--delete-expired it needs --yes without a terminal. --render prints the manifests and contacts no server. --remove
deletes the schedule of these labels; clusters stay as they are.`,
		Example: `  hcctl schedule -l env=dev --stop "0 20 * * *" --start "0 6 * * 1-5" --time-zone Europe/Berlin \
    --image registry.example.com/tools/hcctl:1.0 --apply
  hcctl schedule -l env=dev --stop "0 20 * * *" --image registry.example.com/hcctl:1.0 --render
  hcctl schedule -l hcctl.dev/owner --delete-expired "0 * * * *" --apply \
    --image registry.example.com/tools/hcctl:1.0
  hcctl schedule -l env=dev --remove`,
		Args: cmdutil.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.Namespace = cmdutil.ClustersNamespace(a.Call)
			s, err := f.parse(cmd)
			if err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if f.render {
				return printManifests(a, s)
			}
			if err := a.Prompter.NeedsConsent("schedule", f.change.DryRun || !f.destroys()); err != nil {
				return err
			}
			return carryOut(cmd.Context(), a, s, f)
		},
	}
	set := cmd.Flags()
	set.StringVarP(&f.Selector, "selector", "l", "", "hosted clusters with these labels, such as env=dev (required)")
	set.StringVar(&f.Stop, "stop", "", `when to stop them, such as "0 20 * * *": every day at 20:00`)
	set.StringVar(&f.Start, "start", "", `when to start them, such as "0 6 * * 1-5": from Monday to Friday at 6:00`)
	set.StringVar(&f.DeleteExpired, "delete-expired", "", `when to delete those that have expired, such as "0 * * * *": `+
		"every hour; see create cluster --expires")
	set.StringVar(&f.TimeZone, "time-zone", "UTC", "time zone of the times, such as Europe/Berlin")
	set.StringVar(&f.Image, "image", "", "image that has hcctl in its PATH; there is no default")
	set.BoolVar(&f.render, "render", false, "print the manifests and change nothing; contacts no server")
	set.BoolVar(&f.apply, "apply", false, "write the schedule, or change it")
	set.BoolVar(&f.remove, "remove", false, "delete the schedule of these labels")
	f.change.Bind(cmd, a, timeout)
	for _, free := range []string{"selector", "stop", "start", "delete-expired", "time-zone", "image"} {
		cmdutil.Complete(cmd, free)
	}
	return cmd
}

// destroys reports whether the schedule will delete clusters or the workers' root volumes.
func (f *flags) destroys() bool { return f.apply && (f.Stop != "" || f.DeleteExpired != "") }

// parse validates the flags.
func (f *flags) parse(cmd *cobra.Command) (*schedule.Schedule, error) {
	ways := 0
	for _, way := range []bool{f.render, f.apply, f.remove} {
		if way {
			ways++
		}
	}
	switch {
	case ways != 1:
		return nil, errors.New("give one of --render, --apply and --remove")
	case f.render && (f.change.DryRun || f.change.Output != ""):
		return nil, errors.New("--render prints manifests and changes nothing: not with --dry-run or --output")
	}
	if err := f.change.Validate(); err != nil {
		return nil, err
	}
	if f.remove {
		for _, flag := range []string{"stop", "start", "delete-expired", "time-zone", "image"} {
			if cmd.Flags().Changed(flag) {
				return nil, fmt.Errorf("--%s: not with --remove, which goes by the labels alone", flag)
			}
		}
		return schedule.Find(f.Namespace, f.Selector)
	}
	return schedule.New(f.Options, time.Now())
}

func printManifests(a *cmdutil.Factory, s *schedule.Schedule) error {
	all, err := s.Objects()
	if err != nil {
		return err
	}
	return rendering.PrintManifests(a, all)
}

func carryOut(ctx context.Context, a *cmdutil.Factory, s *schedule.Schedule, f *flags) error {
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return err
	}
	of := fmt.Sprintf("the schedule of hosted clusters with %s in namespace %s", sanitize.Word(s.Selector), s.Namespace)
	return each.Only(ctx, a, t, &f.change, each.Work{Command: "schedule", Kind: "SchedulePlan",
		Prepare: func(_ context.Context, t *cmdutil.Target, _ fleet.ClusterName) (c each.Change, err error) {
			if f.remove {
				c.Question, c.Heading = cmdutil.Textf("Remove %s on %s?", of, t.Named()), cmdutil.Textf("Removing %s on %s", of, t)
				c.Done = cmdutil.UpperFirst(of) + " is removed; the clusters stay as they are."
				c.Steps, err = s.RemoveSteps(t.Client)
				return c, err
			}
			c.Question, c.Heading = cmdutil.Textf("Write %s on %s?", of, t.Named()), cmdutil.Textf("Writing %s on %s", of, t)
			c.Done = cmdutil.UpperFirst(of) + " is written; " + a.Call.Render(hint.Run("schedule").Flag("l", s.Selector).
				With(cmdutil.NamespaceFlag(a.Call)...).Flag("remove").Text()) + " ends it."
			c.Notes, c.Destroys = s.Next(time.Now()), f.destroys()
			if c.Destroys {
				c.Details = []cmdutil.Text{"  each stop deletes the workers' root volumes, as hcctl stop does"}
			}
			c.Steps, err = s.Steps(t.Client)
			return c, err
		}})
}
