package each

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

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
	Pools bool
	// Deletes is whether what is chosen is deleted: by age, too, and by number.
	Deletes   bool
	chosen    []fleet.ClusterName
	selector  string
	all       bool
	olderThan Age
	parallel  int
	// Expect is how many are expected to be deleted.
	Expect Expectation
}

// Bind adds the flags to a command.
func (f *Flags) Bind(cmd *cobra.Command) {
	f.BindSelection(cmd)
	cmdutil.BindParallel(cmd.Flags(), &f.parallel)
	if f.Pools {
		cmd.Flags().Lookup("parallel").Usage = "how many node pools to work on at once; 0 means all"
	} else if cmd.Aliases == nil {
		cmd.Aliases = []string{"clusters"}
	}
}

// BindSelection adds the flags that choose, alone.
func (f *Flags) BindSelection(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.selector, "selector", "l", "", f.noun()+"s with these labels, such as "+
		"fleet=lab,team!=build, instead of names")
	with := "--selector"
	if f.Deletes {
		with += " or --older-than"
		BindAge(cmd, &f.olderThan, f.noun()+"s", "; alone, or of those with --selector")
		f.Expect.Bind(cmd, f.noun())
	}
	cmd.Flags().BoolVarP(&f.all, "all-namespaces", "A", false, "with "+with+": in all namespaces")
}

// Selects reports whether labels or an age choose, instead of names.
func (f *Flags) Selects() bool { return f.selector != "" || f.olderThan > 0 }

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
	or := ", or"
	if f.Deletes {
		or = ","
	}
	switch {
	case len(names) == 0 && !f.Selects():
		return fmt.Errorf("which %s? %s takes names%s %s", f.noun(), cmd.CommandPath(), or, f.ways())
	case len(names) > 0 && f.olderThan > 0:
		return errors.New("names and --older-than: give only one of them")
	case len(names) > 0 && f.Selects():
		return errors.New("names and --selector: give only one of them")
	}
	return errors.Join(f.Check(), cmdutil.CheckParallel(f.parallel))
}

// Check refuses flags that are of no use without a selection, and a selector that cannot be parsed.
func (f *Flags) Check() error {
	if f.all && !f.Selects() {
		return errors.New("--all-namespaces: it needs " + f.ways())
	}
	if err := f.Expect.Check(f.Selects()); err != nil {
		return err
	}
	_, err := cmdutil.Selector(f.selector)
	return err
}

// ways are the flags that choose.
func (f *Flags) ways() string {
	if f.Deletes {
		return "--selector or --older-than"
	}
	return "--selector"
}

// One reports whether the command line is about one hosted cluster that it names.
func (f *Flags) One(names []string) bool { return !f.Selects() && len(names) == 1 }

// Parallel is how many hosted clusters to work on at once; 0 means all.
func (f *Flags) Parallel() int { return f.parallel }

// Selection is the selector of the command line, and whether it is about all namespaces.
func (f *Flags) Selection() (selector string, all bool) { return f.selector, f.all }

// OlderThan is the age that chooses; 0 for any.
func (f *Flags) OlderThan() time.Duration { return time.Duration(f.olderThan) }

// Words chooses the same hosted clusters on another command line.
func (f *Flags) Words(a *cmdutil.Factory, names []string) string {
	words := strings.Join(names, " ")
	if f.selector != "" {
		words = "-l " + sanitize.Word(f.selector)
	}
	if f.all {
		words += " -A"
	}
	return words + cmdutil.NamespaceFlag(a.Call)
}

// Chosen returns the hosted clusters of the command line, each once.
func (f *Flags) Chosen(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target,
	names []string) ([]fleet.ClusterName, error) {
	namespace := cmdutil.ClustersNamespace(a.Call)
	if !f.Selects() {
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

// choose returns what has the labels and the age, in the namespace or in all. It says so if there is none.
func (f *Flags) choose(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target) ([]fleet.ClusterName, error) {
	selected := fleet.Select
	if f.Pools {
		selected = fleet.SelectPools
	}
	selector, err := cmdutil.Selector(f.selector)
	if err != nil {
		return nil, err
	}
	namespace, where := cmdutil.ClustersNamespace(a.Call), "in namespace "+cmdutil.ClustersNamespace(a.Call)
	if f.all {
		namespace, where = "", "in any namespace"
	}
	chosen, err := selected(ctx, t.Client, fleet.Selection{Namespace: namespace, Labels: selector,
		OlderThan: time.Duration(f.olderThan)})
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(chosen))
	for _, one := range chosen {
		names = append(names, one.Namespace+"/"+one.Name)
	}
	if err := f.Expect.Compare(f.noun(), names); err != nil {
		return nil, err
	}
	if len(chosen) == 0 {
		cmdutil.Tell(a.Streams.Err, "No %s %s %s.\n", f.noun(), where, f.described())
	}
	return chosen, nil
}

// described says what is chosen, for a sentence about none.
func (f *Flags) described() string {
	var said []string
	if f.selector != "" {
		said = append(said, "has the labels "+f.selector)
	}
	if f.olderThan > 0 {
		said = append(said, "is older than "+f.olderThan.String())
	}
	return strings.Join(said, " and ")
}
