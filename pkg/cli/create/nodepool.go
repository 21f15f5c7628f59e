package create

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/each"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/hostedcluster/nodepool"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

func newCreateNodePool(a *cmdutil.Factory) *cobra.Command {
	o, f, wait := options.DefaultNodePool(), &cmdutil.ChangeFlags{}, nodepool.WaitNodes
	cluster, render, exact := "", false, false
	cmd := &cobra.Command{
		Use:     "nodepool NAME --cluster-name CLUSTER",
		Aliases: []string{"np"},
		Short:   "Add a node pool of worker VMs to a hosted cluster",
		Long: `create nodepool writes a NodePool for a hosted cluster that exists, and waits until its VMs are ready and its
nodes have joined. Its release is, unless given, the one the control plane runs; it may not be newer, nor more than
three minor versions older.

If a pool of that name already exists, it is left as it is and waited for, so that an interrupted run can be resumed;
a pool that differs in what cannot be changed is an error.`,
		Example: `  hcctl create nodepool kv-00-b --cluster-name kv-00 --replicas 3
  hcctl create nodepool kv-00-gpu --cluster-name kv-00 --memory 64Gi --cores 16 \
    --host-device-name nvidia.com/GA102GL_A10 --taints gpu=yes:NoSchedule
  hcctl create nodepool kv-00-auto --cluster-name kv-00 --min-replicas 1 --max-replicas 5 --dry-run`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && o.Name != "" {
				return nil
			}
			return cmdutil.OneName("node pool")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0 && o.Name != "" && args[0] != o.Name:
				return cmdutil.Misuse(cmd, fmt.Errorf("--name %q: the argument says %q", o.Name, args[0]))
			case len(args) > 0:
				o.Name = args[0]
			}
			if cluster == "" {
				return cmdutil.Misuse(cmd, errors.New("--cluster-name: which hosted cluster is the pool for?"))
			}
			if err := cmdutil.NamedFlag(cmd, "cluster-name", "hosted cluster", &cluster); err != nil {
				return err
			}
			if err := a.Files.ReadFields(options.NodePoolFields(), &o, nil); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			valid, wrong := o.Validate()
			if render && (f.DryRun || f.Output != "") {
				wrong = errors.Join(wrong, errors.New("--render prints manifests: it takes neither --dry-run nor --output"))
			}
			if render && exact {
				wrong = errors.Join(wrong, errors.New("--exact: not with --render, which creates nothing"))
			}
			if err := errors.Join(creation.ValidatePoolName(o.Name), idleReplicas(cmd.Flags(), cmdutil.AsGiven, &o), wrong,
				wait.Validate(nodepool.WaitNone, nodepool.WaitNodes), f.Validate()); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			return createNodePool(cmd.Context(), a, cluster, valid, wait, f, render, exact)
		},
	}
	cmd.Flags().StringVar(&o.Name, "name", "", "name of the pool, instead of the argument")
	cmd.Flags().StringVar(&cluster, "cluster-name", "", "hosted cluster that the pool is for (required)")
	cmd.Flags().BoolVar(&render, "render", false, "print the manifests and change nothing")
	cmdutil.ExactFlag(cmd.Flags(), &exact)
	cmdutil.BindFields(cmd.Flags(), options.NodePoolFields(), &o, cmdutil.AsGiven)
	cmdutil.CompleteFields(cmd, options.NodePoolFields(), cmdutil.AsGiven)
	cmdutil.BindWait(cmd, &wait, nodepool.WaitNone, nodepool.WaitNodes)
	f.Bind(cmd, a, 30*time.Minute)
	return cmd
}

func createNodePool(ctx context.Context, a *cmdutil.Factory, cluster string, o options.ValidatedPool,
	wait nodepool.Wait,
	f *cmdutil.ChangeFlags, render, exact bool) error {
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return err
	}
	namespace := cmdutil.ClustersNamespace(a.Call)
	if render {
		p, err := nodepool.PrepareCreate(ctx, t.Client, namespace, cluster, o, wait)
		if err != nil {
			return err
		}
		data, err := objects.YAML(p.Objects()...)
		if err != nil {
			return err
		}
		return a.Streams.Document(data)
	}
	what := fmt.Sprintf("NodePool %s/%s for hosted cluster %s", namespace, o.Name, cluster)
	return each.Only(ctx, a, t, f, each.Work{Command: "create nodepool", Kind: "CreateNodePoolPlan",
		Prepare: func(ctx context.Context, t *cmdutil.Target, _ fleet.ClusterName) (each.Change, error) {
			p, err := nodepool.PrepareCreate(ctx, t.Client, namespace, cluster, o, wait)
			if err == nil && exact {
				err = p.Exact(ctx)
			}
			if err != nil {
				return each.Change{}, err
			}
			size := hostedcluster.SizeOf(p.Pool).Nodes()
			return each.Change{
				Question: cmdutil.Textf("Create %s (%s) on %s?", what, size, t.Named()),
				Heading:  cmdutil.Textf("Creating %s on %s\n%s, release %s", what, t, size, p.Pool.Spec.Release.Image),
				Done:     fmt.Sprintf("NodePool %s/%s is ready.", namespace, o.Name),
				Steps:    p.Steps(),
				Notes:    p.Notes,
			}, nil
		}})
}
