package budget_test

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/hcctl/hcctl/internal/budget"
	"github.com/hcctl/hcctl/internal/golden"
)

const file = "budget.yaml"

var writing sync.Mutex

// hold judges a figure, or while updating writes it, with half its slack for the next change.
func hold(t *testing.T, f budget.Figure) {
	t.Helper()
	writing.Lock()
	defer writing.Unlock()
	if golden.Updating() {
		figure := math.Round(f.Now*(1+f.Slack/2)*10) / 10
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		line := regexp.MustCompile(`(?m)(^` + f.Kind + `:\n(?:  .*\n)*?  ` + regexp.QuoteMeta(f.Name) + `: ).*$`)
		if !line.Match(data) {
			t.Fatalf("%s has no line for %q under %s: add one", file, f.Name, f.Kind)
		}
		if err := os.WriteFile(file, line.ReplaceAll(data, fmt.Appendf(nil, "${1}%v", figure)), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	b, err := budget.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if wrong := b.Judge(f); wrong != "" {
		t.Error(wrong)
	}
}

func TestJudge(t *testing.T) {
	b := &budget.Budget{Requests: map[string]float64{"check": 50}, Program: map[string]float64{"megabytes": 40}}
	for name, tc := range map[string]struct {
		f    budget.Figure
		want string
	}{
		"met": {budget.Figure{Kind: "requests", Name: "check", Now: 50}, ""},
		"over": {budget.Figure{Kind: "requests", Name: "check", Now: 51, Look: "the log"},
			`requests of "check": over the budget: the budget is 50, now it is 51.` + "\n  To look: the log\n"},
		"under":          {budget.Figure{Kind: "requests", Name: "check", Now: 49}, "better than the budget"},
		"within slack":   {budget.Figure{Kind: "program", Name: "megabytes", Now: 39, Slack: 0.05}, ""},
		"far under":      {budget.Figure{Kind: "program", Name: "megabytes", Now: 37, Slack: 0.05}, "better than the budget"},
		"without budget": {budget.Figure{Kind: "requests", Name: "new", Now: 1}, "not in the budget"},
	} {
		t.Run(name, func(t *testing.T) {
			got := b.Judge(tc.f)
			if tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
