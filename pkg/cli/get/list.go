package get

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/each"
	"github.com/hcctl/hcctl/pkg/cli/internal/hubrun"
	"github.com/hcctl/hcctl/pkg/cli/internal/printer"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
)

// New returns the command get.
func New(a *cmdutil.Factory) *cobra.Command {
	cmd := cmdutil.Noun("get", "List hosted clusters and node pools, or follow their changes", newGetClusters(a),
		newGetNodePools(a), newGetMachines(a), newGetServices(a))
	cmd.GroupID = "hosted"
	return cmd
}

// formats are the values of -o besides those of package printer.
var formats = []string{"wide", "json", "yaml", "name"}

// getFlags are the flags of every get.
type getFlags struct {
	output, selector, cluster, sortBy string
	all, watch, events                bool
	noHeaders, labels, expiry         bool
	// printer and order are parsed from output and sortBy; nil if these do not need one.
	printer *printer.Printer
	order   *printer.Order
	// now returns the API server's time, for ages.
	now func() time.Time

	olderThan each.Age
	marks     fleet.Marks
}

func (g *getFlags) bind(cmd *cobra.Command, what string) {
	f := cmd.Flags()
	cmdutil.OutputFlag(cmd, &g.output, slices.Concat(formats, printer.Formats())...)
	f.BoolVarP(&g.all, "all-namespaces", "A", false, "list those of all namespaces")
	f.StringVarP(&g.selector, "selector", "l", "", "list those whose labels match, such as env=lab,tier!=dev")
	each.BindAge(cmd, &g.olderThan, "list those", "")
	f.BoolVarP(&g.watch, "watch", "w", false, "continue and print each change of "+what+", until interrupted")
	f.BoolVar(&g.events, "output-watch-events", false, "with --watch: show whether it was ADDED, MODIFIED or DELETED")
	f.StringVar(&g.sortBy, "sort-by", "", "sort by this field, a JSONPath such as .metadata.creationTimestamp")
	f.BoolVar(&g.noHeaders, "no-headers", false, "leave out the headings of tables and custom-columns")
	f.BoolVar(&g.labels, "show-labels", false, "add the labels as the last column of the table")
}

