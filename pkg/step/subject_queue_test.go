package step

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"
)

// subjects are n subjects of two steps each, the second needing the first. Each first step calls begun and waits until
// it returns.
func subjects(t *testing.T, n int, begun func(ctx context.Context, subject string) Finding) *Graph {
	t.Helper()
	var steps []Step
	for i := range n {
		subject := fmt.Sprintf("s%d", i)
		first := ID(subject + "/first")
		steps = append(steps,
			Step{ID: first, Subject: subject, Check: func(ctx context.Context, _ Reads) Finding { return begun(ctx, subject) }},
			Step{ID: ID(subject + "/second"), Subject: subject, Needs: []ID{first}, Check: func(context.Context, Reads) Finding {
				return OK("")
			}})
	}
	g, err := New(steps...)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestSubjectsTakeTurnsInTheirOrder(t *testing.T) {
	var mu sync.Mutex
	under, most := 0, 0
	var order []string
	both := make(chan struct{}) // closed once two are under way, which they must be for any to end
	g := subjects(t, 7, func(_ context.Context, subject string) Finding {
		mu.Lock()
		under++
		most = max(most, under)
		order = append(order, subject)
		if under == 2 && len(order) == 2 {
			close(both)
		}
		mu.Unlock()
		<-both
		mu.Lock()
		under--
		mu.Unlock()
		return OK("")
	})
	r := g.Run(t.Context(), Options{Subjects: 2})
	if r.Err() != nil || most != 2 {
		t.Errorf("%v, %d under way at once, want 2", r.Err(), most)
	}
	if slices.Sort(order[:2]); !slices.Equal(order[:2], []string{"s0", "s1"}) {
		t.Errorf("%v began first", order[:2])
	}
}

func TestASubjectThatFailsGivesItsTurnAndOthersGoOn(t *testing.T) {
	g := subjects(t, 4, func(_ context.Context, subject string) Finding {
		if subject == "s1" {
			return Broken("no")
		}
		return OK("")
	})
	r := g.Run(t.Context(), Options{Subjects: 1})
	for _, res := range r.Results {
		want := OutcomeDone
		switch res.Step.ID {
		case "s1/first":
			want = OutcomeBroken
		case "s1/second":
			want = OutcomeBlocked
		}
		if res.Outcome != want {
			t.Errorf("%s: %s, want %s", res.Step.ID, res.Outcome, want)
		}
	}
}

func TestEachSubjectHasItsOwnTime(t *testing.T) {
	g := subjects(t, 3, func(_ context.Context, subject string) Finding {
		if subject == "s1" {
			return OK("")
		}
		return Pending("for ever")
	})
	r := g.Run(t.Context(), Options{Subjects: 1, SubjectTimeout: 20 * time.Millisecond, PollInterval: time.Millisecond})
	for id, want := range map[ID]Outcome{"s0/first": OutcomeTimedOut, "s1/second": OutcomeDone,
		"s2/first": OutcomeTimedOut} {
		if res, _ := r.Get(id); res.Outcome != want || res.Begun.IsZero() {
			t.Errorf("%s: %s, begun %v, want %s", id, res.Outcome, res.Begun, want)
		}
	}
}

func TestWhatWasNotBegunWhenTheRunEndedSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	asked := 0
	g := subjects(t, 3, func(context.Context, string) Finding {
		asked++
		cancel()
		return Pending("under way")
	})
	r := g.Run(ctx, Options{Subjects: 1, PollInterval: time.Millisecond})
	if res, _ := r.Get("s2/first"); asked != 1 || res.Outcome != OutcomeInterrupted || res.Finding.Message != "not begun" {
		t.Errorf("asked %d times; the last is %s: %s", asked, res.Outcome, res.Finding.Message)
	}
}
