package get

import (
	"context"
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/status"
)

// printList prints objects or their names, once.
func printList(a *cmdutil.Factory, g *getFlags, q status.Query, found []unstructured.Unstructured) error {
	switch g.output {
	case "json":
		return cmdutil.WriteJSON(a.Streams.Out, document(q, found))
	case "yaml":
		return cmdutil.WriteYAML(a.Streams.Out, document(q, found))
	case "name":
		for i := range found {
			if err := cmdutil.Say(a.Streams.Out, "%s\n", q.Resource.FullName(&found[i])); err != nil {
				return err
			}
		}
		return nil
	}
	return nil
}

// getTable prints a row for each object, once.
func getTable(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, g *getFlags, q status.Query) error {
	table, err := status.Tabulate(ctx, t.Client, q, status.View{Namespace: g.all, Wide: g.output == "wide", Now: g.now})
	if table == nil || len(table.Rows) == 0 {
		if err == nil {
			err = cmdutil.Say(a.Streams.Err, "%s\n", none(q))
		}
		return t.Clarify(ctx, err)
	}
	rows := append([][]string{table.Headings}, table.Rows...)
	if failed := (&cmdutil.Table{W: a.Streams.Out}).Write(rows...); failed != nil {
		return failed
	}
	return err
}

// document is the content of -o json and yaml: the object if one was asked for by name, else a list.
func document(q status.Query, found []unstructured.Unstructured) map[string]any {
	if len(q.Names) == 1 && len(found) == 1 {
		return found[0].Object
	}
	items := make([]any, 0, len(found))
	for i := range found {
		items = append(items, found[i].Object)
	}
	list := q.Resource.NewList()
	return map[string]any{"apiVersion": list.GetAPIVersion(), "kind": list.GetKind(), "metadata": map[string]any{},
		"items": items}
}

// followList prints changes until interrupted.
func followList(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, g *getFlags, q status.Query) error {
	g.now = t.Now
	if g.output == "" || g.output == "wide" {
		// The watch itself tells what is wrong with the API server.
		if r, err := q.WithServerColumns(ctx, t.Client); err == nil {
			q.Resource = r
		}
	}
	f := &follower{a: a, g: g, q: q, rows: cmdutil.Table{W: a.Streams.Out}, last: map[string]string{}}
	if g.events {
		f.rows.Widths = []int{len(status.Modified)}
	}
	err := status.Follow(ctx, t.Client, q, f.print, func(err error) {
		if err == nil {
			cmdutil.Tell(a.Streams.Err, "%s answers again.\n", t)
			return
		}
		cmdutil.Tell(a.Streams.Err, "Waiting for %s: %s\n", t, kube.Explain(err))
	})
	if ctx.Err() != nil {
		return &followEnded{ctx.Err()}
	}
	return err
}

// followEnded is the interrupt that ends --watch. It needs no message.
type followEnded struct{ error }

func (e *followEnded) Unwrap() error        { return e.error }
func (e *followEnded) Is(target error) bool { return target == cmdutil.ErrFindings }

// follower prints changes as they come.
type follower struct {
	a     *cmdutil.Factory
	g     *getFlags
	q     status.Query
	rows  cmdutil.Table
	begun bool
	// last is the last printed row of each object, by namespace and name.
	last map[string]string
}

func (f *follower) print(changes []status.Change) error {
	var rows [][]string
	for _, c := range changes {
		var err error
		switch f.g.output {
		case "json":
			err = sanitize.NewJSONEncoder(f.a.Streams.Out).Encode(f.document(c))
		case "yaml":
			err = cmdutil.Say(f.a.Streams.Out, "---\n")
			err = errors.Join(err, cmdutil.WriteYAML(f.a.Streams.Out, f.document(c)))
		case "name":
			err = cmdutil.Say(f.a.Streams.Out, "%s\n", f.q.Resource.FullName(c.Object))
		default:
			if row := f.row(c); row != nil {
				rows = append(rows, row)
			}
		}
		if err != nil {
			return err
		}
	}
	if len(rows) > 0 && !f.begun {
		f.begun = true
		headings := f.q.Resource.Headings(f.g.all, f.g.output == "wide")
		if f.g.events {
			headings = append([]string{"EVENT"}, headings...)
		}
		rows = append([][]string{headings}, rows...)
	}
	return f.rows.Write(rows...)
}

// document is a change in JSON and YAML: the object, or with --output-watch-events also the type of the change.
func (f *follower) document(c status.Change) map[string]any {
	if f.g.events {
		return map[string]any{"type": c.Type, "object": c.Object.Object}
	}
	return c.Object.Object
}

// row returns nil if the object's last printed row was the same.
func (f *follower) row(c status.Change) []string {
	wide, name := f.g.output == "wide", kube.Name(c.Object)
	// Compare at a fixed time, so that the age alone makes no new row.
	same := strings.Join(f.q.Resource.Cells(c.Object, f.g.all, wide, c.Object.GetCreationTimestamp().Time), "\t")
	switch {
	case c.Type == status.Deleted:
		delete(f.last, name)
	case f.last[name] == same:
		return nil
	default:
		f.last[name] = same
	}
	row := f.q.Resource.Cells(c.Object, f.g.all, wide, f.g.now())
	if c.Type == status.Deleted {
		for i, heading := range f.q.Resource.Headings(f.g.all, wide) {
			if heading == "MESSAGE" {
				row[i] = "deleted"
			}
		}
	}
	if f.g.events {
		row = append([]string{c.Type}, row...)
	}
	return row
}
