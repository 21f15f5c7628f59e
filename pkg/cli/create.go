package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/step"
)

func newCreate(a *app) *cobra.Command {
	cmd := noun("create", "Create a hosted cluster", newCreateCluster(a))
	cmd.GroupID = "hosted"
	return cmd
}

// createFlags are the flags of create cluster that are not options of the cluster itself.
type createFlags struct {
	pullSecret, sshKey      string
	render, renderSensitive bool
	timeout                 time.Duration
}

func newCreateCluster(a *app) *cobra.Command {
	o := hostedcluster.Defaults()
	var flags createFlags
	cmd := &cobra.Command{
		Use:   "cluster --name NAME",
		Short: "Create a hosted cluster of KubeVirt VMs and wait until it works",
		Long: `create cluster writes a HostedCluster and a NodePool of KubeVirt VMs, and waits until the API answers, the
VMs are ready, the nodes have joined and the rollout is Completed. It shows what it waits for, and stops at
once at a state that waiting does not cure.

A second run with the same flags changes nothing and goes on waiting: that is how to resume. The release image
is, unless given, the newest ClusterImageSet that the HyperShift operator supports, else the management cluster's
own; nothing is looked up on the internet.`,
		Example: `  hcctl create cluster --name kv-00
  hcctl create cluster --name kv-01 --node-pool-replicas 3 --memory 16Gi --cores 4 --wait api
  hcctl create cluster --name kv-02 --pull-secret ps.json --release-image IMAGE --render`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if ns := *a.kubeFlags.Namespace; ns != "" {
				o.Namespace = ns
			}
			if err := flags.read(a, &o); err != nil {
				return misuse(cmd, err)
			}
			if err := o.Validate(); err != nil {
				return misuse(cmd, err)
			}
			if flags.render {
				return a.renderCluster(o, flags.renderSensitive)
			}
			return a.createCluster(cmd.Context(), o, flags.timeout)
		},
	}
	flags.bind(cmd.Flags(), a, &o)
	return cmd
}

func (c *createFlags) bind(f *pflag.FlagSet, a *app, o *hostedcluster.Options) {
	f.StringVar(&o.Name, "name", o.Name, "name of the hosted cluster (required)")
	f.Int32Var(&o.NodePoolReplicas, "node-pool-replicas", o.NodePoolReplicas, "number of worker VMs")
	f.StringVar(&o.Memory, "memory", o.Memory, "memory of each worker VM")
	f.Int32Var(&o.Cores, "cores", o.Cores, "cores of each worker VM")
	f.Int32Var(&o.RootVolumeSize, "root-volume-size", o.RootVolumeSize, "root volume of each worker VM, in Gi")
	f.StringVar(&c.pullSecret, "pull-secret", "", "file with the pull secret; by default the management cluster's own")
	f.StringVar(&o.ReleaseImage, "release-image", o.ReleaseImage, "OpenShift release of the hosted cluster; by default the newest the operator supports")
	f.StringVar(&o.BaseDomain, "base-domain", o.BaseDomain, "base domain of the hosted cluster; by default a subdomain of the management cluster's *.apps")
	f.StringVar(&c.sshKey, "ssh-key", "", "file with the public SSH key for the workers")
	f.StringVar(&o.EtcdStorageClass, "etcd-storage-class", o.EtcdStorageClass, "StorageClass of etcd's volumes; by default the management cluster's default class")
	f.StringVar((*string)(&o.Wait), "wait", string(o.Wait), "what to wait for: none, api, nodes or complete")
	f.DurationVar(&c.timeout, "timeout", 30*time.Minute, "how long the whole may take")
	f.BoolVar(&c.render, "render", false, "print the manifests and change nothing; contacts no server, so it needs --release-image and --pull-secret")
	f.BoolVar(&c.renderSensitive, "render-sensitive", false, "with --render: print the Secrets too")
	f.BoolVarP(&a.yes, "yes", "y", false, "do not ask before changing the cluster")
}

// read brings the files that flags name into the options.
func (c *createFlags) read(a *app, o *hostedcluster.Options) error {
	var err error
	if o.PullSecret, err = a.file("--pull-secret", c.pullSecret); err != nil {
		return err
	}
	o.PullSecretFrom = c.pullSecret
	o.SSHKeyFrom = c.sshKey
	o.SSHKey, err = a.file("--ssh-key", c.sshKey)
	return err
}

// file reads the file a flag names; "-" is standard input and "" nothing.
func (a *app) file(flag, path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	var data []byte
	var err error
	if path == "-" {
		data, err = io.ReadAll(a.streams.In)
	} else {
		data, err = os.ReadFile(path) //nolint:gosec // the user names the file
	}
	if err != nil {
		return nil, fmt.Errorf("%s: cannot read it: %w", flag, err)
	}
	if len(data) == 0 {
		return nil, fmt.Errorf("%s: %s is empty", flag, path)
	}
	return data, nil
}

func (a *app) renderCluster(o hostedcluster.Options, sensitive bool) error {
	r, err := hostedcluster.Render(o, sensitive)
	if err != nil {
		return err
	}
	data, err := hostedcluster.YAML(r.Objects...)
	if err != nil {
		return err
	}
	if len(r.LeftOut) > 0 {
		_, _ = fmt.Fprintf(a.streams.Err, "Secrets are left out: %s. They are needed before the rest is applied; --render-sensitive prints them.\n", strings.Join(r.LeftOut, ", "))
	}
	_, err = a.streams.Out.Write(data)
	return err
}

func (a *app) createCluster(ctx context.Context, o hostedcluster.Options, timeout time.Duration) error {
	t, err := a.connect(ctx)
	if err != nil {
		return err
	}
	plan, err := hostedcluster.Prepare(ctx, t.Client, o)
	if err != nil {
		return err
	}
	if err := a.confirm(ctx, fmt.Sprintf("Create hosted cluster %s/%s on %s?", o.Namespace, o.Name, t.named())); err != nil {
		return err
	}
	heading := fmt.Sprintf("Creating hosted cluster %s/%s on %s\nRelease %s (%s)", o.Namespace, o.Name, t, plan.Inputs.ReleaseImage, plan.Inputs.ReleaseFrom)
	r, err := a.run(ctx, t, heading, timeout, plan.Steps())
	if err != nil {
		return err
	}
	if err := r.Err(); err != nil {
		if !begun(r) {
			return err
		}
		return &resumable{err, fmt.Sprintf("what exists stays: the same command goes on from there, and hcctl delete cluster %s removes it", o.Name)}
	}
	next := fmt.Sprintf("Next: hcctl kubeconfig --name %s%s > %s-kubeconfig", o.Name, a.namespaceFlag(), o.Name)
	_, _ = fmt.Fprintln(a.streams.Err, next)
	return nil
}

// begun tells whether all objects of the cluster are written, so that what is left is to wait. Before that, what is there may
// be somebody else's.
func begun(r step.Report) bool {
	for _, res := range r.Results {
		if res.Step.Group == hostedcluster.ObjectsGroup && !res.Good() {
			return false
		}
	}
	return true
}

// namespaceFlag repeats --namespace in a command line for the user, where it was given.
func (a *app) namespaceFlag() string {
	if ns := *a.kubeFlags.Namespace; ns != "" {
		return " --namespace " + ns
	}
	return ""
}
