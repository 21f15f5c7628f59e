package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/rbac"
)

// rbacFlags are what a person can say about rbac.
type rbacFlags struct {
	purposes, users, groups, serviceAccounts []string
	clusters, with                           []string
	name, output                             string
	settings                                 settings
}

func newRBAC(a *app) *cobra.Command {
	f := rbacFlags{settings: settings{flags: config.Default()}}
	cmd := &cobra.Command{
		Use:     "rbac [--for PURPOSE]",
		GroupID: "management",
		Short:   "Print the least role for what somebody is to do with hcctl",
		Long: `rbac prints the ClusterRole that has what hcctl's commands need, and nothing else; it asks no cluster. Without --for it lists the
purposes. A role that is to do several things gets several: --for viewer,dump.

For bootstrap and uninstall the role follows their options: --storage, --load-balancer, --virtualization-source and
--virtualization-manifests, or hcctl.yaml (--file). uninstall without --include-storage needs no more than --storage none.

With --namespace what is about hosted clusters goes into Roles: in that namespace, and with --cluster-name in those clusters' control
planes' namespaces, which have to be there to apply it. The ClusterRole then has only what is outside of those.

With --user, --group or --serviceaccount the bindings are printed too.`,
		Example: `  hcctl rbac
  hcctl rbac --for check --serviceaccount monitoring:hcctl | oc apply -f -
  hcctl rbac --for bootstrap,uninstall -f hcctl.yaml --user ann
  hcctl rbac --for editor --namespace clusters --group team-a
  hcctl rbac --for viewer --namespace clusters --cluster-name kv-00 -o json
  hcctl rbac --for editor -o table`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(f.purposes) == 0 {
				return a.listPurposes(cmd)
			}
			return a.printRoles(cmd, &f)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.purposes, "for", nil, "what it is for: "+strings.Join(rbac.Names(), ", ")+" (repeatable)")
	flags.StringVar(&f.name, "name", "", "name of roles and bindings (default hcctl-PURPOSE)")
	flags.StringSliceVar(&f.users, "user", nil, "user to bind it to (repeatable)")
	flags.StringSliceVar(&f.groups, "group", nil, "group to bind it to (repeatable)")
	flags.StringSliceVar(&f.serviceAccounts, "serviceaccount", nil, "service account to bind it to, as NAMESPACE:NAME (repeatable)")
	flags.StringSliceVar(&f.clusters, "cluster-name", nil, "limit what is about hosted clusters to this one, where a role can (repeatable)")
	flags.StringSliceVar(&f.with, "with", nil, "for editor: what create cluster writes only with its options, addresses (--metallb-addresses, --metallb-pool) or ingress (--ingress service)")
	outputFlag(cmd, &f.output, "yaml", "json", "table")
	bindRoleSettings(cmd, &f.settings)
	complete(cmd, "for", rbac.Names()...)
	complete(cmd, "with", string(rbac.OwnAddresses), string(rbac.OwnIngress))
	for _, free := range []string{"name", "user", "group", "serviceaccount"} {
		complete(cmd, free)
	}
	return cmd
}

// bindRoleSettings binds those settings of bootstrap on which its role depends.
func bindRoleSettings(cmd *cobra.Command, s *settings) {
	f, b := cmd.Flags(), &s.flags
	f.StringVarP(&s.path, "file", "f", "", "hcctl.yaml to read the settings of bootstrap from; - is standard input")
	f.StringVar((*string)(&b.Storage.Mode), "storage", string(b.Storage.Mode), config.Describe("storage"))
	f.StringVar(&b.Virtualization.Source, "virtualization-source", b.Virtualization.Source, config.Describe("virtualization-source"))
	f.StringVar(&b.Virtualization.Manifests, "virtualization-manifests", b.Virtualization.Manifests, config.Describe("virtualization-manifests"))
	f.StringVar((*string)(&b.LoadBalancer.Mode), "load-balancer", string(b.LoadBalancer.Mode), config.Describe("load-balancer"))
	completeSettings(cmd)
	_ = cmd.MarkFlagFilename("file", "yaml", "yml")
}

