package get

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/printer"
	"github.com/hcctl/hcctl/pkg/hostedcluster/deletion"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/kube"
)

// printList prints objects or their names once.
func printList(a *cmdutil.Factory, g *getFlags, q status.Query, found []unstructured.Unstructured) error {
	if g.printer != nil {
		objects := make([]map[string]any, len(found))
		for i := range found {
			objects[i] = found[i].Object
		}
		return g.print(a, document(q, found), objects)
	}
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

// write writes a document with the printer of --output. The streams remove terminal control characters.
func (g *getFlags) write(a *cmdutil.Factory, document map[string]any) error {
	var text bytes.Buffer
	if err := g.printer.Print(&text, document); err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	return a.Streams.Document(text.Bytes())
}

// headed returns the rows below their headings, unless --no-headers is given.
func (g *getFlags) headed(headings []string, rows [][]string) [][]string {
	if g.noHeaders {
		return rows
	}
	return slices.Concat([][]string{headings}, rows)
}

// sorted returns the objects in the order of --sort-by.
func (g *getFlags) sorted(found []unstructured.Unstructured) ([]unstructured.Unstructured, error) {
	objects := make([]map[string]any, 0, len(found))
	for i := range found {
		objects = append(objects, found[i].Object)
	}
	return inOrder(g.order, objects, found)
}

// inOrder returns the elements of a slice in the order of their objects; unchanged if order is nil.
func inOrder[T any](order *printer.Order, objects []map[string]any, of []T) ([]T, error) {
	if order == nil {
		return of, nil
	}
	places, err := order.Sort(objects)
	if err != nil {
		return nil, fmt.Errorf("--sort-by: %w", err)
	}
	sorted := make([]T, 0, len(of))
	for _, i := range places {
		sorted = append(sorted, of[i])
	}
	return sorted, nil
}

// getTable prints a row for each object once.
func getTable(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, g *getFlags, q status.Query) error {
	if g.output == "wide" && q.Resource.Kind == status.HostedClusters().Kind {
		// The column is left out for a user who may not read ManagedClusters.
		if states, err := status.ReadManaged(ctx, t.Client); err == nil {
			q.Resource = q.Resource.WithManaged(states)
		}
	}
	if g.expiry {
		r, err := q.WithExpiry(ctx, t.Client)
		if err != nil {
			return t.Clarify(ctx, err)
		}
		q.Resource = r
	}
	table, err := status.Tabulate(ctx, t.Client, q, status.View{Namespace: g.all, Wide: g.output == "wide",
		Labels: g.labels, Objects: g.order != nil || len(q.Names) > 0, Now: g.now})
	if table == nil || len(table.Rows) == 0 {
		if err == nil {
			err = cmdutil.Say(a.Streams.Err, "%s\n", cmdutil.NoneFound(q))
		}
		return t.Clarify(ctx, err)
	}
	rows, failed := inOrder(g.order, table.Objects, table.Rows)
	if failed != nil {
		return failed
	}
	if failed := (&cmdutil.Table{W: a.Streams.Out}).Write(g.headed(table.Headings, rows)...); failed != nil {
		return failed
	}
	if len(q.Names) > 0 && q.Resource.Kind == status.HostedClusters().Kind {
		tellDeletions(ctx, a, t, table.Objects)
	}
	return err
}

// tellDeletions prints, for each hosted cluster that is being deleted, what the deletion waits for, as status
// does.
func tellDeletions(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, clusters []map[string]any) {
	for _, object := range clusters {
		hc := &hyperv1.HostedCluster{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object, hc); err != nil ||
			hc.DeletionTimestamp == nil {
			continue
		}
		f := deletion.Blocker(ctx, t.Reader(nil), hc)
		cmdutil.Tell(a.Streams.Err, "Hosted cluster %s/%s is being deleted. It waits for %s: %s\n",
			hc.Namespace, hc.Name, f.Object,
			f.Message)
		if !f.Hint.IsZero() {
			cmdutil.Tell(a.Streams.Err, "  → %s\n", a.Call.Render(f.Hint))
		}
	}
}

// document returns the content of -o json and yaml: the object if it was requested by name, else a list.
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

// followList prints changes until it is interrupted.
func followList(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, g *getFlags, q status.Query) error {
	g.now = t.Now
	if g.table() {
		// The watch itself reports what is wrong with the API server.
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
		return cmdutil.EndWatch(ctx)
	}
	return err
}

// follower prints changes as they arrive.
type follower struct {
	a      *cmdutil.Factory
	g      *getFlags
	q      status.Query
	rows   cmdutil.Table
	headed bool
	// last holds the last printed row of each object, by namespace and name.
	last map[string]string
}

func (f *follower) print(changes []status.Change) error {
	var rows [][]string
	for _, c := range changes {
		var err error
		switch p := f.g.printer; {
		case p == nil:
		case p.Columns != nil:
			var cells []string
			if cells, err = p.Columns.Cells(f.document(c)); err != nil {
				return err
			}
			rows = append(rows, cells)
			continue
		default:
			if err = f.g.write(f.a, f.document(c)); err != nil {
				return err
			}
			continue
		}
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
	if len(rows) > 0 && !f.headed {
		f.headed = true
		rows = f.g.headed(f.headings(), rows)
	}
	return f.rows.Write(rows...)
}

func (f *follower) headings() []string {
	if p := f.g.printer; p != nil {
		return p.Columns.Headings
	}
	headings := f.q.Resource.Headings(f.g.all, f.g.output == "wide")
	if f.g.labels {
		headings = append(headings, status.LabelsHeading)
	}
	if f.g.events {
		headings = append([]string{"EVENT"}, headings...)
	}
	return headings
}

// document returns a change as JSON or YAML: the object, and with --output-watch-events also the type of the
// change.
func (f *follower) document(c status.Change) map[string]any {
	if f.g.events {
		return map[string]any{"type": c.Type, "object": c.Object.Object}
	}
	return c.Object.Object
}

// row returns the row of an object, or nil if its last printed row was the same.
func (f *follower) row(c status.Change) []string {
	wide, name := f.g.output == "wide", kube.Name(c.Object)
	// Compare at a fixed time, so that a new age alone does not make a new row.
	same := strings.Join(f.q.Resource.Cells(c.Object, f.g.all, wide, c.Object.GetCreationTimestamp().Time), "\t")
	if f.g.labels {
		same += "\t" + status.Labels(c.Object.GetLabels())
	}
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
	if f.g.labels {
		row = append(row, status.Labels(c.Object.GetLabels()))
	}
	if f.g.events {
		row = append([]string{c.Type}, row...)
	}
	return row
}
