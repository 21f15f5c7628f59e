package each

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/fleet"
)

// Names is the argument syntax of commands on several hosted clusters or node pools.
const Names = "NAME... | -l SELECTOR"

// Use is the syntax of a subcommand for several hosted clusters, next to those for other kinds.
const Use = "cluster " + Names

// clusterNoun is the word for a hosted cluster in messages.
const clusterNoun = "hosted cluster"

// UsePools is the syntax of a subcommand for several node pools, next to those for other kinds.
const UsePools = "nodepool " + Names

// Flags select several hosted clusters or node pools, instead of names.
type Flags struct {
	// Pools is set if node pools are selected.
	Pools bool
	// Deletes is set if the selected objects are deleted. It adds the selection by age and the expected number.
	Deletes bool
	// Of are hosted clusters that files name. Table shows a single named object in a table, too.
	Of    []fleet.ClusterName
	Table bool
	// Selector and OlderThan select by labels and age; empty for neither. All extends the selection to all
	// namespaces.
	Selector  string
	OlderThan Age
	All       bool
	// Marks select hosted clusters to delete. AnyOwner includes the clusters of every owner.
	Marks    fleet.Marks
	AnyOwner bool
	// Parallel is the number of objects to work on at once; 0 means all.
	Parallel int
	// Chosen are the selected hosted clusters or node pools, without duplicates.
	Chosen []fleet.ClusterName
	// Expect is the number of objects that the user expects to delete.
	Expect Expectation
}

// Bind adds the flags to a command.
func (f *Flags) Bind(cmd *cobra.Command) {
	f.BindSelection(cmd)
	cmdutil.BindParallel(cmd.Flags(), &f.Parallel)
	if f.Pools {
		cmd.Flags().Lookup("parallel").Usage = "how many node pools to work on at once; 0 means all"
	} else if cmd.Name() == "cluster" && cmd.Aliases == nil {
		cmd.Aliases = []string{"clusters"}
	}
}

// BindSelection adds only the flags that select objects.
func (f *Flags) BindSelection(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.Selector, "selector", "l", "", noun(f)+"s with these labels, such as "+
		"fleet=lab,team!=build, instead of names")
	with := "--selector"
	if f.Deletes {
		with = waysOf(f)
		BindAge(cmd, &f.OlderThan, noun(f)+"s", "; alone, or of those with --selector")
		if !f.Pools {
			BindMarks(cmd, &f.Marks, noun(f)+"s")
			cmd.Flags().BoolVar(&f.AnyOwner, "any-owner", false, "with --selector or --older-than: those of other owners, too")
		}
		f.Expect.Bind(cmd, noun(f))
	}
	cmd.Flags().BoolVarP(&f.All, "all-namespaces", "A", false, "with "+with+": in all namespaces")
}

// Selects reports whether labels, an age or marks select the objects, instead of names.
func (f *Flags) Selects() bool { return f.Selector != "" || f.OlderThan > 0 || f.Marks.Choose() }

// noun returns the word for one of the selected objects.
func noun(f *Flags) string {
	if f.Pools {
		return "node pool"
	}
	return clusterNoun
}

// Args returns a usage error for a command line that selects nothing, or selects in two ways.
func (f *Flags) Args(cmd *cobra.Command, names []string) error {
	or := ", or"
	if f.Deletes {
		or = ","
	}
	var err error
	switch {
	case len(names) == 0 && !f.Selects():
		err = fmt.Errorf("which %s? %s takes names%s %s", noun(f), cmd.CommandPath(), or, waysOf(f))
	case len(names) > 0 && f.OlderThan > 0:
		err = errors.New("names and --older-than: give only one of them")
	case len(names) > 0 && f.Marks.Choose():
		err = errors.New("names and --expired or --owner: give only one of them")
	case len(names) > 0 && f.Selects():
		err = errors.New("names and --selector: give only one of them")
	default:
		err = errors.Join(f.Check(), cmdutil.CheckParallel(f.Parallel))
	}
	if err != nil {
		return cmdutil.Misuse(cmd, err)
	}
	return cmdutil.Named(cmd, noun(f), names)
}

// Check returns an error for flags that have no effect without a selection, and for a selector that cannot be
// parsed.
func (f *Flags) Check() error {
	if f.All && !f.Selects() {
		return errors.New("--all-namespaces: it needs " + waysOf(f))
	}
	if err := f.Expect.Check(f.Selects()); err != nil {
		return err
	}
	if f.AnyOwner && (f.Marks.Choose() || !f.Selects()) {
		return errors.New("--any-owner: it is about those that --selector or --older-than choose")
	}
	_, err := cmdutil.Selector(f.Selector)
	return err
}

// One reports whether the command line names exactly one hosted cluster.
func (f *Flags) One(names []string) bool { return !f.Selects() && !f.Table && len(names) == 1 }

// Words returns the arguments that select the same hosted clusters on another command line.
func Words(call *cmdutil.Call, f *Flags, names []string) hint.Args {
	var words hint.Args
	for _, name := range names {
		words = append(words, name)
	}
	if f.Selector != "" {
		words = hint.Args{hint.Flag("l"), f.Selector}
	}
	if f.All {
		words = append(words, hint.Flag("A"))
	}
	return append(words, cmdutil.NamespaceFlag(call)...)
}

// waysOf returns the flags that select objects.
func waysOf(f *Flags) string {
	switch {
	case f.Deletes && f.Pools:
		return "--selector or --older-than"
	case f.Deletes:
		return "--selector, --older-than, --expired or --owner"
	}
	return "--selector"
}

// Choose returns the selected hosted clusters or node pools, without duplicates. It prints a message if a
// selection matches none.
func (f *Flags) Choose(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target,
	names []string) ([]fleet.ClusterName, error) {
	namespace := cmdutil.ClustersNamespace(a.Call)
	if !f.Selects() {
		chosen := slices.Clone(f.Of)
		for _, name := range names {
			if one := (fleet.ClusterName{Namespace: namespace, Name: name}); !slices.Contains(chosen, one) {
				chosen = append(chosen, one)
			}
		}
		return chosen, nil
	}
	selected := fleet.Select
	if f.Pools {
		selected = fleet.SelectPools
	}
	selector, err := cmdutil.Selector(f.Selector)
	if err != nil {
		return nil, err
	}
	where := "in namespace " + namespace
	if f.All {
		namespace, where = "", "in any namespace"
	}
	chosen, err := selected(ctx, t.Client, fleet.Selection{Namespace: namespace, Labels: selector,
		OlderThan: time.Duration(f.OlderThan), Marks: f.Guard(a)})
	if err != nil {
		return nil, Foreign(err)
	}
	all := make([]string, 0, len(chosen))
	for _, one := range chosen {
		all = append(all, one.Namespace+"/"+one.Name)
	}
	if err := f.Expect.Compare(noun(f), all); err != nil {
		return nil, err
	}
	if len(chosen) == 0 {
		var has []string
		if f.Selector != "" {
			has = append(has, "has the labels "+f.Selector)
		}
		if f.OlderThan > 0 {
			has = append(has, "is older than "+f.OlderThan.String())
		}
		has = append(has, MarkWords(f.Marks)...)
		cmdutil.Tell(a.Streams.Err, "No %s %s %s.\n", noun(f), where, strings.Join(has, " and "))
	}
	return chosen, nil
}
