package delete

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/each"
	"github.com/hcctl/hcctl/pkg/cli/kubeconfig"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/deletion"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// New returns the command delete.
func New(a *cmdutil.Factory) *cobra.Command {
	cmd := cmdutil.Noun("delete", "Delete hosted clusters or a node pool", newDeleteCluster(a), newDeleteClusters(a),
		newDeleteNodePool(a))
	cmd.GroupID = "hosted"
	return cmd
}

// deleteFlags are the flags of delete cluster.
type deleteFlags struct {
	deletion.Options
	wait, dryRun bool
	ignoreAbsent bool
	output       string
	timeout      time.Duration
}

func newDeleteCluster(a *cmdutil.Factory) *cobra.Command {
	f := deleteFlags{Options: deletion.Defaults(), wait: true, timeout: 30 * time.Minute}
	several := &each.Flags{Deletes: true}
	cmd := &cobra.Command{
		Use:     each.Use,
		Aliases: []string{}, // delete clusters is a command of its own
		Short:   "Delete hosted clusters and wait until nothing of them is left",
		Long: `delete cluster detaches the ManagedCluster, deletes the HostedCluster with its NodePools, waits until the
control plane's namespace and its volumes are gone, and removes what create cluster created: Secrets, the CA bundle,
pools of addresses, and the namespace if it made that too and nothing else is in it; and what kubeconfig --merge
wrote for it. While it waits, it shows what blocks the deletion: which finalizer on which object, and which
controller removes it. It never removes a finalizer itself.

If the HostedCluster is already gone, what is left of it is removed. After an interruption, run the same command
again to continue. Several hosted clusters are deleted --parallel at a time, after one question that is answered with
their number; one that cannot be deleted does not stop the others, and a table shows the result of each. If one of
those that are named does not exist, nothing is deleted, except with --ignore-not-found.

--older-than chooses by the time since the creation, by the API server's clock. A selection may match what somebody is
still creating: the question names those clusters, and --yes needs --expect with the number of all that match.

https://github.com/hcctl/hcctl/blob/main/docs/delete.md explains what can block a deletion and
what to do.`,
		Example: `  hcctl delete cluster kv-00
  hcctl delete cluster kv-00 kv-01 --dry-run
  hcctl delete cluster -l fleet=lab --parallel 5
  hcctl delete cluster -l ci=true --older-than 24h --yes
  hcctl delete cluster kv-00 --yes --timeout 1h
  hcctl delete cluster kv-00 --yes --ignore-not-found
  hcctl delete cluster kv-00 --destroy-cloud-resources=false`,
		Args: several.Args,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.validate(several.One(args)); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if err := a.Prompter.NeedsConsent("delete cluster", f.dryRun); err != nil {
				return err
			}
			f.NoWait = !f.wait
			if !several.One(args) {
				return deleteSeveral(cmd.Context(), a, several, args, f)
			}
			return deleteCluster(cmd.Context(), a, cmdutil.ClustersNamespace(a.Call), args[0], f)
		},
	}
	flags := cmd.Flags()
	several.Bind(cmd)
	bindDeleteOptions(flags, &f.Options)
	flags.StringVar(&f.InfraID, "infra-id", "", "infraID of a cluster whose HostedCluster is gone, to find what is "+
		"left of it")
	bindIgnoreNotFound(flags, &f.ignoreAbsent)
	flags.BoolVar(&f.wait, "wait", f.wait, "wait until nothing is left; with --wait=false, what the operator leaves "+
		"behind stays until the command is run again")
	flags.BoolVar(&f.dryRun, "dry-run", false, "say what would be removed, and change nothing; "+
		cmdutil.DryRunExits)
	flags.StringVarP(&f.output, "output", "o", "", "output format: json (events); with --dry-run json, yaml or html")
	cmdutil.TimeoutFlag(flags, &f.timeout, f.timeout, "time limit for the whole command; of several "+
		"hosted clusters for each")
	flags.BoolVarP(&a.Prompter.Yes, "yes", "y", false, "do not ask before deleting")
	cmdutil.CompletePlan(cmd)
	return cmd
}

