package get

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/hubrun"
	"github.com/hcctl/hcctl/pkg/fleet/hub"
)

// getThroughHub lists the hosted clusters of a hub.
func getThroughHub(a *cmdutil.Factory, cmd *cobra.Command, g *getFlags, names []string) error {
	err := errors.Join(g.parse(a), hubrun.Without(cmd, true, []string{"output-watch-events"}))
	switch {
	case err != nil:
	case g.noHeaders && g.table():
		err = errors.New("--no-headers: with --hub it is about custom-columns")
	case g.watch && g.output != "" && g.output != "json":
		err = fmt.Errorf("--watch: with --hub it prints lines, or -o json a document on each, not -o %s", g.output)
	case g.olderThan > 0 && len(names) > 0:
		err = errors.New("--older-than: give either names or an age")
	case g.selector != "" && len(names) > 0:
		err = errors.New("--selector: give either names or a selector")
	}
	if err != nil {
		return cmdutil.Misuse(cmd, err)
	}
	l := hubrun.List{Choice: hubrun.Choice{Names: names, Selector: g.selector, All: g.all,
		OlderThan: time.Duration(g.olderThan)}, Output: g.output,
		Labels: g.labels}
	if g.order != nil {
		l.Order = func(objects []map[string]any, of []*hub.Cluster) ([]*hub.Cluster, error) {
			return inOrder(g.order, objects, of)
		}
	}
	if g.printer != nil {
		l.Format = func(document map[string]any, objects []map[string]any) error { return g.print(a, document, objects) }
	}
	if g.watch {
		return l.Watch(cmd.Context(), a)
	}
	_, err = l.Print(cmd.Context(), a)
	return err
}

// print prints a document, or its objects in columns, with the printer of --output.
func (g *getFlags) print(a *cmdutil.Factory, document map[string]any, objects []map[string]any) error {
	if g.printer.Columns == nil {
		return g.write(a, document)
	}
	var rows [][]string
	for _, object := range objects {
		cells, err := g.printer.Columns.Cells(object)
		if err != nil {
			return err
		}
		rows = append(rows, cells)
	}
	return (&cmdutil.Table{W: a.Streams.Out}).Write(g.headed(g.printer.Columns.Headings, rows)...)
}
