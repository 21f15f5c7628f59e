package rbac

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/kube/metallb"
	"github.com/hcctl/hcctl/pkg/rbac"
)

// rbacFlags are the flags of rbac.
type rbacFlags struct {
	purposes, users, groups, serviceAccounts []string
	clusters, sets, with                     []string
	name, output, metalLB                    string
	allNamespaces, noPolicy                  bool
	settings                                 cmdutil.Settings
}

// New returns the command rbac.
func New(a *cmdutil.Factory) *cobra.Command {
	f := rbacFlags{settings: cmdutil.Settings{Flags: config.Default()}}
	cmd := &cobra.Command{
		Use:     "rbac [--for PURPOSE]",
		GroupID: "management",
		Short:   "Print the minimal role for a purpose",
		Long: `rbac prints the roles that have what hcctl's commands need, and nothing else. Without --for it lists the
purposes, and what each allows beyond its name. A role can have several purposes: --for viewer,dump.

For bootstrap and uninstall the role follows their options: --storage, --load-balancer, --virtualization-source and
--virtualization-manifests, or hcctl.yaml (--file). uninstall without --include-storage needs no more than --storage
none.

With --namespace what is about hosted clusters goes into Roles: in that namespace, and with --cluster-name in those
clusters' control planes' namespaces, which have to be there to apply it. The ClusterRole then has only what is
outside of those. Purposes that reach Secrets need --namespace, dump --cluster-name too, or --all-namespaces: they
then amount to cluster-admin. The namespace of a kubeconfig's context does not count.

Names can mean two clusters: the control planes of team/a-web and team-a/web are both in namespace team-a-web. Where
a kubeconfig leads to a cluster, rbac looks there, and refuses names that mean another cluster, too, a managed cluster
that is not a hosted one, or a namespace of others. Without a cluster it names the others.

With --user, --group or --serviceaccount the bindings are printed too, and a ValidatingAdmissionPolicy that holds them
to what Kubernetes' roles cannot say: names of what they create, NodePools of their clusters, no Secrets with tokens.
It takes Kubernetes 1.30 (OpenShift 4.17); --no-policy leaves it out, and what it would have to limit.

--for infra is for the cluster that runs the worker VMs of another management cluster's hosted clusters: print and apply
it there, with --namespace of the VMs and a ServiceAccount of it; the same command with -o kubeconfig then prints the
kubeconfig for create cluster --infra-kubeconfig-file.

The names of roles and bindings have purpose, namespace, clusters and subjects in them: what is printed for others is
added, and what is printed for the same again replaces the first.`,
		Example: `  hcctl rbac
  hcctl rbac --for check --serviceaccount monitoring:hcctl | oc apply -f -
  hcctl rbac --for bootstrap,uninstall -f hcctl.yaml --user ann
  hcctl rbac --for editor --namespace clusters --group team-a
  hcctl rbac --for tenant --namespace clusters --cluster-name kv-00 --cluster-set dev --user ann
  hcctl rbac --for viewer --namespace clusters --cluster-name kv-00 -o json
  hcctl rbac --for infra --namespace guests --serviceaccount guests:vms | oc apply -f -
  hcctl rbac --for infra --namespace guests --serviceaccount guests:vms -o kubeconfig > infra.yaml
  hcctl rbac --for editor -o table`,
		Args: cmdutil.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(f.purposes) == 0 {
				return listPurposes(a, cmd)
			}
			if err := cmdutil.NamedFlags(cmd, "cluster-name", "hosted cluster", f.clusters); err != nil {
				return err
			}
			return printRoles(a, cmd, &f)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.purposes, "for", nil, "purpose of the role: "+strings.Join(rbac.Names(), ", ")+" (repeatable)")
	flags.StringVar(&f.name, "name", "", "name of roles and bindings (default hcctl-PURPOSE-NAMESPACE-CLUSTER-SUBJECT, "+
		"with a hash)")
	flags.StringSliceVar(&f.users, "user", nil, "user to bind it to (repeatable)")
	flags.StringSliceVar(&f.groups, "group", nil, "group to bind it to (repeatable)")
	flags.StringSliceVar(&f.serviceAccounts, "serviceaccount", nil,
		"service account to bind it to, as NAMESPACE:NAME (repeatable)")
	flags.StringSliceVar(&f.clusters, "cluster-name", nil, "limit what is about hosted clusters to this one, where a "+
		"role can (repeatable)")
	flags.StringSliceVar(&f.sets, "cluster-set", nil, "for tenant: ManagedClusterSet that the cluster may join beside "+
		"default; its namespace on the hub is then printed, too (repeatable)")
	flags.BoolVar(&f.noPolicy, "no-policy", false, "print no ValidatingAdmissionPolicy, for Kubernetes before 1.30")
	flags.BoolVarP(&f.allNamespaces, "all-namespaces", "A", false,
		"reach the hosted clusters and Secrets of all namespaces: an administrator's role")
	flags.StringSliceVar(&f.with, "with", nil, "for editor: what create cluster writes only with its options, addresses "+
		"(--metallb-addresses, --metallb-pool)"+
		" or ingress (--ingress service). For dump: manifestworks, what the hub has sent to the cluster, consoles, "+
		"what VMs print. For check, bootstrap and uninstall: gitops, their optional group; for expiry: gitops, "+
		"Argo CD's tokens. For infra: placement, whether VMs find places there; for login: infra, the kubeconfig of that "+
		"cluster (repeatable)")
	flags.StringVar(&f.metalLB, "metallb-namespace", metallb.DefaultNamespace, "for editor and dump: namespace that "+
		"MetalLB runs in; it reads pools of that namespace only (oc get metallb -A)")
	cmdutil.OutputFlag(cmd, &f.output, "yaml", "json", "table", kubeconfigOutput)
	bindRoleSettings(cmd, &f.settings)
	cmdutil.Complete(cmd, "for", rbac.Names()...)
	cmdutil.Complete(cmd, "with", withNames()...)
	for _, free := range []string{"name", "user", "group", "serviceaccount", "metallb-namespace", "cluster-set"} {
		cmdutil.Complete(cmd, free)
	}
	return cmd
}