// bindDeleteOptions adds the flags that delete cluster and delete clusters share.
func bindDeleteOptions(flags *pflag.FlagSet, f *deletion.Options) {
	flags.BoolVar(&f.DestroyCloudResources, "destroy-cloud-resources", f.DestroyCloudResources,
		"let the hosted cluster's operators remove its own load balancers and volumes first")
	flags.DurationVar(&f.GracePeriod, "cluster-grace-period", f.GracePeriod,
		"how long that may take before the operator continues without it; 0 for as long as it takes")
	flags.BoolVar(&f.KeepNamespace, "keep-namespace", false, "keep the namespace even if hcctl made it and it is empty")
	flags.BoolVar(&f.KeepSecrets, "keep-secrets", false, "keep the Secrets and ConfigMaps made for the cluster, such as "+
		"its pull secret and etcd's encryption key, and so the namespace")
	flags.BoolVar(&f.KeepManagedCluster, "keep-managed-cluster", false, "do not detach the ManagedCluster")
}

// validate refuses flags that exclude each other. one is whether the command line names one hosted cluster.
func (f *deleteFlags) validate(one bool) error {
	switch {
	case !one && f.InfraID != "":
		return errors.New("--infra-id: it belongs to one hosted cluster; give its name alone")
	case f.timeout <= 0:
		return fmt.Errorf("--timeout %s: give a time above zero, such as 1h or 90m", f.timeout)
	case f.GracePeriod < 0:
		return fmt.Errorf("--cluster-grace-period %s: give a time above zero, such as 10m, or 0 for as long as it takes",
			f.GracePeriod)
	case f.dryRun && !f.wait:
		return errors.New("--dry-run and --wait=false: give only one of them")
	case f.dryRun:
		return cmdutil.PlanFormat(f.output)
	}
	return cmdutil.OneOf(f.output, "", "json")
}

// deleteSeveral deletes the hosted clusters of the command line as delete clusters does.
func deleteSeveral(ctx context.Context, a *cmdutil.Factory, several *each.Flags, names []string, f deleteFlags) error {
	return deleteClusters(ctx, a, func(t *cmdutil.Target) ([]fleet.ClusterName, error) {
		return several.Choose(ctx, a, t, names)
	}, deleteClustersFlags{
		FleetFlags: cmdutil.FleetOf(several.Parallel, f.timeout, 0, f.output, f.dryRun),
		Options:    f.Options, ignoreAbsent: f.ignoreAbsent, several: several,
	})
}

func deleteCluster(ctx context.Context, a *cmdutil.Factory, namespace, name string, f deleteFlags) error {
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return err
	}
	plan, err := deletion.Prepare(ctx, t.Client, namespace, name, f.Options)
	if f.ignoreAbsent && hostedcluster.IsNotFound(err) {
		return nothingToDelete(ctx, a, t, namespace, name, f)
	}
	if err != nil {
		return err
	}
	if f.dryRun {
		return planDelete(ctx, a, t, plan, f)
	}
	for _, left := range plan.Left {
		cmdutil.Tell(a.Streams.Err, "Left as it is: %s\n", left)
	}
	if err := a.Prompter.Consent(ctx, Question(plan, t)); err != nil {
		return err
	}
	again := hint.Run("delete cluster", name).Flag("namespace", namespace).Text()
	r, err := a.Runner.Run(ctx, t, cmdutil.Run{Steps: plan.Steps(), Timeout: f.timeout, Output: f.output,
		Heading: cmdutil.Textf("Deleting hosted cluster %s/%s on %s", namespace, name, t),
		Command: "delete cluster", Next: func(r step.Report) hint.Text {
			if r.Err() != nil || !f.wait {
				return again
			}
			return hint.Text{}
		}})
	if err := cmp.Or(err, r.Err()); f.output == "json" {
		if err == nil {
			kubeconfig.ForgetKubeconfig(ctx, a, t, namespace, name)
		}
		return err
	}
	if err != nil {
		return err
	}
	if err := r.Err(); err != nil {
		if ctx.Err() != nil {
			var exists hint.Text
			if found := cmdutil.Found(ctx, t, namespace, name); len(found) > 0 {
				exists = hint.New("Still there: %s", strings.Join(found, ", "))
			}
			return cmdutil.Interrupted(err, exists)
		}
		return cmdutil.WithResume(err, "what is deleted stays deleted; the same command continues: %s", again)
	}
	kubeconfig.ForgetKubeconfig(ctx, a, t, namespace, name)
	if !f.wait {
		cmdutil.Tell(a.Streams.Err, "Its operator deletes %s/%s now. Next: %s removes what it leaves behind.\n", namespace,
			name, a.Call.Render(again))
		return nil
	}
	cmdutil.Tell(a.Streams.Err, "Hosted cluster %s/%s is gone.\n", namespace, name)
	return nil
}

