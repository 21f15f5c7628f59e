package dump

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestTail(t *testing.T) {
	broken := errors.New("connection lost")
	long := strings.Repeat("0123456789\n", 100_000)
	for name, tc := range map[string]struct {
		from  io.Reader
		limit int64
		want  string
		err   error
	}{
		"short":                  {strings.NewReader("a\nb\n"), 100, "a\nb\n", nil},
		"from the begin of line": {strings.NewReader("first\nsecond\nthird\n"), 10, "third\n", nil},
		"much longer":            {iotest.OneByteReader(strings.NewReader(long[:1100])), 25, "0123456789\n0123456789\n", nil},
		"longer than a buffer":   {strings.NewReader(long), 12, "0123456789\n", nil},
		"cut off": {io.MultiReader(strings.NewReader("a\nb\n"), iotest.ErrReader(broken)), 100, "a\nb\n",
			broken},
		"nothing": {strings.NewReader(""), 100, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tail(tc.from, tc.limit)
			if string(got) != tc.want || !errors.Is(err, tc.err) {
				t.Errorf("got %q, %v, want %q, %v", got, err, tc.want, tc.err)
			}
		})
	}
}

func TestLogsOf(t *testing.T) {
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	waiting := corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
	p := &corev1.Pod{}
	p.Namespace, p.Name = "ns", "p"
	p.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "init", State: ended}}
	p.Status.ContainerStatuses = []corev1.ContainerStatus{
		{Name: "never-ran", State: waiting}, {Name: "runs", State: running},
		{Name: "crashes", State: waiting, LastTerminationState: ended, RestartCount: 3},
	}
	want := []podLog{{namespace: "ns", pod: "p", container: "init"}, {namespace: "ns", pod: "p", container: "runs"},
		{namespace: "ns", pod: "p", container: "crashes"}, {namespace: "ns", pod: "p", container: "crashes", previous: true}}
	if diff := cmp.Diff(want, logsOf(p), cmp.AllowUnexported(podLog{})); diff != "" {
		t.Error(diff)
	}
}

// dumpInto is a Dump against an API server that answers as handler does.
func dumpInto(t *testing.T, handler http.HandlerFunc) (*Dump, string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c, err := kube.New(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "dump")
	directory, err := NewDirectory(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = directory.Close(false) })
	return &Dump{
		options: Options{Namespace: "clusters", Name: "kv-00", LogBytes: 1000}, client: c, directory: directory,
		requestSlots: make(chan struct{}, 2), largeSlots: make(chan struct{}, 2),
		summaryObjects: map[string][]unstructured.Unstructured{}, summarySize: map[string]int64{}, done: map[step.ID]bool{},
	}, dir
}

