package status

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
)

// tables is an API server that prints: a table of the columns with a row for each object, two on a page.
type tables struct {
	t       testing.TB
	columns []any
	// objects are by path of their list; cells makes those of an object.
	objects map[string][]object
	cells   func(object) []any
	// page and gone are the size of a page, and whether a continue token has expired.
	page int
	gone bool
	// change may change each answer.
	change func(page int, answer object)

	mu       sync.Mutex
	requests []string
}

func (s *tables) client() *kube.Client {
	s.t.Helper()
	server := httptest.NewServer(s)
	s.t.Cleanup(server.Close)
	c, err := kube.New(&rest.Config{Host: server.URL})
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

func (s *tables) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	s.mu.Lock()
	s.requests = append(s.requests, r.URL.String())
	s.mu.Unlock()
	if accept := r.Header.Get("Accept"); !strings.HasPrefix(accept, "application/json;as=Table;v=v1;g=meta.k8s.io,") {
		s.t.Errorf("Accept: %s", accept)
	}
	found, isList := s.objects[r.URL.Path]
	meta := object{"resourceVersion": "7"}
	from := 0
	switch {
	case !isList:
		at := strings.LastIndex(r.URL.Path, "/")
		for _, o := range s.objects[r.URL.Path[:at]] {
			if o["metadata"].(object)["name"] == r.URL.Path[at+1:] {
				found = []object{o}
			}
		}
		if found == nil {
			reply(w, http.StatusNotFound, refusal(http.StatusNotFound))
			return
		}
	case query.Get("continue") != "" && s.gone:
		reply(w, http.StatusGone, refusal(http.StatusGone))
		return
	default:
		_, _ = fmt.Sscan(query.Get("continue"), &from)
		if rest := found[from:]; len(rest) > s.page {
			found, meta["continue"] = rest[:s.page], fmt.Sprint(from+s.page)
		} else {
			found = rest
		}
	}
	rows := []any{}
	for _, o := range found {
		row := object{"cells": s.cells(o)}
		switch query.Get("includeObject") {
		case "Metadata":
			row["object"] = object{"kind": "PartialObjectMetadata", "metadata": o["metadata"]}
		case "Object":
			row["object"] = o
		case "None":
			row["object"] = nil
		default:
			s.t.Errorf("includeObject: %s", r.URL)
		}
		rows = append(rows, row)
	}
	answer := object{"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": meta, "columnDefinitions": s.columns,
		"rows": rows}
	if s.change != nil {
		s.change(from/s.page, answer)
	}
	reply(w, http.StatusOK, answer)
}

// printed are column definitions, each as its name, with a * for one that is wide.
func printed(names ...string) []any {
	var out []any
	for _, name := range names {
		short, wide := strings.CutSuffix(name, "*")
		priority := 0
		if wide {
			priority = 1
		}
		out = append(out, object{"name": short, "type": "string", "format": "", "description": "", "priority": priority})
	}
	return out
}

// older and newer are the printer columns of HyperShift's CRD before and since it tells the control plane apart.
func older() []any {
	return printed("Name", "Version", "KubeConfig", "Progress", "Available", "Progressing", "Message")
}

func newer() []any {
	return printed("Name", "CP Version", "Version", "KubeConfig", "CP Progress*", "Available", "Progressing", "Message")
}

// numbered are cells that say which they are, after the name.
func numbered(columns []any) func(object) []any {
	return func(o object) []any {
		out := []any{o["metadata"].(object)["name"]}
		for i := range columns[1:] {
			out = append(out, fmt.Sprintf("c%d", i+1))
		}
		return out
	}
}

// joined is a table as lines.
func joined(table *Table) []string {
	if table == nil {
		return nil
	}
	out := []string{strings.Join(table.Headings, "|")}
	for _, row := range table.Rows {
		out = append(out, strings.Join(row, "|"))
	}
	return out
}

func threeClusters() map[string][]object {
	one, two, three := cluster("clusters", "one", "1", nil), cluster("clusters", "two", "1", nil), cluster("dev", "x", "1",
		nil)
	return map[string][]object{clustersPath: {one, two}, allPath: {one, two, three}}
}

