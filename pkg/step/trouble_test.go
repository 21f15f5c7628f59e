package step_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hcctl/hcctl/pkg/step"
)

func TestTroubleThatStaysIsNotWaitedForToTheEnd(t *testing.T) {
	for name, tc := range map[string]struct {
		finding func(elapsed time.Duration) step.Finding
		want    step.Outcome
		after   time.Duration
	}{
		"stays": {func(time.Duration) step.Finding { return step.Pending("Degraded").WithTrouble() }, step.OutcomeBroken,
			10 * time.Minute},
		"changes after a while": {func(d time.Duration) step.Finding {
			if d < 5*time.Minute {
				return step.Pending("Degraded: 1 of 3").WithTrouble()
			}
			return step.Pending("Degraded: 2 of 3").WithTrouble()
		}, step.OutcomeBroken, 15 * time.Minute},
		"heals": {func(d time.Duration) step.Finding {
			if d < 9*time.Minute {
				return step.Pending("Degraded").WithTrouble()
			}
			return step.OK("")
		}, step.OutcomeDone, 9 * time.Minute},
		"works, with a warning": {func(time.Duration) step.Finding { return step.Finding{State: step.StateWarning} },
			step.OutcomeWarned, 0},
		"only slow": {func(time.Duration) step.Finding { return step.Pending("1 of 3") }, step.OutcomeTimedOut, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				check := func(context.Context, step.Reads) step.Finding { return tc.finding(time.Since(begin)) }
				g := graph(t, step.Step{ID: "a", Check: check})
				got := outcome(t, g.Run(t.Context(), step.Options{Timeout: time.Hour, TroubleTimeout: 10 * time.Minute}), "a")
				if got.Outcome != tc.want || (got.Elapsed-tc.after).Abs() > 2*time.Second {
					t.Errorf("%s after %s, want %s after %s", got.Outcome, got.Elapsed, tc.want, tc.after)
				}
				if tc.want == step.OutcomeBroken && !strings.HasSuffix(got.Finding.Message, "(unchanged for 10m0s)") {
					t.Errorf("told: %s", got.Finding.Message)
				}
			})
		})
	}
}
