package status

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Every column says the same of what Tabulate decodes as of the whole object, which is one that a sandbox has finished,
// with every field that a column is about.
func TestTablesSayWhatObjectsSay(t *testing.T) {
	for file, tc := range map[string]struct {
		r    Resource
		path string
		more map[string][]string
	}{
		"testdata/hostedcluster.json": {HostedClusters(), allPath,
			map[string][]string{"2026-12-01T00:00:00Z": {"spec", "pausedUntil"}}},
		"testdata/nodepool.json": {NodePools(), allPoolsPath,
			map[string][]string{"true": {"spec", "pausedUntil"}, "amd64": {"spec", "arch"}}},
	} {
		t.Run(file, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			whole := &unstructured.Unstructured{}
			if err := json.Unmarshal(data, &whole.Object); err != nil {
				t.Fatal(err)
			}
			for value, path := range tc.more {
				if err := unstructured.SetNestedField(whole.Object, value, path...); err != nil {
					t.Fatal(err)
				}
			}
			if tc.path == allPath {
				err = unstructured.SetNestedSlice(whole.Object, []any{map[string]any{"state": "Completed", "version": "4.20.9"}},
					"status", "controlPlaneVersion", "history")
			} else {
				err = unstructured.SetNestedMap(whole.Object, map[string]any{"min": int64(1), "max": int64(3)}, "spec",
					"autoScaling")
			}
			if err != nil {
				t.Fatal(err)
			}
			conditions, _, _ := unstructured.NestedSlice(whole.Object, "status", "conditions")
			for _, c := range conditions {
				c.(map[string]any)["message"] = "said"
			}
			if err := unstructured.SetNestedSlice(whole.Object, conditions, "status", "conditions"); err != nil {
				t.Fatal(err)
			}
			data, err = json.Marshal(whole)
			if err != nil {
				t.Fatal(err)
			}
			if err := whole.UnmarshalJSON(data); err != nil {
				t.Fatal(err)
			}
			now := time.Now()
			want := tc.r.Cells(whole, true, true, now)
			for i, cell := range want {
				if cell == "" {
					t.Errorf("column %s is empty, so that nothing is known about it", tc.r.Headings(true, true)[i])
				}
			}
			f := &fake{t: t, answers: map[string]any{tc.path: []any{whole.Object}}}
			table, err := Tabulate(t.Context(), f.client(), Query{Resource: tc.r},
				View{Namespace: true, Wide: true, Now: func() time.Time { return now }})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([][]string{want}, table.Rows); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The column of ManagedClusters is a wide one, before the age.
func TestManagedColumn(t *testing.T) {
	r := HostedClusters().WithManaged(Managed{"kv-00": "not joined"})
	u := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "kv-00"}}}
	headings, cells := r.Headings(false, true), r.Cells(u, false, true, time.Now())
	at := len(headings) - 2
	if headings[at] != "MANAGED" || cells[at] != "not joined" || headings[at+1] != "AGE" {
		t.Errorf("%q: %q", headings, cells)
	}
	if narrow := r.Headings(false, false); slices.Contains(narrow, "MANAGED") ||
		slices.Contains(HostedClusters().Headings(false, true), "MANAGED") {
		t.Error("the column is not only a wide one")
	}
}
