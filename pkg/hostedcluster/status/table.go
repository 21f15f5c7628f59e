package status

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// maxColumns is the maximum number of the API server's columns that are shown.
const maxColumns = 32

// View selects the columns of a Table.
type View struct {
	// Namespace adds the namespace as the first column. Wide adds the columns of -o wide.
	Namespace, Wide bool
	// Labels adds the labels as the last column. Objects adds the objects themselves.
	Labels, Objects bool
	// Now returns the API server's time after its answer, for ages.
	Now func() time.Time
}

// Table has one row for each object, and in each row a cell for each heading.
type Table struct {
	Headings []string
	Rows     [][]string
	// Objects are the objects of the rows, if the View requests them.
	Objects []map[string]any
}

// LabelsHeading is the heading of the column of labels.
const LabelsHeading = "LABELS"

// Labels formats labels as kubectl does.
func Labels(of map[string]string) string {
	if len(of) == 0 {
		return "<none>"
	}
	return labels.Set(of).String()
}

// tablePage is a page of the API server's table, with the fields that hcctl's own columns need.
type tablePage = transport.TablePage[columnObject]

// Tabulate finds the objects as List does, and returns the API server's table of them, with the columns of the
// installed CRD. Wide adds hcctl's own wide columns.
//
// If an API server returns objects instead of a table, hcctl's own columns are used.
func Tabulate(ctx context.Context, c *kube.Client, q Query, v View) (*Table, error) {
	b := &tableBuilder{q: q, v: v}
	if len(q.Names) > 0 {
		return b.named(ctx, c)
	}
	var err error
	if v.Objects {
		err = kube.ListTable(ctx, c, q.Resource.Kind, b.object(), func(page *transport.TablePage[wholeObject]) error {
			return b.add(withoutWhole(page))
		}, q.listOptions()...)
	} else {
		err = kube.ListTable(ctx, c, q.Resource.Kind, b.object(), b.add, q.listOptions()...)
	}
	if err != nil {
		return nil, q.failed(err)
	}
	return &b.table, nil
}

// WithServerColumns returns the Resource with the columns of the installed CRD, in its order, as far as hcctl can
// compute them from an object: a watch returns objects, not tables. It requests one row.
func (q Query) WithServerColumns(ctx context.Context, c *kube.Client) (Resource, error) {
	var served []transport.TableColumn
	take := func(page *tablePage) error {
		served = page.Columns
		return nil
	}
	var err error
	if len(q.Names) > 0 {
		var page *tablePage
		key := client.ObjectKey{Namespace: q.Namespace, Name: q.Names[0]}
		if page, err = kube.GetTable[columnObject](ctx, c, q.Resource.Kind, key, kube.TableNoObject); err == nil {
			err = take(page)
		}
	} else {
		err = kube.ListTable(ctx, c, q.Resource.Kind, kube.TableNoObject, take, append(q.listOptions(), client.Limit(1))...)
	}
	if err != nil {
		return q.Resource, q.failed(err)
	}
	return q.Resource.inOrderOf(served), nil
}

// inOrderOf returns the Resource with the served columns, followed by its own wide ones.
func (r Resource) inOrderOf(served []transport.TableColumn) Resource {
	if len(served) == 0 {
		return r
	}
	var columns []column
	for _, s := range served {
		if i := slices.IndexFunc(r.columns, func(c column) bool { return c.heading == heading(s) }); i >= 0 {
			own := r.columns[i]
			own.wide = s.Priority > 0
			columns = append(columns, own)
		}
	}
	for _, own := range r.columns {
		if own.wide && !slices.ContainsFunc(columns, func(c column) bool { return c.heading == own.heading }) {
			columns = append(columns, own)
		}
	}
	r.columns = columns
	return r
}

// heading returns a column's name as kubectl prints it.
func heading(c transport.TableColumn) string { return sanitize.Value(strings.ToUpper(c.Name)) }

// tableBuilder builds one Table from pages.
type tableBuilder struct {
	q     Query
	v     View
	table Table
	// begun is set after the first page. isTable reports whether that was a table.
	begun, isTable bool
	// own are hcctl's wide columns that the API server's table lacks.
	own []column
}

// object returns how much of its object each row needs.
func (b *tableBuilder) object() kube.TableObject {
	switch {
	case b.v.Wide || b.v.Objects || b.q.Cluster != "" || b.q.OlderThan > 0 || b.q.Marked != nil ||
		len(b.q.Resource.added) > 0:
		return kube.TableWhole
	case b.v.Namespace || b.v.Labels:
		return kube.TableMetadata
	}
	return kube.TableNoObject
}

// add adds the rows of a page.
func (b *tableBuilder) add(page *tablePage) error {
	switch {
	case !b.begun:
		b.begin(page)
	case b.isTable != page.IsTable:
		return errors.New("the API server answered with a table and with objects")
	}
	if !page.IsTable {
		for _, item := range page.Items {
			u, err := item.unstructured()
			if err != nil {
				return err
			}
			if b.q.keeps(u) {
				b.append(b.q.Resource.Cells(u, b.v.Namespace, b.v.Wide, b.v.Now()), item)
			}
		}
		return nil
	}
	places := b.places(page.Columns)
	for i := range page.Rows {
		row, err := b.row(places, &page.Rows[i])
		if err != nil {
			return err
		}
		if row != nil {
			b.append(row, cmp.Or(page.Rows[i].Object, &columnObject{}))
		}
	}
	return nil
}

