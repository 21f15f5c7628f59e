package dump

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/pkg/kube"
)

var configMaps = kube.Kind{
	GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, Plural: "configmaps", Namespaced: true,
}

// listForm is a list of one object, with its continue token.
const listForm = `{"kind":"List","apiVersion":"v1","metadata":{"continue":%q},"items":[` +
	`{"metadata":{"name":%q},"data":{"text":%q}}]}`

const oddText = "x\n\n  y: |\n z\n"

// Objects are written as they come, page by page, and make one list.
func TestObjectsArePagedIntoOneList(t *testing.T) {
	d, dir := dumpInto(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		name, next := "a", "on"
		if r.URL.Query().Get("continue") != "" {
			name, next = "b", ""
		}
		_, _ = fmt.Fprintf(w, listForm, next, name, oddText)
	})
	if n := d.gatherKind(t.Context(), d.managementSource(), configMaps, query{namespace: "ns"}); n != 2 || len(d.gaps) > 0 {
		t.Fatalf("%d objects, %v", n, d.gaps)
	}
	data, err := os.ReadFile(filepath.Join(dir, "namespaces/ns/core/configmaps.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var got, want map[string]any
	if err := yaml.UnmarshalStrict(data, &got); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	object := func(name string) any {
		return map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{"name": name}, "data": map[string]any{"text": oddText},
		}
	}
	want = map[string]any{"apiVersion": "v1", "kind": "List", "items": []any{object("a"), object("b")}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s\n%s", diff, data)
	}
}

// What the management cluster sends without an end is a gap, and what came before is kept.
func TestAListWithoutAnEndIsAGap(t *testing.T) {
	pages := 0
	d, dir := dumpInto(t, func(w http.ResponseWriter, _ *http.Request) {
		pages++
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, listForm, "on", fmt.Sprintf("c%d", pages), "")
	})
	d.gatherKind(t.Context(), d.managementSource(), configMaps, query{namespace: "ns"})
	if len(d.gaps) != 1 || !strings.Contains(d.gaps[0].Why, "the same continue token twice for a list of configmaps") {
		t.Errorf("gaps: %v", d.gaps)
	}
	data, err := os.ReadFile(filepath.Join(dir, "namespaces/ns/core/configmaps.yaml"))
	if err != nil || !strings.Contains(string(data), "name: c2") {
		t.Errorf("%s %v", data, err)
	}
}

// No file is larger than it may be, nor is what comes from the hosted cluster, nor the whole.
func TestFilesAreBounded(t *testing.T) {
	for name, tt := range map[string]struct {
		file        string
		guest, have int64
		want        string
	}{
		"a file":         {"a.yaml", 0, 0, "left out: its file has 256 MiB"},
		"a guest's file": {guestBase + "a.yaml", 0, 0, "left out: its file has 32 MiB"},
		"the hosted cluster": {
			guestBase + "a.yaml", guestBytes - 100, 0, "left out: what the hosted cluster says of itself has 128 MiB",
		},
		"the dump": {"a.yaml", 0, allBytes - 100, "left out: the dump has 2048 MiB"},
	} {
		for _, archive := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, archive %v", name, archive), func(t *testing.T) {
				target := filepath.Join(t.TempDir(), "dump")
				begin := NewDirectory
				if archive {
					begin = NewSpool
				}
				f, err := begin(target)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = f.Close(true) }()
				f.guest.used, f.bytes = tt.guest, tt.have
				out, err := f.create(tt.file)
				if err != nil {
					t.Fatal(err)
				}
				out.size.used = max(0, out.size.limit-100)
				if tt.guest+tt.have > 0 {
					out.size.used = 0
				}
				if err := out.write([]byte(strings.Repeat("x", 100))); err != nil {
					t.Errorf("what there is room for: %v", err)
				}
				var full *FullError
				err = out.write([]byte("x"))
				if !errors.As(err, &full) || err.Error() != tt.want+", which is the most it may have" {
					t.Errorf("got %v", err)
				}
				if err := out.close(); err != nil || f.files != 1 || f.bytes != tt.have+100 {
					t.Errorf("%v, %d files, %d bytes", err, f.files, f.bytes)
				}
			})
		}
	}
}

