package status

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube"
)

// benchFleet and benchPage are how many clusters are listed, and on how many pages.
const benchFleet, benchPage = 1000, 500

// benchPages encodes the pages of a fleet, by continue token, once as objects and once per includeObject.
func benchPages(b *testing.B) map[string]map[string][]byte {
	b.Helper()
	data, err := os.ReadFile("testdata/hostedcluster.json")
	if err != nil {
		b.Fatal(err)
	}
	one := &unstructured.Unstructured{}
	if err := one.UnmarshalJSON(data); err != nil {
		b.Fatal(err)
	}
	pages := map[string]map[string][]byte{"": {}, "None": {}, "Metadata": {}}
	for from := 0; from < benchFleet; from += benchPage {
		meta, token := object{"resourceVersion": "1"}, ""
		if from > 0 {
			token = strconv.Itoa(from)
		}
		if from+benchPage < benchFleet {
			meta["continue"] = strconv.Itoa(from + benchPage)
		}
		var items, bare, named []any
		for i := range benchPage {
			o := one.DeepCopy()
			o.SetName(fmt.Sprintf("kv-%04d", from+i))
			o.SetNamespace("clusters")
			items = append(items, o.Object)
			var cells []any
			for _, cell := range HostedClusters().Cells(o, false, false, time.Now()) {
				cells = append(cells, cell)
			}
			bare = append(bare, object{"cells": cells, "object": nil})
			named = append(named, object{"cells": cells, "object": object{"kind": "PartialObjectMetadata",
				"apiVersion": "meta.k8s.io/v1", "metadata": o.Object["metadata"]}})
		}
		for form, answer := range map[string]object{
			"":         {"kind": "HostedClusterList", "items": items},
			"None":     {"kind": "Table", "columnDefinitions": older(), "rows": bare},
			"Metadata": {"kind": "Table", "columnDefinitions": older(), "rows": named},
		} {
			answer["metadata"] = meta
			if pages[form][token], err = json.Marshal(answer); err != nil {
				b.Fatal(err)
			}
		}
	}
	return pages
}

// BenchmarkList lists a thousand clusters from tables and from objects, as an API server sends them that makes none.
// As kubectl decodes is what kubectl get -A does with the same table: all of a page, and the metadata of each row.
func BenchmarkList(b *testing.B) {
	pages := benchPages(b)
	serve := func(b *testing.B, tables bool) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			form := ""
			if tables {
				form = r.URL.Query().Get("includeObject")
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(pages[form][r.URL.Query().Get("continue")])
		}))
		b.Cleanup(server.Close)
		return server.URL
	}
	list := func(tables, all bool) func(*testing.B) {
		return func(b *testing.B) {
			c, err := kube.New(&rest.Config{Host: serve(b, tables)})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				table, err := Tabulate(b.Context(), c, Query{Resource: HostedClusters()}, View{Namespace: all, Now: time.Now})
				if err != nil || len(table.Rows) != benchFleet || !slices.Contains(table.Rows[benchFleet-1], "kv-0999") {
					b.Fatalf("%v, %v", table, err)
				}
			}
		}
	}
	b.Run("objects", list(false, false))
	b.Run("table", list(true, false))
	b.Run("objects of all namespaces", list(false, true))
	b.Run("table of all namespaces", list(true, true))
	b.Run("table of all namespaces as kubectl decodes", func(b *testing.B) {
		url := serve(b, true)
		b.ReportAllocs()
		for b.Loop() {
			if rows := decodeAsKubectl(b, url); rows != benchFleet {
				b.Fatal(rows)
			}
		}
	})
}

// decodeAsKubectl counts the rows of all pages.
func decodeAsKubectl(b *testing.B, url string) (rows int) {
	b.Helper()
	for next := ""; ; {
		r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, url+"/?includeObject=Metadata&continue="+next, nil)
		if err != nil {
			b.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			b.Fatal(err)
		}
		data, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil {
			b.Fatal(err)
		}
		var table metav1.Table
		if err := json.Unmarshal(data, &table); err != nil {
			b.Fatal(err)
		}
		for i := range table.Rows {
			var u unstructured.Unstructured
			if err := u.UnmarshalJSON(table.Rows[i].Object.Raw); err != nil {
				b.Fatal(err)
			}
		}
		rows += len(table.Rows)
		if next = table.Continue; next == "" {
			return rows
		}
	}
}