// A log is asked for as the kubelet knows it, and written without secrets; one that cannot be had is a gap.
// TestConsolesOf reads the consoles of VMs that are not ready before those of the others.
func TestConsolesOf(t *testing.T) {
	vm := func(name string, phase kubevirtv1.VirtualMachineInstancePhase, ready corev1.ConditionStatus,
	) kubevirtv1.VirtualMachineInstance {
		v := kubevirtv1.VirtualMachineInstance{}
		v.Namespace, v.Name, v.Status.Phase = "ns", name, phase
		v.Status.Conditions = []kubevirtv1.VirtualMachineInstanceCondition{{
			Type: kubevirtv1.VirtualMachineInstanceReady, Status: ready, Reason: "X"}}
		return v
	}
	launcher := corev1.Pod{}
	launcher.Labels = map[string]string{kubevirtv1.VirtualMachineInstanceIDLabel: "logged"}
	launcher.Spec.Containers = []corev1.Container{{Name: consoleLog}}
	var got []string
	for _, l := range consolesOf([]kubevirtv1.VirtualMachineInstance{
		vm("a-ready", kubevirtv1.Running, corev1.ConditionTrue), vm("b-not-ready", kubevirtv1.Running, corev1.ConditionFalse),
		vm("logged", kubevirtv1.Running, corev1.ConditionFalse), vm("scheduling", kubevirtv1.Scheduling, corev1.ConditionFalse),
	}, []corev1.Pod{launcher}, time.Now()) {
		got = append(got, l.pod)
	}
	if diff := cmp.Diff([]string{"b-not-ready", "a-ready"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestLog(t *testing.T) {
	d, dir := dumpInto(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/v1/namespaces/ns/pods/p/log" || r.URL.Query().Get("timestamps") != "true" ||
			r.URL.Query().Get("tailLines") == "" {
			t.Errorf("asked for %s", r.URL)
		}
		if r.URL.Query().Get("previous") == "true" {
			http.Error(w,
				`{"kind":"Status","status":"Failure","reason":"InternalError","message":"no such container","code":500}`,
				http.StatusInternalServerError)
			return
		}
		_, _ = fmt.Fprintf(w, "started as %s\nlogin --password %s\n", r.URL.Query().Get("container"), "hunter2Zq7")
	})
	l := podLog{namespace: "ns", pod: "p", container: "c"}
	previous := l
	previous.previous = true
	if n := d.writeLogs(t.Context(), d.largeSlots, []podLog{l, previous}, func(ctx context.Context, l podLog) error {
		return d.log(ctx, d.managementSource(), l)
	}); n != 1 {
		t.Error("the log is there, the previous one is not")
	}
	got, err := os.ReadFile(filepath.Join(dir, "namespaces/ns/logs/p/c.log"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "started as c\nlogin --password <redacted: 10 bytes>\n"; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(d.gaps) != 1 || d.gaps[0].What != "the previous log of container c of pod ns/p" ||
		!strings.Contains(d.gaps[0].Why, "no such container") {
		t.Errorf("gaps: %v", d.gaps)
	}
	if _, err := d.Finish(Index{}); err != nil {
		t.Fatal(err)
	}
	if notRead, err := os.ReadFile(filepath.Join(dir, "not-read.json")); err != nil ||
		!strings.Contains(string(notRead), "no such container") {
		t.Errorf("%s %v", notRead, err)
	}
}

// A server that never answers holds nothing for longer than the time there is.
func TestNeverHangs(t *testing.T) {
	released := make(chan struct{})
	d, _ := dumpInto(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-released:
		case <-r.Context().Done():
		}
	})
	defer close(released)
	graph, err := step.New(d.Steps()...)
	if err != nil {
		t.Fatal(err)
	}
	report := graph.Run(t.Context(), step.Options{Timeout: 200 * time.Millisecond})
	run, is := step.AsRunError(report.Err())
	if !is || run.Worst() != step.OutcomeTimedOut {
		t.Errorf("ended with %v", report.Err())
	}
	if result, err := d.Finish(Index{}); err != nil || len(result.Gaps) == 0 {
		t.Errorf("%v %v", result, err)
	}
}

func TestArchive(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "out", "a.tar.gz")
	at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	directory, err := NewSpool(target)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"z.txt", "a/b.txt", "dump.json"} {
		if err := directory.write(name, []byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := directory.Archive(target, "top", at); err != nil {
		t.Fatal(err)
	}
	if err := directory.Archive(target, "top", at); !errors.Is(err, os.ErrExist) {
		t.Errorf("an archive that exists: %v", err)
	}
	if _, err := NewSpool(target); !errors.Is(err, os.ErrExist) {
		t.Errorf("a directory for an archive that exists: %v", err)
	}
	if err := directory.Close(true); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Join(dir, "out")); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	info, err := os.Stat(target)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	data, err := os.ReadFile(target)
	if err != nil {
		t.Fatal(err)
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	archive := tar.NewReader(unzipped)
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, fmt.Sprintf("%s %o", h.Name, h.Mode))
	}
	if diff := cmp.Diff([]string{"top/a/b.txt 600", "top/dump.json 600", "top/z.txt 600"}, names); diff != "" {
		t.Error(diff)
	}
}