// Files that are written by turns are each whole in the archive.
func TestSpooledByTurns(t *testing.T) {
	target := filepath.Join(t.TempDir(), "a.tar.gz")
	f, err := NewSpool(target)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close(true) }()
	files := map[string]string{}
	var outs []*output
	for _, name := range []string{"a", "b"} {
		out, err := f.create(name)
		if err != nil {
			t.Fatal(err)
		}
		outs = append(outs, out)
	}
	for i := range 10 {
		for _, out := range outs {
			text := fmt.Sprintf("%s%d ", out.name, i)
			files[out.name] += text
			if err := out.write([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.Archive(target, "top", time.Now()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"top/a": files["a"], "top/b": files["b"]}, unpacked(t, target)); diff != "" {
		t.Error(diff)
	}
}

// The summaries hold what they show of objects, and no more than there is room for.
func TestSummariesAreBounded(t *testing.T) {
	d, _ := dumpInto(t, func(http.ResponseWriter, *http.Request) {})
	event := unstructured.Unstructured{Object: map[string]any{
		"kind": "Event", "message": strings.Repeat("x", 1<<20),
		"metadata": map[string]any{"name": "e", "annotations": map[string]any{"a": "b"}},
	}}
	for range 20 {
		d.keepForSummary(guestBase, "Event", []unstructured.Unstructured{event})
	}
	n, want := len(d.summaryObjects[guestBase+"Event"]), "some of hosted-cluster/Event in the summaries"
	if n != 15 || len(d.gaps) == 0 || d.gaps[0].What != want {
		t.Errorf("%d events are held, gaps %v", n, d.gaps)
	}
	if _, held, _ := unstructured.NestedMap(d.summaryObjects[guestBase+"Event"][0].Object, "metadata",
		"annotations"); held {
		t.Error("what is not shown is held")
	}
}

// Where Secrets are too large to be looked for, nothing that may have them is written.
func TestSecretsThatAreTooLarge(t *testing.T) {
	d, dir := dumpInto(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"kind":"SecretList","apiVersion":"v1","metadata":{},"items":[{"data":{"a":"`)
		chunk := strings.Repeat("YWFh", 1<<18)
		for range 20 {
			if _, err := io.WriteString(w, chunk); err != nil {
				return
			}
		}
		_, _ = io.WriteString(w, `"}}]}`)
	})
	steps := d.Steps()
	if _, err := steps[0].Apply(t.Context()); !errors.Is(err, errUnsafe) {
		t.Errorf("got %v", err)
	}
	for _, s := range steps[1:] {
		if len(s.Needs) != 1 || s.Needs[0] != steps[0].ID {
			t.Errorf("%s begins without", s.ID)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("written: %v, %v", left, err)
	}
}

// unpacked are the files of an archive.
func unpacked(t *testing.T, path string) map[string]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	zipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for archive := tar.NewReader(zipped); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		data, readErr := io.ReadAll(archive)
		if err := errors.Join(err, readErr); err != nil {
			t.Fatal(err)
		}
		out[header.Name] = string(data)
	}
}

// An event of events.k8s.io counts in its series, as the scheduler's do.
func TestEventsOfBothForms(t *testing.T) {
	d := &Dump{summarySize: map[string]int64{}, summaryObjects: map[string][]unstructured.Unstructured{}}
	event := func(name string, more map[string]any) unstructured.Unstructured {
		more["metadata"] = map[string]any{"name": name, "namespace": "ns"}
		more["involvedObject"] = map[string]any{"kind": "Pod", "name": name}
		return unstructured.Unstructured{Object: more}
	}
	d.keepForSummary(guestBase, "Event", []unstructured.Unstructured{
		event("b", map[string]any{"eventTime": "2026-11-20T09:00:00.000000Z", "reason": "FailedScheduling",
			"series": map[string]any{"count": int64(14), "lastObservedTime": "2026-11-20T10:00:00.000000Z"}}),
		event("a", map[string]any{"lastTimestamp": "2026-11-20T09:30:00Z", "count": int64(3), "reason": "BackOff"}),
	})
	var rows []string
	for _, row := range d.events(guestBase)[1:] {
		rows = append(rows, strings.Join(row[:6], " "))
	}
	if want := []string{"2026-11-20T09:30:00Z 3  BackOff ns Pod/a", "2026-11-20T10:00:00Z 14  FailedScheduling ns Pod/b"}; !slices.Equal(rows, want) {
		t.Errorf("got %q", rows)
	}
}