// append adds a row, with the labels and object that the View requests.
func (b *tableBuilder) append(row []string, object *columnObject) {
	if b.v.Labels {
		row = append(row, Labels(object.Metadata.Labels))
	}
	b.table.Rows = append(b.table.Rows, row)
	if b.v.Objects {
		b.table.Objects = append(b.table.Objects, object.Whole)
	}
}

// begin sets the headings. Those of the first page apply to all pages.
func (b *tableBuilder) begin(page *tablePage) {
	b.begun, b.isTable = true, page.IsTable
	if b.v.Labels {
		defer func() { b.table.Headings = append(b.table.Headings, LabelsHeading) }()
	}
	if !page.IsTable {
		b.table.Headings = b.q.Resource.Headings(b.v.Namespace, b.v.Wide)
		return
	}
	if b.v.Namespace {
		b.table.Headings = append(b.table.Headings, "NAMESPACE")
	}
	for _, c := range page.Columns[:min(maxColumns, len(page.Columns))] {
		if b.v.Wide || c.Priority == 0 {
			b.table.Headings = append(b.table.Headings, heading(c))
		}
	}
	for _, own := range b.q.Resource.columns {
		if b.v.Wide && own.wide && !slices.Contains(b.table.Headings, own.heading) {
			b.own = append(b.own, own)
		}
	}
	b.own = append(b.own, b.q.Resource.added...)
	for _, own := range b.own {
		b.table.Headings = append(b.table.Headings, own.heading)
	}
}

// places returns the indexes of a page's cells below the headings, or -1 for a column that the page lacks. They may
// differ between pages if the CRD is replaced in between.
func (b *tableBuilder) places(columns []transport.TableColumn) []int {
	served := b.table.Headings[:len(b.table.Headings)-len(b.own)]
	if b.v.Labels {
		served = served[:len(served)-1]
	}
	if b.v.Namespace {
		served = served[1:]
	}
	var places []int
	taken := make([]bool, len(columns))
	for _, h := range served {
		place := -1
		for i := range columns {
			if !taken[i] && (b.v.Wide || columns[i].Priority == 0) && heading(columns[i]) == h {
				place, taken[i] = i, true
				break
			}
		}
		places = append(places, place)
	}
	return places
}

// row returns nil for an object that the query does not select.
func (b *tableBuilder) row(places []int, r *transport.TableRow[columnObject]) ([]string, error) {
	object := cmp.Or(r.Object, &columnObject{})
	var u *unstructured.Unstructured
	if b.object() == kube.TableWhole {
		var err error
		if u, err = object.unstructured(); err != nil {
			return nil, err
		}
		if !b.q.keeps(u) {
			return nil, nil
		}
	}
	row := make([]string, 0, len(b.table.Headings))
	if b.v.Namespace {
		row = append(row, object.Metadata.Namespace)
	}
	for _, i := range places {
		value := ""
		if i >= 0 && i < len(r.Cells) {
			value = cellText(string(r.Cells[i]))
		}
		row = append(row, value)
	}
	for _, own := range b.own {
		row = append(row, own.cell(u, b.v.Now()))
	}
	return row, nil
}

// cellText is a cell on one line and of limited length. Elapsed times are removed, as in hcctl's own columns.
func cellText(s string) string {
	if len(s) > sanitize.MaxValue {
		s = sanitize.Value(s)
	}
	if strings.ContainsAny(s, "\r\n") || strings.Contains(s, " since creation") {
		return conditions.OneLine(s)
	}
	return s
}

// named reads the objects of the query's names concurrently. The error lists those that do not exist.
func (b *tableBuilder) named(ctx context.Context, c *kube.Client) (*Table, error) {
	q := b.q
	pages, failures := make([]*tablePage, len(q.Names)), make([]error, len(q.Names))
	var wg sync.WaitGroup
	for i, name := range q.Names {
		wg.Go(func() {
			key := client.ObjectKey{Namespace: q.Namespace, Name: name}
			if !b.v.Objects {
				pages[i], failures[i] = kube.GetTable[columnObject](ctx, c, q.Resource.Kind, key, b.object())
				return
			}
			page, err := kube.GetTable[wholeObject](ctx, c, q.Resource.Kind, key, b.object())
			if failures[i] = err; err == nil {
				pages[i] = withoutWhole(page)
			}
		})
	}
	wg.Wait()
	var absent []string
	for i, err := range failures {
		before := len(b.table.Rows)
		if err == nil {
			if err := b.add(pages[i]); err != nil {
				return nil, q.failed(err)
			}
		}
		switch {
		case err == nil && len(b.table.Rows) > before:
		case err == nil || apierrors.IsNotFound(err) && !kube.IsKindMissing(err):
			absent = append(absent, q.Names[i])
		default:
			return nil, q.failed(err)
		}
	}
	return &b.table, q.absent(ctx, c, absent)
}