// Question asks for confirmation and says what is lost.
func Question(d *deletion.Plan, t *cmdutil.Target) cmdutil.Question {
	var details []cmdutil.Text
	if d.Creating {
		details = append(details, each.StillCreated([]string{d.Namespace + "/" + d.Name}))
	}
	if len(d.Lost) > 0 {
		details = append(details, cmdutil.Textf("  lost for good: %s", d.Lost))
	}
	what := cmdutil.Textf("hosted cluster %s/%s", d.Namespace, d.Name)
	if !strings.HasPrefix(d.Found[0], "HostedCluster ") {
		what = cmdutil.Textf("what is left of hosted cluster %s/%s (%s)", d.Namespace, d.Name, d.Found)
	}
	return cmdutil.Destruction("delete cluster", cmdutil.Textf("Delete %s, with all its data, on %s?", what, t.Named()),
		append(details, outsideLines(d.Outside)...)...)
}

// outsideLines lists what is deleted outside of a cluster's own namespaces.
func outsideLines(things []string) []cmdutil.Text {
	lines := make([]cmdutil.Text, 0, len(things))
	for _, one := range things {
		lines = append(lines, cmdutil.Textf("  outside its namespaces: %s", one))
	}
	return lines
}

// deletePlan is the document of delete cluster --dry-run.
type deletePlan struct {
	report.PlanDocument
	// Outside lists what is deleted outside of the cluster's own namespaces.
	Outside []string `json:"outside"`
	// Lost lists what is lost for good, Left what stays and why.
	Lost []string `json:"lost"`
	Left []string `json:"left"`
}

// planDelete prints what would be deleted.
func planDelete(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, d *deletion.Plan, f deleteFlags) error {
	p, err := cmdutil.PlanWrites(ctx, t, func(dry *cmdutil.Target) (*step.Graph, error) {
		planned, err := deletion.Prepare(ctx, dry.Client, d.Namespace, d.Name, f.Options)
		if err != nil {
			return nil, err
		}
		return step.New(planned.Steps()...)
	}, func(opt *step.Options) { opt.Timeout = cmdutil.PlanTimeout })
	if err != nil {
		return err
	}
	return printDelete(a, t, p, d, f.output)
}

// printDelete prints the plan of a deletion.
func printDelete(a *cmdutil.Factory, t *cmdutil.Target, p *cmdutil.Planned, d *deletion.Plan, output string) error {
	if output == cmdutil.FormatHTML {
		if err := a.Plans.PrintPage(p, deleteTitle(d, t), deleteNotices(d)...); err != nil {
			return err
		}
		return p.Verdict()
	}
	if output != "" {
		document := deletePlan{
			report.NewPlanDocument("DeletePlan", p.Steps(a.Call.Render)), append([]string{}, d.Outside...),
			append([]string{}, d.Lost...), append([]string{}, d.Left...),
		}
		write := cmdutil.WriteJSON
		if output == "yaml" {
			write = cmdutil.WriteYAML
		}
		if err := write(a.Streams.Out, document); err != nil {
			return err
		}
		return p.Verdict()
	}
	if err := a.Plans.Print(p, "", "", deleteTitle(d, t)); err != nil {
		return err
	}
	for _, list := range deleteLists(d) {
		cmdutil.Tell(a.Streams.Out, "%s: %s\n", list.words, list.things)
	}
	cmdutil.Tell(a.Streams.Err, "Nothing was changed. Everything in the control plane's namespace is deleted with it.\n")
	return p.Verdict()
}

// deleteTitle is the heading of a plan.
func deleteTitle(d *deletion.Plan, t *cmdutil.Target) string {
	return fmt.Sprintf("What hcctl would remove of hosted cluster %s/%s from %s", d.Namespace, d.Name, t)
}

// deleteList is a list of things under a few words.
type deleteList struct {
	words  string
	things []string
}

// deleteLists are what goes besides the cluster's own namespaces, what is lost and what stays; empty ones are left out.
func deleteLists(d *deletion.Plan) []deleteList {
	lists := []deleteList{{"Outside its namespaces", d.Outside}, {"Lost for good", d.Lost}, {"Left as it is", d.Left}}
	return slices.DeleteFunc(lists, func(l deleteList) bool { return len(l.things) == 0 })
}

// deleteNotices are the lists as lines.
func deleteNotices(d *deletion.Plan) []string {
	var out []string
	for _, l := range deleteLists(d) {
		out = append(out, l.words+": "+strings.Join(l.things, ", "))
	}
	return out
}
