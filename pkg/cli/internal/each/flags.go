package each

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/fleet"
)

// Use is the form of a command that takes several hosted clusters.
const Use = "cluster NAME... | -l SELECTOR"

// UsePools is the form of a command that takes several node pools.
const UsePools = "nodepool NAME... | -l SELECTOR"

// Flags choose several hosted clusters, or node pools, beside those that are named.
type Flags struct {
	// Pools is whether node pools are chosen.
	Pools    bool
	chosen   []fleet.ClusterName
	selector string
	all      bool
	parallel int
}

// Bind adds the flags to a command.
func (f *Flags) Bind(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.selector, "selector", "l", "", f.noun()+"s with these labels, such as "+
		"fleet=lab,team!=build, instead of names")
	cmd.Flags().BoolVarP(&f.all, "all-namespaces", "A", false, "with --selector: in all namespaces")
	cmdutil.BindParallel(cmd.Flags(), &f.parallel)
	if f.Pools {
		cmd.Flags().Lookup("parallel").Usage = "how many node pools to work on at once; 0 means all"
	} else if cmd.Aliases == nil {
		cmd.Aliases = []string{"clusters"}
	}
}

// noun is what one of the things that are chosen is called.
func (f *Flags) noun() string {
	if f.Pools {
		return "node pool"
	}
	return "hosted cluster"
}

// IsChosen reports whether the run changes that hosted cluster or node pool, too.
func (f *Flags) IsChosen(namespace, name string) bool {
	return slices.Contains(f.chosen, fleet.ClusterName{Namespace: namespace, Name: name})
}

// Args refuses a command line that names no hosted cluster, or chooses in two ways.
func (f *Flags) Args(cmd *cobra.Command, names []string) error {
	if err := f.check(cmd, names); err != nil {
		return cmdutil.Misuse(cmd, err)
	}
	return cmdutil.Named(cmd, f.noun(), names)
}

func (f *Flags) check(cmd *cobra.Command, names []string) error {
	switch {
	case len(names) == 0 && f.selector == "":
		return fmt.Errorf("which %s? %s takes names, or --selector", f.noun(), cmd.CommandPath())
	case len(names) > 0 && f.selector != "":
		return errors.New("names and --selector: give only one of them")
	case f.all && f.selector == "":
		return errors.New("--all-namespaces: it needs --selector")
	}
	if _, err := cmdutil.Selector(f.selector); err != nil {
		return err
	}
	return cmdutil.CheckParallel(f.parallel)
}

// One reports whether the command line is about one hosted cluster that it names.
func (f *Flags) One(names []string) bool { return f.selector == "" && len(names) == 1 }

// Parallel is how many hosted clusters to work on at once; 0 means all.
func (f *Flags) Parallel() int { return f.parallel }

// Selection is the selector of the command line, and whether it is about all namespaces.
func (f *Flags) Selection() (selector string, all bool) { return f.selector, f.all }

// Words chooses the same hosted clusters on another command line.
func (f *Flags) Words(a *cmdutil.Factory, names []string) string {
	words := strings.Join(names, " ")
	if f.selector != "" {
		words = "-l " + sanitize.Word(f.selector)
	}
	if f.all {
		words += " -A"
	}
	return words + cmdutil.NamespaceFlag(a)
}

// Chosen returns the hosted clusters of the command line, each once.
func (f *Flags) Chosen(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target,
	names []string) ([]fleet.ClusterName, error) {
	namespace := cmdutil.ClustersNamespace(a)
	if f.selector == "" {
		var chosen []fleet.ClusterName
		for _, name := range names {
			if one := (fleet.ClusterName{Namespace: namespace, Name: name}); !slices.Contains(chosen, one) {
				chosen = append(chosen, one)
			}
		}
		return chosen, nil
	}
	return f.choose(ctx, a, t)
}

// Select returns the hosted clusters with these labels, in the namespace or in all. It says so if there are none.
func Select(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, labels string,
	all bool) ([]fleet.ClusterName, error) {
	return (&Flags{selector: labels, all: all}).choose(ctx, a, t)
}

// choose returns what has the labels, in the namespace or in all.
func (f *Flags) choose(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target) ([]fleet.ClusterName, error) {
	labels, all, selected := f.selector, f.all, fleet.Select
	if f.Pools {
		selected = fleet.SelectPools
	}
	selector, err := cmdutil.Selector(labels)
	if err != nil {
		return nil, err
	}
	namespace, where := cmdutil.ClustersNamespace(a), "in namespace "+cmdutil.ClustersNamespace(a)
	if all {
		namespace, where = "", "in any namespace"
	}
	chosen, err := selected(ctx, t.Client, namespace, selector)
	if err == nil && len(chosen) == 0 {
		cmdutil.Tell(a.Streams.Err, "No %s %s has the labels %s.\n", f.noun(), where, labels)
	}
	return chosen, err
}
