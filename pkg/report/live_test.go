package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/step"
)

// screenOf plays what was written on a terminal that knows the sequences of the display, and returns its lines. Any
// other sequence, and a line of more columns than the terminal has, fails the test.
type screenOf struct {
	t      *testing.T
	width  int
	lines  []string
	cursor int
}

func (s *screenOf) Write(p []byte) (int, error) {
	s.t.Helper()
	text := string(p)
	for text != "" {
		var up int
		switch {
		case strings.HasPrefix(text, "\x1b[J"):
			s.lines, text = s.lines[:s.cursor], text[3:]
		case strings.HasPrefix(text, "\x1b[K"):
			text = text[3:]
		case strings.HasPrefix(text, "\r"):
			text = text[1:]
		case strings.HasPrefix(text, "\n"):
			s.cursor, text = s.cursor+1, text[1:]
		case strings.HasPrefix(text, "\x1b["):
			if _, err := fmt.Sscanf(text, "\x1b[%dA", &up); err != nil || up > s.cursor {
				s.t.Fatalf("unexpected sequence %q with %d lines above", text[:min(len(text), 8)], s.cursor)
			}
			s.cursor -= up
			text = text[strings.Index(text, "A")+1:]
		default:
			end := strings.IndexAny(text, "\x1b\r\n")
			if end < 0 {
				s.t.Fatalf("a line without an end: %q", text)
			}
			if n := cells(text[:end]); n >= s.width {
				s.t.Errorf("a row of %d columns on a terminal of %d: %q", n, s.width, text[:end])
			}
			for len(s.lines) <= s.cursor {
				s.lines = append(s.lines, "")
			}
			s.lines[s.cursor], text = text[:end], text[end:]
		}
	}
	return len(p), nil
}

// shown returns the screen without empty lines at its end.
func (s *screenOf) shown() string { return strings.Join(s.lines, "\n") }

// stalled are steps that wait for what keeps a hosted cluster from coming up.
func stalled() []step.Event {
	event := func(id string, f step.Finding) step.Event {
		return step.Event{Phase: step.WaitingOn, Step: &step.Step{ID: step.ID(id), Title: id}, Finding: f}
	}
	return []step.Event{
		event("cluster/endpoint", step.Pending("no address: no pool of MetalLB has a free address").
			On("Service clusters-kv-00/kube-apiserver")),
		event("cluster/wildcard", step.Pending("WildcardPolicy is not allowed").On("IngressController default")),
		event("kv-00/machines", step.Pending("Unschedulable: 0/3 nodes are available: 3 Insufficient memory").
			On("VirtualMachine clusters-highmemory/highmemory-7xk2p-abcde")),
		event("cluster/release", step.Pending("ImagePullBackOff: 镜像仓库 quay.example 无法访问").On("Pod clusters-kv-00/etcd-0")),
	}
}

// at returns a display whose stopwatches say 65 seconds.
func at(t *testing.T, columns int, p *screenOf) *live {
	t.Helper()
	begin := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	l := newManualLive(p, Screen{Redraw: true, Size: func() (int, int) { return p.width, 24 }})
	l.now = func() time.Time { return begin.Add(65*time.Second + 700*time.Millisecond) }
	p.width = columns
	for _, e := range stalled() {
		e.Time = begin
		l.Observe(e)
	}
	return l
}

// TestLiveRowsFit: no row wraps at any width, and the reason stands in every one.
func TestLiveRowsFit(t *testing.T) {
	for columns := 40; columns <= 200; columns++ {
		p := &screenOf{t: t, width: columns}
		l := at(t, columns, p)
		l.draw()
		for _, want := range []string{"no addr", "Wildcard", "Unsched", "ImagePul", " 1m05s "} {
			if !strings.Contains(p.shown(), want) {
				t.Errorf("%d columns without %q:\n%s", columns, want, p.shown())
			}
		}
	}
}