func TestTablesHaveTheColumnsOfTheInstalledCRD(t *testing.T) {
	selector, err := labels.Parse("env=lab")
	if err != nil {
		t.Fatal(err)
	}
	hosted := Query{Resource: HostedClusters(), Namespace: "clusters"}
	all, selected, names := hosted, hosted, hosted
	all.Namespace, selected.Selector, names.Names = "", selector, []string{"two", "one"}
	pools := Query{Resource: NodePools(), Namespace: "clusters", Cluster: "kv-01"}
	for name, tc := range map[string]struct {
		columns    []any
		q          Query
		v          View
		want, asks []string
	}{
		"older": {older(), hosted, View{}, []string{"NAME|VERSION|KUBECONFIG|PROGRESS|AVAILABLE|PROGRESSING|MESSAGE",
			"one|c1|c2|c3|c4|c5|c6", "two|c1|c2|c3|c4|c5|c6"}, []string{"includeObject=None&limit=500"}},
		"newer": {newer(), hosted, View{}, []string{"NAME|CP VERSION|VERSION|KUBECONFIG|AVAILABLE|PROGRESSING|MESSAGE",
			"one|c1|c2|c3|c5|c6|c7", "two|c1|c2|c3|c5|c6|c7"}, []string{"includeObject=None&limit=500"}},
		"older, all namespaces": {older(), all, View{Namespace: true}, []string{
			"NAMESPACE|NAME|VERSION|KUBECONFIG|PROGRESS|AVAILABLE|PROGRESSING|MESSAGE",
			"clusters|one|c1|c2|c3|c4|c5|c6", "clusters|two|c1|c2|c3|c4|c5|c6", "dev|x|c1|c2|c3|c4|c5|c6"},
			[]string{"includeObject=Metadata&limit=500", "continue=2&includeObject=Metadata&limit=500"}},
		"older, wide": {older(), selected, View{Wide: true}, []string{
			"NAME|VERSION|KUBECONFIG|PROGRESS|AVAILABLE|PROGRESSING|MESSAGE|CP VERSION|CP PROGRESS|API|CONTROL PLANE|" +
				"PAUSED|OWNER|EXPIRES|RELEASE|AGE",
			"one|c1|c2|c3|c4|c5|c6||||HighlyAvailable||||registry.example/ocp:one|150m",
			"two|c1|c2|c3|c4|c5|c6||||HighlyAvailable||||registry.example/ocp:two|150m"},
			[]string{"includeObject=Object&labelSelector=env%3Dlab&limit=500"}},
		"newer, wide": {newer(), names, View{Wide: true}, []string{
			"NAME|CP VERSION|VERSION|KUBECONFIG|CP PROGRESS|AVAILABLE|PROGRESSING|MESSAGE|API|CONTROL PLANE|PAUSED|OWNER|EXPIRES|" +
				"RELEASE|AGE",
			"two|c1|c2|c3|c4|c5|c6|c7||HighlyAvailable||||registry.example/ocp:two|150m",
			"one|c1|c2|c3|c4|c5|c6|c7||HighlyAvailable||||registry.example/ocp:one|150m"}, nil},
		"pools of one cluster": {printed("Name", "Cluster"), pools, View{}, []string{"NAME|CLUSTER", "b|c1"},
			[]string{"includeObject=Object&limit=500"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &tables{t: t, columns: tc.columns, objects: threeClusters(), cells: numbered(tc.columns), page: 2}
			s.objects[poolsPath] = []object{nodePool("a", "kv-00", object{}, nil), nodePool("b", "kv-01", object{}, nil)}
			tc.v.Now = func() time.Time { return time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC) }
			table, err := Tabulate(t.Context(), s.client(), tc.q, tc.v)
			if diff := cmp.Diff(tc.want, joined(table)); diff != "" || err != nil {
				t.Errorf("%v, (-want +got):\n%s", err, diff)
			}
			var asked []string
			for _, r := range s.requests {
				_, query, _ := strings.Cut(r, "?")
				asked = append(asked, query)
			}
			if diff := cmp.Diff(tc.asks, asked); diff != "" && tc.asks != nil {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTablesOfNamesThatAreAbsent(t *testing.T) {
	s := &tables{t: t, columns: older(), objects: threeClusters(), cells: numbered(older()), page: 2}
	f := &fake{t: t, answers: map[string]any{allPath: []any{cluster("dev", "three", "1", nil)}, clustersPath: []any{}}}
	// The names that there are instead come from a list of objects.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == allPath {
			f.ServeHTTP(w, r)
			return
		}
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	c, err := kube.New(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	table, err := Tabulate(t.Context(), c, Query{Resource: HostedClusters(), Namespace: "clusters",
		Names: []string{"one", "none"}}, View{Now: time.Now})
	var absent *hostedcluster.NotFoundError
	if len(joined(table)) != 2 || !errors.As(err, &absent) || absent.Name != "none" {
		t.Errorf("%q, %v", joined(table), err)
	}
}

// A cell and a heading are from others: they stay in their line, and are bounded in size and number.
func TestHostileTables(t *testing.T) {
	many := make([]string, 100)
	for i := range many {
		many[i] = fmt.Sprintf("c%d", i)
	}
	for name, tc := range map[string]struct {
		columns []any
		cells   []any
		want    []string
		err     string
	}{
		"no text": {printed("Name", "A", "B", "C", "D", "E"),
			[]any{nil, json.Number("12345678901234567"), true, []any{"x"}, 1.5, object{"k": "v"}},
			[]string{"NAME|A|B|C|D|E", `|12345678901234567|true|["x"]|1.5|{"k":"v"}`}, ""},
		"escapes and lines": {printed("Name\x1b[2J", "B\nC"), []any{"a\u0000\"b\\", "first\nsecond 5m since creation"},
			[]string{`NAME\x1b[2J|B C`, "a\u0000\"b\\|first; second"}, ""},
		"fewer cells":            {printed("Name", "A", "B"), []any{"a"}, []string{"NAME|A|B", "a||"}, ""},
		"more cells":             {printed("Name"), []any{"a", "b", "c"}, []string{"NAME", "a"}, ""},
		"many columns":           {printed(many...), []any{"a"}, []string{strings.ToUpper(strings.Join(many[:32], "|")), "a" + strings.Repeat("|", 31)}, ""},
		"the same heading twice": {printed("Name", "A", "A"), []any{"a", "b", "c"}, []string{"NAME|A|A", "a|b|c"}, ""},
		"a large cell": {printed("Name"), []any{strings.Repeat("x", 100_000)},
			[]string{"NAME", strings.Repeat("x", sanitize.MaxValue) + "… (96000 more characters)"}, ""},
		"no columns": {[]any{}, []any{"a"}, nil, "list HostedClusters: a table of 1 rows without columns"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &tables{t: t, columns: tc.columns, cells: func(object) []any { return tc.cells }, page: 2,
				objects: map[string][]object{clustersPath: {cluster("clusters", "one", "1", nil)}}}
			for _, names := range [][]string{nil, {"one"}} {
				q := Query{Resource: HostedClusters(), Namespace: "clusters", Names: names}
				table, err := Tabulate(t.Context(), s.client(), q, View{Now: time.Now})
				if diff := cmp.Diff(tc.want, joined(table)); diff != "" || (err != nil || tc.err != "") &&
					(err == nil || err.Error() != tc.err) {
					t.Errorf("%v: %v (-want +got):\n%s", names, err, diff)
				}
			}
		})
	}
}

// What is asked for page by page may change between two of them.
func TestTablesThatChangeBetweenPages(t *testing.T) {
	q := Query{Resource: HostedClusters()}
	for name, tc := range map[string]struct {
		gone   bool
		change func(page int, answer object)
		want   []string
		err    string
	}{
		"an expired token": {gone: true, err: "list HostedClusters: too old resource version"},
		"a replaced CRD": {change: func(page int, answer object) {
			if page > 0 {
				answer["columnDefinitions"] = printed("Name", "Message", "Version")
				answer["rows"] = []any{object{"cells": []any{"x", "fine", "4.20.3"}}}
			}
		}, want: []string{"NAME|VERSION|KUBECONFIG|PROGRESS|AVAILABLE|PROGRESSING|MESSAGE", "one|c1|c2|c3|c4|c5|c6",
			"two|c1|c2|c3|c4|c5|c6", "x|4.20.3|||||fine"}},
		"objects all at once": {change: func(page int, answer object) {
			if page > 0 {
				answer["kind"], answer["items"] = "HostedClusterList", []any{}
			}
		}, err: "list HostedClusters: the API server answered with a table and with objects"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &tables{t: t, columns: older(), objects: threeClusters(), cells: numbered(older()), page: 2, gone: tc.gone,
				change: tc.change}
			table, err := Tabulate(t.Context(), s.client(), q, View{Now: time.Now})
			if diff := cmp.Diff(tc.want, joined(table)); diff != "" || (err != nil || tc.err != "") &&
				(err == nil || err.Error() != tc.err) {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// A watch has the headings of the table, and one request more.
func TestWatchesHaveTheColumnsOfTheInstalledCRD(t *testing.T) {
	for name, tc := range map[string]struct {
		columns []any
		want    string
	}{
		"older":                            {older(), "NAME|VERSION|KUBECONFIG|PROGRESS|AVAILABLE|PROGRESSING|MESSAGE"},
		"newer":                            {newer(), "NAME|CP VERSION|VERSION|KUBECONFIG|AVAILABLE|PROGRESSING|MESSAGE"},
		"what cannot be made of an object": {printed("Name", "Version", "Of tomorrow"), "NAME|VERSION"},
	} {
		for _, names := range [][]string{nil, {"one"}} {
			t.Run(name+strings.Join(names, ""), func(t *testing.T) {
				s := &tables{t: t, columns: tc.columns, objects: threeClusters(), cells: numbered(tc.columns), page: 1}
				q := Query{Resource: HostedClusters(), Namespace: "clusters", Names: names}
				r, err := q.WithServerColumns(t.Context(), s.client())
				if got := strings.Join(r.Headings(false, false), "|"); got != tc.want || err != nil || len(s.requests) != 1 {
					t.Errorf("%s after %q, %v", got, s.requests, err)
				}
				table, err := Tabulate(t.Context(), s.client(), q, View{Wide: true, Now: time.Now})
				if err != nil {
					t.Fatal(err)
				}
				want := strings.ReplaceAll(strings.Join(table.Headings, "|"), "|OF TOMORROW", "")
				if got := strings.Join(r.Headings(false, true), "|"); got != want {
					t.Errorf("wide: %s, want %s", got, want)
				}
			})
		}
	}
	f := &fake{t: t, answers: map[string]any{clustersPath: []any{cluster("clusters", "one", "1", nil)}}}
	r, err := Query{Resource: HostedClusters(), Namespace: "clusters"}.WithServerColumns(t.Context(), f.client())
	if diff := cmp.Diff(HostedClusters().Headings(false, true), r.Headings(false, true)); diff != "" || err != nil {
		t.Errorf("without tables: %v, %s", err, diff)
	}
}