func newGetClusters(a *cmdutil.Factory) *cobra.Command {
	g, through := &getFlags{}, false
	cmd := &cobra.Command{
		Use:     "clusters [NAME]...",
		Aliases: []string{"cluster", "hostedclusters", "hostedcluster", "hc"},
		Short:   "List hosted clusters, with the columns of oc get hostedclusters",
		Long: `get clusters lists the hosted clusters of a namespace (--namespace, by default clusters), or of all. The
columns are those of the CustomResourceDefinition on the management cluster, as the API server prints them; -o wide
adds more, among them MANAGED: how far the cluster is joined to its hub as a ManagedCluster; OWNER and EXPIRES: the
marks of create cluster --owner and --expires. --expired lists those whose expiry has passed by the clocks of the API
server and of this machine; a mark that is invalid never expires. The other formats,
--sort-by, --no-headers and --show-labels are those of kubectl; every command takes the names that -o name prints.

With --expiry a last column tells what ends first of all by which a cluster is entered and served, such as "2026-12-08
dex", and a ? where something may not be read. hcctl status --expiry has the rest.

With --watch it continues and prints each row that changes, until interrupted; with -o json each changed object on a
line of its own. A cluster that is deleted is printed once more, with the message deleted. It resumes after an outage
of the API server.

With --hub it lists the hosted clusters of all management clusters of a hub, the worst first, each with its site and
how old what is known of it may be (column KNOWN); -A for all namespaces. The fields of --sort-by, custom-columns and
templates are those of -o json: of each cluster for the first two, such as .site, of the whole document for templates.`,
		Example: `  hcctl get clusters
  hcctl get clusters kv-00 -o yaml
  hcctl get clusters -A -l env=lab -o wide
  hcctl get clusters -A --expiry
  hcctl get clusters -l ci=true --older-than 24h
  hcctl get clusters -A --expired -o wide
  hcctl get clusters -o custom-columns=NAME:.metadata.name,RELEASE:.spec.release.image
  hcctl get clusters -o jsonpath='{.items[*].metadata.name}'
  hcctl get clusters --watch
  hcctl get clusters --hub -A`,
		Args: func(cmd *cobra.Command, args []string) error { return cmdutil.Named(cmd, "hosted cluster", args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			if through && g.marks.Choose() {
				return cmdutil.Misuse(cmd, errors.New("--expired, --owner: not with --hub; ask the management clusters"))
			}
			if through && g.expiry {
				return cmdutil.Misuse(cmd, errors.New("--expiry: a hub does not know it; ask the management clusters"))
			}
			if through {
				return getThroughHub(a, cmd, g, args)
			}
			return runGet(a, cmd, g, status.HostedClusters(), args)
		},
	}
	g.bind(cmd, "hosted clusters")
	each.BindMarks(cmd, &g.marks, "list those")
	cmd.Flags().BoolVar(&g.expiry, "expiry", false, "add what ends first as the last column: kubeconfigs, certificates "+
		"and tokens; at least four more requests for each cluster")
	hubrun.Bind(cmd, &through)
	return cmd
}

func newGetNodePools(a *cmdutil.Factory) *cobra.Command {
	g := &getFlags{}
	cmd := &cobra.Command{
		Use:     "nodepools [NAME]...",
		Aliases: []string{"nodepool", "np"},
		Short:   "List node pools, with the columns of oc get nodepools",
		Long: `get nodepools lists the node pools of a namespace (--namespace, by default clusters), or of all; with
--cluster-name those of one hosted cluster. The columns are those of the CustomResourceDefinition on the management
cluster, as the API server prints them; -o wide adds more. The other formats, --sort-by, --no-headers and
--show-labels are those of kubectl.

With --watch it continues and prints each row that changes, until interrupted; with -o json each changed object on a
line of its own. A node pool that is deleted is printed once more, with the message deleted. It resumes after an
outage of the API server.`,
		Example: `  hcctl get nodepools
  hcctl get nodepools --cluster-name kv-00 -o wide
  hcctl get nodepools kv-00 --watch -o json`,
		Args: func(cmd *cobra.Command, args []string) error { return cmdutil.Named(cmd, "node pool", args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			if g.cluster != "" {
				if err := cmdutil.NamedFlag(cmd, "cluster-name", "hosted cluster", &g.cluster); err != nil {
					return err
				}
			}
			return runGet(a, cmd, g, status.NodePools(), args)
		},
	}
	g.bind(cmd, "node pools")
	cmd.Flags().StringVar(&g.cluster, "cluster-name", "", "list those of this hosted cluster")
	return cmd
}

// buildQuery returns the query for the flags and names.
func buildQuery(a *cmdutil.Factory, g *getFlags, r status.Resource, names []string) (status.Query, error) {
	q := status.Query{Resource: r, Namespace: cmdutil.ClustersNamespace(a.Call), Names: names, Cluster: g.cluster,
		OlderThan: time.Duration(g.olderThan)}
	if err := g.parse(a); err != nil {
		return q, err
	}
	if g.all {
		q.Namespace = ""
	}
	switch {
	case g.all && len(names) > 0:
		return q, errors.New("--all-namespaces: with a name give the namespace (-n), names are only unique in one")
	case g.selector != "" && len(names) > 0:
		return q, errors.New("--selector: give either names or a selector")
	case g.olderThan > 0 && len(names) > 0:
		return q, errors.New("--older-than: give either names or an age")
	case g.marks.Choose() && len(names) > 0:
		return q, errors.New("--expired, --owner: give either names or what chooses")
	case g.events && !g.watch:
		return q, errors.New("--output-watch-events: it is about --watch")
	case g.events && g.output == "name":
		return q, errors.New("--output-watch-events: -o name has no place for them")
	}
	if g.selector != "" {
		selector, err := cmdutil.Selector(g.selector)
		if err != nil {
			return q, err
		}
		q.Selector = selector
	}
	if g.marks.Owner != "" {
		if err := q.Owned(g.marks.Owner); err != nil {
			return q, fmt.Errorf("--owner: %w", err)
		}
	}
	if g.marks.Expired {
		q.Marked = func(u metav1.Object, now time.Time) bool { return hostedcluster.Expired(u, now, time.Now()) }
	}
	return q, nil
}

// parse reads the output flags, and returns an error for those that exclude each other.
func (g *getFlags) parse(a *cmdutil.Factory) (err error) {
	read := func(path string) ([]byte, error) { return a.Files.File("--output", path) }
	if g.printer, err = printer.New(g.output, read); err != nil {
		format, _, _ := strings.Cut(g.output, "=")
		return fmt.Errorf("--output %s: %w", format, err)
	}
	if g.sortBy != "" {
		if g.order, err = printer.NewOrder(g.sortBy); err != nil {
			return fmt.Errorf("--sort-by: %w", err)
		}
	}
	switch {
	case g.watch && g.olderThan > 0:
		return errors.New("--older-than: an object gets older without a change, so it cannot be combined with --watch")
	case g.watch && g.marks.Expired:
		return errors.New("--expired: a cluster expires without a change, so it cannot be combined with --watch")
	case g.watch && g.sortBy != "":
		return errors.New("--sort-by: changes come as they happen, so it cannot be combined with --watch")
	case g.expiry && g.watch:
		return errors.New("--expiry: not with --watch, which would read Secrets again and again")
	case g.expiry && !g.table():
		return fmt.Errorf("--expiry: it is about the table, and -o %s prints none; status --expiry has -o json", g.output)
	case g.labels && !g.table():
		return fmt.Errorf("--show-labels: it is about the table, and -o %s prints none", g.output)
	case g.noHeaders && !g.table() && (g.printer == nil || g.printer.Columns == nil):
		return fmt.Errorf("--no-headers: it is about tables, and -o %s prints none", g.output)
	}
	return nil
}

// table reports whether the output is the table that hcctl and the API server print.
func (g *getFlags) table() bool { return g.output == "" || g.output == "wide" }

func runGet(a *cmdutil.Factory, cmd *cobra.Command, g *getFlags, r status.Resource, names []string) error {
	q, err := buildQuery(a, g, r, names)
	if err != nil {
		return cmdutil.Misuse(cmd, err)
	}
	if g.watch {
		t, err := a.Connection.Connect(cmd.Context())
		if err != nil {
			return err
		}
		return followList(cmd.Context(), a, t, g, q)
	}
	t, err := a.Connection.Dial()
	if err != nil {
		return err
	}
	g.now, q.Now = t.Now, t.Now
	if g.table() {
		return getTable(cmd.Context(), a, t, g, q)
	}
	found, err := status.List(cmd.Context(), t.Client, q)
	if len(found) == 0 && err != nil {
		return t.Clarify(cmd.Context(), err)
	}
	if found, sortErr := g.sorted(found); sortErr != nil {
		return sortErr
	} else if failed := printList(a, g, q, found); failed != nil {
		return failed
	}
	return err
}
