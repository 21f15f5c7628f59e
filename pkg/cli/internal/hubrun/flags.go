// Package hubrun implements --hub of the commands: they work on the hosted clusters of many management clusters
// through a hub of Open Cluster Management. pkg/fleet/hub does the work.
package hubrun

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/each"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/fleet/hub"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

// Bind adds --hub to a command.
func Bind(cmd *cobra.Command, on *bool) {
	cmd.Flags().BoolVar(on, "hub", false, "work on the hosted clusters of all management clusters, through the hub of "+
		"Open Cluster Management that the kubeconfig reaches")
}

// BindSites adds --hub to a command about the management clusters.
func BindSites(cmd *cobra.Command, on *bool) {
	cmd.Flags().BoolVar(on, "hub", false, "for all management clusters, through the hub of Open Cluster Management that "+
		"the kubeconfig reaches")
}

// Without returns an error for given flags that --hub does not support, and for flags that need --hub.
func Without(cmd *cobra.Command, on bool, flags []string, needs ...string) error {
	var errs []error
	for _, name := range flags {
		if on && cmd.Flags().Changed(name) {
			errs = append(errs, errors.New("--"+name+": not with --hub"))
		}
	}
	for _, name := range needs {
		if !on && cmd.Flags().Changed(name) {
			errs = append(errs, errors.New("--"+name+": it needs --hub"))
		}
	}
	return errors.Join(errs...)
}

// Choice selects hosted clusters of the hub: by name in the namespace of the command line, by Of, or by labels
// in that namespace or in all. Without any of these it selects all.
type Choice struct {
	Names    []string
	Of       []fleet.ClusterName
	Selector string
	All      bool
	// OlderThan leaves out clusters that were delivered more recently; 0 leaves out none.
	OlderThan time.Duration
	// Marks protect clusters of other owners.
	Marks fleet.Marks
}

// selects reports whether labels or an age select the clusters.
func (c Choice) selects() bool { return c.Selector != "" || c.OlderThan > 0 }

// named returns the clusters that are given by name.
func (c Choice) named(a *cmdutil.Factory) []fleet.ClusterName {
	all := slices.Clone(c.Of)
	for _, name := range c.Names {
		all = append(all, fleet.ClusterName{Namespace: cmdutil.ClustersNamespace(a.Call), Name: name})
	}
	return all
}

// of returns the selected clusters, the least healthy first, and the given names that do not exist.
func (c Choice) of(a *cmdutil.Factory, f *hub.Fleet) (all []*hub.Cluster, absent []fleet.ClusterName, err error) {
	namespace, selector, named := cmdutil.ClustersNamespace(a.Call), labels.Everything(), c.named(a)
	if c.Selector != "" {
		if selector, err = cmdutil.Selector(c.Selector); err != nil {
			return nil, nil, err
		}
	}
	foreign := &fleet.ForeignError{Job: c.Marks.Job}
	for _, one := range f.Clusters {
		switch {
		case len(named) > 0 && slices.Contains(named, one.ClusterName()):
			all = append(all, one)
		case len(named) == 0 && (c.All || one.Namespace == namespace) && selector.Matches(one.Labels) &&
			hostedcluster.IsOlder(one.Created, f.Now, c.OlderThan):
			all = append(all, one)
			if c.Marks.Foreign(selector, one.Labels) {
				foreign.Names = append(foreign.Names, one.Subject())
			}
		}
	}
	if len(foreign.Names) > 0 {
		return nil, nil, each.Foreign(foreign)
	}
	for _, name := range named {
		if !slices.ContainsFunc(all, func(one *hub.Cluster) bool { return one.ClusterName() == name }) {
			absent = append(absent, name)
		}
	}
	return all, absent, nil
}

// notFound returns the error for a cluster that does not exist, with the names of those that do.
func notFound(f *hub.Fleet, name fleet.ClusterName) error {
	err := &hostedcluster.NotFoundError{Namespace: name.Namespace, Name: name.Name}
	for _, one := range f.Clusters {
		err.Others = append(err.Others, one.Subject())
	}
	slices.Sort(err.Others)
	return cmdutil.WithHint(err, "%s lists all hosted clusters of the hub",
		hint.Run("get clusters").Flag("hub").Flag("A"))
}

// read connects to the hub and reads the selected clusters.
func (c Choice) read(ctx context.Context, a *cmdutil.Factory) (*cmdutil.Target, *hub.Fleet, []*hub.Cluster, error) {
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	f, err := hub.Read(ctx, t.Client)
	if err != nil {
		return nil, nil, nil, err
	}
	chosen, absent, err := c.of(a, f)
	if err == nil && len(absent) > 0 {
		err = notFound(f, absent[0])
	}
	return t, f, chosen, err
}

// namesOf returns the names of the clusters, without duplicates.
func namesOf(clusters []*hub.Cluster) []fleet.ClusterName {
	var names []fleet.ClusterName
	for _, one := range clusters {
		if !slices.Contains(names, one.ClusterName()) {
			names = append(names, one.ClusterName())
		}
	}
	return names
}

// subjects returns the names of the clusters for a message.
func subjects(clusters []*hub.Cluster) string { return cmdutil.Few(namesIn(clusters)) }

// namesIn returns the names of the clusters, sorted and without duplicates.
func namesIn(clusters []*hub.Cluster) []string {
	var names []string
	for _, one := range clusters {
		names = append(names, one.Subject())
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// words joins the non-empty parts with spaces.
func words(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

// sitesToo lists the flags that bootstrap and check accept with --hub besides their own.
func sitesToo() []string { return []string{"hub", "output", "yes", "dry-run", "timeout", "publish"} }

// OnlyWithSites returns an error for flags that do not go with --hub, and for those that need it.
func OnlyWithSites(cmd *cobra.Command, on bool, own ...string) error {
	var others []string
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(sitesToo(), f.Name) && !slices.Contains(own, f.Name) {
			others = append(others, f.Name)
		}
	})
	return Without(cmd, on, others, own...)
}