func (a *app) listPurposes(cmd *cobra.Command) error {
	var misplaced string
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed {
			misplaced = f.Name
		}
	})
	if misplaced != "" {
		return misuse(cmd, fmt.Errorf("--%s needs --for: %s", misplaced, strings.Join(rbac.Names(), ", ")))
	}
	rows := [][]string{{"PURPOSE", "MAY", "COMMANDS"}}
	for _, p := range rbac.Purposes() {
		rows = append(rows, []string{string(p.Purpose), p.Short, strings.Join(p.Commands, ", ")})
	}
	return (&table{w: a.streams.Out}).write(rows...)
}

func (a *app) printRoles(cmd *cobra.Command, f *rbacFlags) error {
	roles, err := a.roles(f, cmd.Flags())
	if err != nil {
		return misuse(cmd, err)
	}
	switch f.output {
	case "table":
		return (&table{w: a.streams.Out}).write(ruleRows(rbac.Rules(roles.Options))...)
	case "json":
		return writeJSON(a.streams.Out, roleList{APIVersion: "v1", Kind: "List", Items: roles.Objects()})
	}
	for i, object := range roles.Objects() {
		if i > 0 {
			if err := say(a.streams.Out, "---\n"); err != nil {
				return err
			}
		}
		if err := writeYAML(a.streams.Out, object); err != nil {
			return err
		}
	}
	return nil
}

// roles are what the flags ask for; an error is wrong usage.
func (a *app) roles(f *rbacFlags, given *pflag.FlagSet) (*rbac.Roles, error) {
	if err := oneOf(f.output, "", "yaml", "json", "table"); err != nil {
		return nil, err
	}
	r := &rbac.Roles{Name: f.name, Namespace: *a.kubeFlags.Namespace}
	var err error
	if r.Purposes, err = rbac.ParsePurposes(f.purposes); err != nil {
		return nil, fmt.Errorf("--for: %w", err)
	}
	if r.Name == "" {
		r.Name = "hcctl-" + strings.Join(f.purposes, "-")
	}
	if r.Subjects, err = rbac.Subjects(f.users, f.groups, f.serviceAccounts); err != nil {
		return nil, err
	}
	for _, name := range f.clusters {
		if name == "" || strings.ContainsAny(name, "/ *") {
			return nil, fmt.Errorf("--cluster-name %q: give the hosted cluster's name, and its namespace with --namespace", name)
		}
	}
	r.ClusterNames = f.clusters
	r.Features, err = a.roleFeatures(f, given)
	return r, err
}

// roleFeatures are what the settings and --with choose.
func (a *app) roleFeatures(f *rbacFlags, given *pflag.FlagSet) ([]rbac.Feature, error) {
	b := f.settings.flags
	file, err := a.settingsFile("--file", f.settings.path)
	if err != nil {
		return nil, err
	}
	if file != nil {
		b = file.Bootstrap
		if err := overlay(&b, given); err != nil {
			return nil, err
		}
	}
	if err := b.Validate(); err != nil {
		return nil, err
	}
	features := b.Options().Features()
	for _, with := range f.with {
		own := []rbac.Feature{rbac.OwnAddresses, rbac.OwnIngress}
		if !slices.Contains(own, rbac.Feature(with)) {
			return nil, fmt.Errorf("--with %q: it takes %s or %s", with, own[0], own[1])
		}
		features = append(features, rbac.Feature(with))
	}
	return features, nil
}

// roleList is the List of rbac -o json.
type roleList struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Items      []any  `json:"items"`
}

func ruleRows(rules []rbac.Rule) [][]string {
	rows := [][]string{{"RESOURCES", "NAMES", "VERBS", "FOR"}}
	for _, r := range rules {
		for i, resource := range strings.Fields(r.Resources) {
			why := r.Why
			if i > 0 {
				why = "\""
			}
			rows = append(rows, []string{resource, r.Names, r.Verbs, why})
		}
	}
	return rows
}
