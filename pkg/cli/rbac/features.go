package rbac

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/rbac"
)

// roles returns the roles for the flags. An error is wrong usage.
func roles(a *cmdutil.Factory, f *rbacFlags, given *pflag.FlagSet) (*rbac.Roles, error) {
	r := &rbac.Roles{Name: f.name}
	var err error
	if r.Purposes, err = rbac.ParsePurposes(f.purposes); err != nil {
		return nil, fmt.Errorf("--for: %w", err)
	}
	if slices.Contains(r.Purposes, rbac.Infra) && len(r.Purposes) > 1 {
		return nil, errors.New("--for infra is about another cluster: print it alone, and apply it there")
	}
	if r.Subjects, err = rbac.Subjects(f.users, f.groups, f.serviceAccounts); err != nil {
		return nil, err
	}
	// The namespace of the kubeconfig's context does not count, only the flag.
	r.Namespace, r.ClusterNames, r.ClusterSets = a.Call.KubeFlags.Overrides.Context.Namespace, f.clusters, f.sets
	r.Policy = f.output == "table" || len(r.Subjects) > 0 && !f.noPolicy
	if r.Features, err = roleFeatures(a, f, given); err != nil {
		return nil, err
	}
	if err := f.limits(r, given); err != nil {
		return nil, err
	}
	if !given.Changed("name") {
		r.Name = r.DefaultName()
	} else if err := rbac.ParseName(r.Name); err != nil {
		return nil, fmt.Errorf("--name %q: %w", f.name, err)
	}
	return r, f.checkPolicy(r)
}

// limits checks that a role that reaches Secrets is limited to namespaces, or that --all-namespaces is given. A
// table grants nothing and needs no limits.
func (f *rbacFlags) limits(r *rbac.Roles, given *pflag.FlagSet) error {
	// An empty shell variable must not widen a role.
	for name, empty := range map[string]bool{"namespace": r.Namespace == "", "cluster-name": len(r.ClusterNames) == 0} {
		if empty && given.Changed(name) {
			return fmt.Errorf("--%s is empty: leave it out, or give a name", name)
		}
	}
	if f.allNamespaces && r.Namespace != "" {
		return fmt.Errorf("--namespace %s and --all-namespaces: give only one of them", r.Namespace)
	}
	if len(validation.IsDNS1123Label(f.metalLB)) > 0 {
		return fmt.Errorf("--metallb-namespace %q is not a name of a namespace", f.metalLB)
	}
	r.MetalLBNamespace = f.metalLB
	if len(r.ClusterSets) > 0 && !slices.Contains(r.Purposes, rbac.Tenant) {
		return errors.New("--cluster-set is for --for tenant")
	}
	for _, name := range r.ClusterNames {
		if len(validation.IsDNS1123Subdomain(name)) > 0 {
			return fmt.Errorf("--cluster-name %q: give the hosted cluster's name, and its namespace with --namespace", name)
		}
	}
	if f.output == "table" {
		return nil
	}
	if err := r.Reserved(); err != nil {
		return err
	}
	if f.allNamespaces {
		return nil
	}
	return r.Unlimited()
}

// tokenPolicy is an old value of --with, from before every role for users had a policy. It is an error if the
// role would have no policy.
const tokenPolicy = "token-policy"

// checkPolicy checks that a requested policy has subjects, and requests to refuse.
func (f *rbacFlags) checkPolicy(r *rbac.Roles) error {
	switch {
	case !slices.Contains(f.with, tokenPolicy):
		return nil
	case !r.Policy || len(r.Subjects) == 0:
		return fmt.Errorf("--with %s needs --user, --group or --serviceaccount, and no --no-policy: the policy names whom "+
			"it refuses",
			tokenPolicy)
	case !r.CreatesSecrets():
		return fmt.Errorf("--with %s: a role for %s may create no Secrets anyway", tokenPolicy,
			strings.Join(f.purposes, ","))
	}
	return nil
}

// withNames returns the values of --with.
func withNames() []string {
	return []string{string(rbac.OwnAddresses), string(rbac.OwnIngress), string(rbac.ManifestWorks),
		string(rbac.Consoles), tokenPolicy,
		string(rbac.GitOps), string(rbac.Placement), string(rbac.InfraSecret)}
}

// roleFeatures returns the features of the settings and --with.
func roleFeatures(a *cmdutil.Factory, f *rbacFlags, given *pflag.FlagSet) ([]rbac.Feature, error) {
	b := f.settings.Flags
	file, err := cmdutil.SettingsFile(a.Files, "--file", f.settings.Path)
	if err != nil {
		return nil, err
	}
	if file != nil {
		b = file.Bootstrap
		f.settings.Overlay(&b, given)
	}
	valid, err := b.Validate()
	if err != nil {
		return nil, err
	}
	features := valid.Features()
	for _, with := range f.with {
		if !slices.Contains(withNames(), with) {
			return nil, fmt.Errorf("--with %q: it takes %s", with, strings.Join(withNames(), ", "))
		}
		features = append(features, rbac.Feature(with))
	}
	return features, nil
}