// TestLiveScreens holds what a user sees at three widths.
func TestLiveScreens(t *testing.T) {
	for columns, want := range map[int]string{
		40: ` … cluste…point  1m05s  no address: no…
 … cluste…dcard  1m05s  WildcardPolicy…
 … kv-00/…hines  1m05s  Unschedulable:…
 … cluste…lease  1m05s  ImagePullBackO…`,
		80: ` … cluster/endpoint  1m05s  no address: no pool of MetalLB has a free address
 … cluster/wildcard  1m05s  WildcardPolicy is not allowed · IngressCo…r default
 … kv-00/machines    1m05s  Unschedulable: 0/3 nodes are available: 3 Insuffic…
 … cluster/release   1m05s  ImagePullBackOff: 镜像仓库 quay.example 无法访问`,
		120: ` … cluster/endpoint  1m05s  no address: no pool of MetalLB has a free address · Service clusters-kv-00/kube-apiserver
 … cluster/wildcard  1m05s  WildcardPolicy is not allowed · IngressController default
 … kv-00/machines    1m05s  Unschedulable: 0/3 nodes are available: 3 Insufficient memory · VirtualMachin…y-7xk2p-abcde
 … cluster/release   1m05s  ImagePullBackOff: 镜像仓库 quay.example 无法访问 · Pod clusters-kv-00/etcd-0`,
	} {
		p := &screenOf{t: t, width: columns}
		at(t, columns, p).draw()
		if p.shown() != want {
			t.Errorf("%d columns:\n%s\nwant:\n%s", columns, p.shown(), want)
		}
	}
}

// TestLiveRewritesWhatChanged and nothing else, and nothing at all where nothing has.
func TestLiveRewritesWhatChanged(t *testing.T) {
	p := &screenOf{t: t}
	l := at(t, 80, p)
	l.draw()
	var out bytes.Buffer
	l.w = &out
	l.draw()
	if out.Len() != 0 {
		t.Errorf("nothing has changed, and %q is written", out.String())
	}
	l.running[2].rowText = rowText{reason: "Scheduled"}
	l.draw()
	if got := out.String(); !strings.HasPrefix(got, "\x1b[2A\r … kv-00/machines") || strings.Contains(got, "wildcard") ||
		strings.Contains(got, "release") {
		t.Errorf("written is %q", got)
	}
}

// TestLiveEndsWithFinishedLines: no row stays, what is unchanged is one line, and names are those of the summary.
func TestLiveEndsWithFinishedLines(t *testing.T) {
	p := &screenOf{t: t}
	l := at(t, 80, p)
	close(l.stopped)
	l.draw()
	done := func(id string, change step.Change, took time.Duration) {
		s := &step.Step{ID: step.ID(id), Title: "a title"}
		l.Observe(step.Event{Phase: step.Finished, Step: s, Result: &step.Result{Step: s, Outcome: step.OutcomeDone,
			Change: change, Finding: step.OK("fine"), Elapsed: took}})
	}
	for i := range 7 {
		done(fmt.Sprint("a/", i), step.Unchanged, time.Minute)
	}
	done("a/new", step.Created, time.Second)
	done("a/short", step.Created, shortStep-1)
	l.draw()
	if !slices.Contains(p.lines, " ✓ 7 unchanged, 1 created") || len(p.lines) != 1+1+4 {
		t.Errorf("while it runs:\n%s", p.shown())
	}
	l.Close()
	if want := " ✓ a/new                              1.0s  created    fine\n ✓ 7 unchanged, 1 created"; p.shown() != want {
		t.Errorf("at the end:\n%s\nwant:\n%s", p.shown(), want)
	}
}

// TestLiveOnANarrowerTerminal erases the lines into which the terminal has wrapped the rows.
func TestLiveOnANarrowerTerminal(t *testing.T) {
	p := &screenOf{t: t}
	l := at(t, 120, p)
	l.draw()
	wrapped := 0
	for _, row := range l.drawn {
		wrapped += (cells(row) + 49) / 50
	}
	p.lines, p.cursor, p.width = make([]string, wrapped), wrapped, 50
	l.draw()
	if len(p.lines) != 4 || p.cursor != 4 {
		t.Errorf("%d lines of %d wrapped ones stay:\n%s", len(p.lines)-4, wrapped, p.shown())
	}
}

// TestLiveDrawsNoMoreThanFits on the height of the terminal.
func TestLiveDrawsNoMoreThanFits(t *testing.T) {
	p := &screenOf{t: t}
	l := at(t, 60, p)
	l.size = func() (int, int) { return 60, 5 }
	l.draw()
	if len(p.lines) != 3 || p.lines[2] != "   and 2 more" {
		t.Errorf("of four steps in five lines:\n%s", p.shown())
	}
}

func TestCells(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abc": 3, "é": 1, "e\u0301": 1, "镜像": 4, "…·✓": 3, "ｱ": 1, "Ａ": 2, "한": 2,
		"😀": 2} {
		if got := cells(text); got != want {
			t.Errorf("%q takes %d columns, want %d", text, got, want)
		}
	}
	for text, want := range map[string]string{"abcdefghij": "ab…ij", "镜像仓库镜像": "镜…像", "abcde": "abcde"} {
		if got := cutMiddle(text, 5); got != want || cells(got) > 5 {
			t.Errorf("%q in five columns is %q, want %q", text, got, want)
		}
	}
}
