package report

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/step"
)

// fleet are n subjects with a step that writes and one that waits; of "c2" the second is broken.
func fleet(t *testing.T, n int) *step.Graph {
	t.Helper()
	var steps []step.Step
	for i := range n {
		subject := fmt.Sprintf("lab/c%d", i)
		written := false
		first := step.ID(fmt.Sprintf("c%d/write", i))
		steps = append(steps, step.Step{
			ID: first, Subject: subject, Title: "written",
			Check: func(context.Context, step.Reads) step.Finding {
				if written {
					return step.OK("there")
				}
				return step.Missing("absent")
			},
			Apply: func(context.Context) (step.Change, error) { written = true; return step.Created, nil },
		}, step.Step{
			ID: step.ID(fmt.Sprintf("c%d/work", i)), Subject: subject, Title: "works", Needs: []step.ID{first},
			Check: func(context.Context, step.Reads) step.Finding {
				if subject == "lab/c2" {
					return step.Broken("no\nimage").On("HostedCluster lab/c2").WithHint("hcctl delete cluster c2")
				}
				return step.OK("it works")
			},
		})
	}
	g, err := step.New(steps...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestSubjectTableHasThoseThatFailedLast(t *testing.T) {
	r := fleet(t, 4).Run(t.Context(), step.Options{Subjects: 2, PollInterval: time.Millisecond})
	var b bytes.Buffer
	if err := SubjectTable(&b, "cluster", r); err != nil {
		t.Fatal(err)
	}
	want := `
CLUSTER  RESULT TIME  WHAT BLOCKS
lab/c0   created          T
lab/c1   created          T
lab/c3   created          T
lab/c2   broken           T  works: HostedCluster lab/c2: no image
  → hcctl delete cluster c2

3 of 4 succeeded in T
`
	if got := regexp.MustCompile(` +[0-9.]+s`).ReplaceAllString(b.String(), " T"); regexp.MustCompile(` +T\b`).
		ReplaceAllString(want, " T") != strings.Replace(got, "           TIME", " TIME", 1) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestSubjectThatWasNotBegunSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	outcomes := Subjects(fleet(t, 2).Run(ctx, step.Options{Subjects: 1}))
	for _, end := range outcomes {
		if end.OK || end.Outcome != "not begun" || end.Elapsed != 0 {
			t.Errorf("%+v", end)
		}
	}
	if len(outcomes) != 2 {
		t.Errorf("%d subjects", len(outcomes))
	}
}

// TestAHundredSubjectsStayOnOneScreen draws a run on a screen of 20 lines and looks how many lines are ever drawn over.
func TestAHundredSubjectsStayOnOneScreen(t *testing.T) {
	const height = 20
	g := fleet(t, 100)
	var b bytes.Buffer
	p := NewSubjectProgress(&b, Screen{Redraw: true, Width: 100, Size: func() (int, int) { return 100, height }},
		"clusters", g)
	l := p.(*liveSubjects)
	g.Run(t.Context(), step.Options{PollInterval: time.Millisecond, Observe: func(e step.Event) {
		p.Observe(e)
		l.mu.Lock()
		l.draw()
		l.mu.Unlock()
	}})
	p.Close()
	up := regexp.MustCompile(`\x1b\[([0-9]+)A`).FindAllStringSubmatch(b.String(), -1)
	if len(up) == 0 {
		t.Fatal("nothing is drawn over")
	}
	for _, m := range up {
		var lines int
		if _, err := fmt.Sscan(m[1], &lines); err != nil || lines > height-2 {
			t.Fatalf("%s lines are drawn over on a screen of %d (%v)", m[1], height, err)
		}
	}
	for _, want := range []string{" 100 clusters: 0 done, ", "99 done, 1 failed", " ✓ lab/c0 ", " ✗ lab/c2 ",
		"broken     no image · works"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the display never has %q", want)
		}
	}
	if outcomes := strings.Count(b.String(), " ✓ "); outcomes != 99 {
		t.Errorf("%d ends told, want 99", outcomes)
	}
}
