package gitops

import (
	"context"
	"errors"
	"fmt"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/each"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/fleet/gitops"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

// registerFlags are the flags of register.
type registerFlags struct {
	gitops.Registration
	selector string
	remove   bool
	change   cmdutil.ChangeFlags
}

func newRegister(a *cmdutil.Factory) *cobra.Command {
	f := &registerFlags{}
	cmd := &cobra.Command{
		Use:   "register NAME... | -l SELECTOR",
		Short: "Make hosted clusters known to Argo CD, without a hub, and renew its tokens",
		Long: `register makes each hosted cluster one of Argo CD's clusters: a ServiceAccount in the hosted cluster, a
token bound to it, and a Secret with that token in Argo CD's namespace. The administrator's kubeconfig is not
handed on. Labels of the hosted cluster without a domain, such as env=dev, are carried over, so that
ApplicationSets can select by them.

The same command again changes nothing until less than a third of a token's life is left, and renews it then: run
it once a day, say. With Open Cluster Management use its GitOpsCluster instead, which does the same.

Who can write a HostedCluster can give it labels, and so choose which ApplicationSets bring something into it.

With --remove it takes that back: the account and its role in the hosted cluster, which ends the token, and Argo CD's
Secret; only what hcctl made. It also removes the Secret of a hosted cluster that does not exist any more.`,
		Example: "  hcctl gitops register front -n dev\n  hcctl gitops register -l env=dev -n dev --token-lifetime 168h\n" +
			"  hcctl gitops register front -n dev --remove",
		Args: func(cmd *cobra.Command, names []string) error {
			if err := f.validate(cmd, names); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			return cmdutil.Named(cmd, "hosted cluster", names)
		},
		RunE: func(cmd *cobra.Command, names []string) error { return f.run(cmd.Context(), a, names) },
	}
	set := cmd.Flags()
	set.StringVarP(&f.selector, "selector", "l", "", "hosted clusters with these labels, such as env=dev, "+
		"instead of names")
	set.StringVar(&f.ArgoNamespace, "argocd-namespace", gitops.DefaultNamespace, "namespace of Argo CD")
	set.StringVar(&f.ClusterRole, "cluster-role", "cluster-admin", "ClusterRole in the hosted cluster that Argo CD gets "+
		"there")
	set.DurationVar(&f.Lifetime, "token-lifetime", 30*24*time.Hour, "how long a token is valid, 1h to 8760h")
	set.BoolVar(&f.remove, "remove", false, "have Argo CD forget the hosted clusters")
	f.change.Bind(cmd, a, 10*time.Minute)
	for _, free := range []string{"selector", "argocd-namespace", "cluster-role"} {
		cmdutil.Complete(cmd, free)
	}
	return cmd
}

func (f *registerFlags) validate(cmd *cobra.Command, names []string) error {
	switch {
	case len(names) == 0 && f.selector == "":
		return errors.New("which hosted clusters? Give their names, or --selector, such as -l env=dev")
	case len(names) > 0 && f.selector != "":
		return errors.New("names and --selector: give only one of them")
	}
	_, err := labels.Parse(f.selector)
	switch {
	case err != nil:
		return fmt.Errorf("--selector %q: not a selector of labels; write it like env=dev", f.selector)
	case f.ClusterRole == "":
		return errors.New("--cluster-role: missing; give the name of a ClusterRole, such as cluster-admin")
	case f.Lifetime < gitops.ShortestLifetime || f.Lifetime > gitops.MaxLifetime:
		return fmt.Errorf("--token-lifetime %s: use 1h to 8760h", f.Lifetime)
	}
	for _, name := range []string{"cluster-role", "token-lifetime"} {
		if f.remove && cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s and --remove: give only one of them", name)
		}
	}
	if err := checkNamespace(f.ArgoNamespace); err != nil {
		return err
	}
	return f.change.Validate()
}

// checkNamespace validates --argocd-namespace.
func checkNamespace(name string) error {
	if len(validation.IsDNS1123Label(name)) > 0 {
		return fmt.Errorf("--argocd-namespace %q: not the name of a namespace", name)
	}
	return nil
}

// chosen returns the hosted clusters that are named or selected. With --remove it includes a named cluster that
// no longer exists, without a UID, if Argo CD still knows it.
func (f *registerFlags) chosen(ctx context.Context, t *cmdutil.Target, namespace string, names []string,
	selector labels.Selector) ([]hyperv1.HostedCluster, error) {
	if len(names) == 0 {
		all, err := hostedcluster.Clusters(ctx, t.Client, namespace)
		if err != nil {
			return nil, err
		}
		var matching []hyperv1.HostedCluster
		for i := range all {
			if selector.Matches(labels.Set(all[i].Labels)) {
				matching = append(matching, all[i])
			}
		}
		if len(matching) == 0 {
			return nil, cmdutil.WithHint(fmt.Errorf("no hosted cluster in namespace %s has the labels %s", namespace, selector),
				"%s lists them", hint.Run("get clusters").Flag("n", namespace))
		}
		return matching, nil
	}
	var all []hyperv1.HostedCluster
	for _, name := range names {
		hc, err := hostedcluster.Find(ctx, t.Client, namespace, name)
		var missing *hostedcluster.NotFoundError
		if f.remove && errors.As(err, &missing) {
			hc = &hyperv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
			if known, unread := f.Knows(ctx, t.Client, hc); known || unread != nil {
				err = unread
			}
		}
		if err != nil {
			return nil, err
		}
		all = append(all, *hc)
	}
	return all, nil
}

func (f *registerFlags) run(ctx context.Context, a *cmdutil.Factory, names []string) error {
	selector, err := labels.Parse(f.selector)
	if err != nil {
		return err
	}
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return err
	}
	clusters, err := f.chosen(ctx, t, cmdutil.ClustersNamespace(a.Call), names, selector)
	if err != nil {
		return t.Clarify(ctx, err)
	}
	of := plural.Count(len(clusters), "hosted cluster")
	var named []string
	for i := range clusters {
		named = append(named, gitops.Named(&clusters[i]))
	}
	return each.Only(ctx, a, t, &f.change, each.Work{Command: "gitops register", Kind: "RegistrationPlan",
		Prepare: func(_ context.Context, t *cmdutil.Target, _ fleet.ClusterName) (each.Change, error) {
			c := each.Change{
				Question: cmdutil.Textf("Give Argo CD (namespace %s) the rights of %s in %s, %s, on %s?", f.ArgoNamespace,
					sanitize.Word(f.ClusterRole), of, cmdutil.Few(named), t.Named()),
				Heading: cmdutil.Textf("Registering %s with Argo CD on %s", of, t),
				Done:    "Argo CD knows " + of + "; the same command renews the tokens.",
			}
			steps := f.Steps
			if f.remove {
				c.Question = cmdutil.Textf("Have Argo CD (namespace %s) forget %s, and remove its account there, on %s?",
					f.ArgoNamespace, of, t.Named())
				c.Heading = cmdutil.Textf("Having Argo CD forget %s on %s", of, t)
				c.Done, steps = "Argo CD does not know "+of+" any more.", f.Removal
			}
			for i := range clusters {
				c.Steps = append(c.Steps, steps(t.Client, &clusters[i])...)
			}
			return c, nil
		}})
}