// bindRoleSettings adds the settings of bootstrap on which its role depends.
func bindRoleSettings(cmd *cobra.Command, s *cmdutil.Settings) {
	f := cmd.Flags()
	f.StringVarP(&s.Path, "file", "f", "", "hcctl.yaml to read the settings of bootstrap from; - is standard input")
	s.BindNamed(f, "storage", "virtualization-source", "virtualization-manifests", "load-balancer",
		"mirror-resources")
	cmdutil.CompleteSettings(cmd)
	_ = cmd.MarkFlagFilename("file", "yaml", "yml")
}

func listPurposes(a *cmdutil.Factory, cmd *cobra.Command) error {
	var misplaced string
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed {
			misplaced = f.Name
		}
	})
	if misplaced != "" {
		return cmdutil.Misuse(cmd, fmt.Errorf("--%s needs --for: %s", misplaced, strings.Join(rbac.Names(), ", ")))
	}
	rows := [][]string{{"PURPOSE", "MAY", "COMMANDS"}}
	for _, p := range rbac.Purposes() {
		rows = append(rows, []string{string(p.Purpose), p.Short, strings.Join(p.Commands, ", ")})
	}
	if err := (&cmdutil.Table{W: a.Streams.Out}).Write(rows...); err != nil {
		return err
	}
	return printNotes(a, rbac.Purposes())
}

// printNotes prints what roles permit beyond the text of their rules.
func printNotes(a *cmdutil.Factory, purposes []rbac.About) error {
	for _, p := range purposes {
		if err := cmdutil.Say(a.Streams.Out, "\nNote for %s:\n", p.Purpose); err != nil {
			return err
		}
		for _, m := range p.Mind {
			if err := cmdutil.Say(a.Streams.Out, "  - %s\n", m); err != nil {
				return err
			}
		}
	}
	return nil
}

func printRoles(a *cmdutil.Factory, cmd *cobra.Command, f *rbacFlags) error {
	roles, err := roles(a, f, cmd.Flags())
	if err != nil {
		return cmdutil.Misuse(cmd, err)
	}
	if f.output == kubeconfigOutput {
		return printKubeconfig(cmd.Context(), a, cmd, roles)
	}
	if f.output == "table" {
		if err := (&cmdutil.Table{W: a.Streams.Out}).Write(ruleRows(rbac.Rules(roles.Options))...); err != nil {
			return err
		}
		return printNotes(a, rbac.Chosen(roles.Purposes))
	}
	if err := checkNames(cmd.Context(), a, roles.Options); err != nil {
		return cmdutil.Misuse(cmd, err)
	}
	for _, line := range roles.Reach() {
		a.Notices.Warn(line, hint.Text{})
	}
	if f.output == "json" {
		return cmdutil.WriteJSON(a.Streams.Out, roleList{APIVersion: "v1", Kind: "List", Items: roles.Objects()})
	}
	for i, object := range roles.Objects() {
		if i > 0 {
			if err := cmdutil.Say(a.Streams.Out, "---\n"); err != nil {
				return err
			}
		}
		if err := cmdutil.WriteYAML(a.Streams.Out, object); err != nil {
			return err
		}
	}
	return nil
}

// roleList is the List of rbac -o json.
type roleList struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Items      []any  `json:"items"`
}

func ruleRows(rules []rbac.Rule) [][]string {
	rows := [][]string{{"RESOURCES", "NAMES", "VERBS", "WHERE", "FOR"}}
	for _, r := range rules {
		for i, resource := range strings.Fields(r.Resources) {
			why := r.Why
			if i > 0 {
				why = "\""
			}
			rows = append(rows, []string{resource, r.Names, r.Verbs, string(r.At), why})
		}
	}
	return rows
}
