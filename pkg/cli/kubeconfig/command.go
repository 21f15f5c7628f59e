package kubeconfig

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kubeconfig"
)

// kubeconfigFlags are the flags of kubeconfig.
type kubeconfigFlags struct {
	name, selector, file, contextName, output string
	all, allNamespaces                        bool
	// names are the names of several hosted clusters; name is the name of one.
	names                                 []string
	parallel                              int
	merge, switchTo, remove, custom, wait bool
	timeout                               time.Duration

	matching labels.Selector
}

// New returns the command kubeconfig.
func New(a *cmdutil.Factory) *cobra.Command {
	f := &kubeconfigFlags{}
	cmd := &cobra.Command{
		Use:     "kubeconfig [NAME]...",
		GroupID: "hosted",
		Short:   "Print a hosted cluster's admin kubeconfig, or merge it into yours",
		Long: `kubeconfig prints the admin kubeconfig of a hosted cluster on stdout. It gives full access
to that cluster: treat it like a password.

hcctl makes it from what the HyperShift operator writes into a Secret: one https server, its CA, and a client
certificate or a token. A Secret with anything else (a command, a file, a proxy, a server that is not
verified) is refused with exit code 5, here and in every command that reaches into a hosted cluster.

--merge puts it into your kubeconfig instead: the file that kubectl config would write, or --file. The context is
called NAMESPACE-NAME unless --context-name says otherwise, and its user the same with -admin at the end. Your
current context stays unless you give --switch. Everything else in the file stays as it is, with its order and
comments. The file is replaced atomically under a lock, so that it is never half written, and gets mode 0600. An
entry of the same name that belongs to something else is never overwritten. Merging again changes nothing, or updates
the credentials.

--remove removes what --merge added; it contacts no server. hcctl delete cluster does so too.

With several names, --all, -A or -l it handles several clusters at once: it prints their kubeconfigs as one, without
a current context, or merges them. It lists the clusters that have none yet, and then exits with 3.`,
		Example: `  hcctl kubeconfig kv-00 > kv-00-kubeconfig
  hcctl kubeconfig kv-00 --merge --wait
  hcctl kubeconfig kv-00 --merge --context-name lab --switch
  hcctl kubeconfig kv-00 kv-01 --merge
  hcctl kubeconfig --all --merge --file ~/.kube/hosted
  hcctl kubeconfig kv-00 --remove`,
		Args: func(cmd *cobra.Command, args []string) error { return f.read(cmd, args) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.remove {
				return unmerge(cmd.Context(), a, f)
			}
			return runKubeconfig(cmd.Context(), a, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.name, "name", "", "name of the hosted cluster; the same as the argument")
	flags.BoolVar(&f.all, "all", false, "all hosted clusters of the namespace")
	flags.BoolVarP(&f.allNamespaces, "all-namespaces", "A", false, "all hosted clusters of all namespaces")
	flags.StringVarP(&f.selector, "selector", "l", "", "hosted clusters with these labels, such as env=lab")
	cmdutil.BindParallel(flags, &f.parallel)
	flags.BoolVar(&f.merge, "merge", false, "merge into your kubeconfig instead of printing")
	flags.BoolVar(&f.remove, "remove", false, "remove from your kubeconfig what --merge put there")
	flags.StringVar(&f.file, "file", "", "with --merge and --remove: this file; by default the one that kubectl config "+
		"writes (--kubeconfig, KUBECONFIG, ~/.kube/config)")
	flags.StringVar(&f.contextName, "context-name", "", "with --merge: name of the context; by default NAMESPACE-NAME. "+
		"With --remove: the context to remove")
	flags.BoolVar(&f.switchTo, "switch", false, "with --merge: make it the current context")
	flags.BoolVar(&f.custom, "custom", false, "the kubeconfig that leads to the cluster's own DNS name "+
		"(spec.kubeAPIServerDNSName)")
	flags.BoolVar(&f.wait, "wait", false, "wait until it is published and the API server answers")
	cmdutil.TimeoutFlag(flags, &f.timeout, 30*time.Minute, "with --wait: how long to wait at most")
	cmdutil.DescribedOutputFlag(cmd, &f.output, "output format: json, which is the kubeconfig as JSON, or with "+
		"--merge and --remove what was done", "json")
	_ = cmd.MarkFlagFilename("file")
	return cmd
}

// read parses the arguments, and returns an error for flags that exclude each other.
func (f *kubeconfigFlags) read(cmd *cobra.Command, args []string) error {
	wrong := func(format string, words ...any) error { return cmdutil.Misuse(cmd, fmt.Errorf(format, words...)) }
	if len(args) > 1 {
		if f.name != "" {
			return wrong("--name %s and the arguments %s: give only one of them", f.name, strings.Join(args, ", "))
		}
		if err := cmdutil.Named(cmd, "hosted cluster", args); err != nil {
			return err
		}
		slices.Sort(args)
		f.names = slices.Compact(args)
	}
	if len(args) == 1 {
		if f.name != "" && f.name != args[0] {
			return wrong("--name %s and the argument %s: give only one of them", f.name, args[0])
		}
		f.name = args[0]
	}
	if f.name != "" {
		names := []string{f.name}
		err := cmdutil.Named(cmd, "hosted cluster", names)
		if f.name = names[0]; err != nil {
			return err
		}
	}
	selected := f.all || f.allNamespaces || f.selector != ""
	several := selected || len(f.names) > 0
	switch {
	case f.name == "" && !several && (!f.remove || f.contextName == ""):
		return wrong("which hosted cluster? give its name (--name), --all, -A or -l")
	case selected && f.name+strings.Join(f.names, "") != "":
		return wrong("%s and --all, -A or -l: give only one of them", f.name+strings.Join(f.names, ", "))
	case f.merge && f.remove:
		return wrong("--merge and --remove: give only one of them")
	case !f.merge && !f.remove && (f.file != "" || f.contextName != ""):
		return wrong("--file and --context-name need --merge or --remove")
	case !f.merge && f.switchTo:
		return wrong("--switch needs --merge")
	case several && (f.switchTo || f.contextName != ""):
		return wrong("--switch and --context-name are about one hosted cluster: give its name")
	case f.remove && (several || f.custom || f.wait):
		return wrong("--remove takes one name, and neither --custom nor --wait")
	case f.timeout <= 0:
		return wrong("--timeout %s: give a time above zero", f.timeout)
	}
	err := cmdutil.CheckParallel(f.parallel)
	if err != nil {
		return cmdutil.Misuse(cmd, err)
	}
	if f.matching, err = cmdutil.Selector(f.selector); err != nil {
		return cmdutil.Misuse(cmd, err)
	}
	return nil
}

func (f *kubeconfigFlags) variant() kubeconfig.Variant {
	if f.custom {
		return kubeconfig.Custom
	}
	return kubeconfig.Admin
}

// choose returns the hosted clusters of the flags, and which of several names do not exist.
func (f *kubeconfigFlags) choose(ctx context.Context, t *cmdutil.Target,
	namespace string) ([]hyperv1.HostedCluster, leftOut, error) {
	if len(f.names) > 0 {
		return f.named(ctx, t, namespace)
	}
	clusters, err := f.matched(ctx, t, namespace)
	return clusters, nil, err
}

// named returns the hosted clusters with the given names. A cluster that does not exist does not stop the
// others.
func (f *kubeconfigFlags) named(ctx context.Context, t *cmdutil.Target,
	namespace string) ([]hyperv1.HostedCluster, leftOut, error) {
	found, errs := make([]*hyperv1.HostedCluster, len(f.names)), make([]error, len(f.names))
	kube.Parallelize(len(f.names), f.atOnce(len(f.names)), func(i int) {
		found[i], errs[i] = hostedcluster.Find(ctx, t.Client, namespace, f.names[i])
	})
	var clusters []hyperv1.HostedCluster
	var absent leftOut
	for i, err := range errs {
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case hostedcluster.IsNotFound(err):
			absent = append(absent, left{namespace + "/" + f.names[i], "there is no such hosted cluster", err})
		case err != nil:
			return nil, nil, err
		default:
			clusters = append(clusters, *found[i])
		}
	}
	return clusters, absent, nil
}

// atOnce returns how many of n clusters are read at once.
func (f *kubeconfigFlags) atOnce(n int) int {
	if f.parallel == 0 {
		return n
	}
	return f.parallel
}

// matched returns the hosted cluster of one name, or those that the flags select.
func (f *kubeconfigFlags) matched(ctx context.Context, t *cmdutil.Target,
	namespace string) ([]hyperv1.HostedCluster, error) {
	if f.name != "" {
		hc, err := hostedcluster.Find(ctx, t.Client, namespace, f.name)
		if err != nil {
			return nil, err
		}
		return []hyperv1.HostedCluster{*hc}, nil
	}
	if f.allNamespaces {
		namespace = ""
	}
	all, err := hostedcluster.Clusters(ctx, t.Client, namespace)
	if err != nil {
		return nil, err
	}
	var selected []hyperv1.HostedCluster
	for i := range all {
		if f.matching.Matches(labels.Set(all[i].Labels)) {
			selected = append(selected, all[i])
		}
	}
	if len(selected) == 0 {
		return nil, cmdutil.Missing(errors.New("there is no such hosted cluster"), "%s lists all hosted clusters",
			hint.Run("get clusters").Flag("A"))
	}
	return selected, nil
}

// runKubeconfig prints or merges kubeconfigs.
func runKubeconfig(ctx context.Context, a *cmdutil.Factory, f *kubeconfigFlags) error {
	t, err := a.Connection.Dial()
	if err != nil {
		return err
	}
	clusters, absent, err := f.choose(ctx, t, cmdutil.ClustersNamespace(a.Call))
	if err != nil {
		return t.Clarify(ctx, err)
	}
	of := len(clusters) + len(absent)
	var waited error
	if f.wait {
		if clusters, waited, err = waitForKubeconfigs(ctx, a, t, f, clusters); err != nil {
			return err
		}
	}
	entries, late, err := fetchEntries(ctx, t, f, clusters)
	if err != nil {
		return err
	}
	late = append(absent, late...)
	switch {
	case len(entries) == 0:
	case f.merge:
		err = mergeEntries(ctx, a, t, f, entries, late)
	default:
		err = printEntries(a, f, entries)
	}
	if err != nil || waited != nil {
		return errors.Join(err, waited)
	}
	return late.err(of)
}

// waitForKubeconfigs waits for the kubeconfigs, and reads the clusters again. With several clusters, a failure
// of some does not stop the others.
func waitForKubeconfigs(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, f *kubeconfigFlags,
	clusters []hyperv1.HostedCluster) (now []hyperv1.HostedCluster, waited, err error) {
	keys := make([]client.ObjectKey, 0, len(clusters))
	for i := range clusters {
		keys = append(keys, client.ObjectKeyFromObject(&clusters[i]))
	}
	r, err := a.Runner.Run(ctx, t, cmdutil.Run{Steps: kubeconfig.Wait(t.Client, keys, f.variant()), Timeout: f.timeout,
		Heading: cmdutil.Textf("Waiting for %s on %s", plural.Count(len(keys), "kubeconfig"), t)})
	if err != nil {
		return nil, nil, err
	}
	if waited = r.Err(); waited != nil && (f.name != "" || ctx.Err() != nil) {
		return nil, nil, waited
	}
	now, _, err = f.choose(ctx, t, cmdutil.ClustersNamespace(a.Call))
	return now, waited, err
}
