package step_test

import (
	"errors"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/step"
)

func TestLineIsOneSentence(t *testing.T) {
	s := &step.Step{ID: "ingress/wildcard"}
	for want, r := range map[string]step.Result{
		"ingress/wildcard: not done after 12s: IngressController a/b: 1 of 2 replicas updated": {Outcome: step.OutcomeTimedOut,
			Elapsed: 12 * time.Second,
			Finding: step.Pending("1 of 2\n  replicas updated\n").On("IngressController a/b")},
		"ingress/wildcard: forbidden": {Outcome: step.OutcomeFailed, Err: errors.New("forbidden"),
			Finding: step.Missing("x")},
		"ingress/wildcard: IngressController a/b: denied": {Outcome: step.OutcomeFailed,
			Err: errors.New("IngressController a/b: denied"), Finding: step.Missing("x").On("IngressController a/b")},
		"ingress/wildcard: waiting will not help: gone": {Outcome: step.OutcomeBroken, Finding: step.Broken("gone")},
		"ingress/wildcard: interrupted: pending":        {Outcome: step.OutcomeInterrupted, Finding: step.Pending("")},
	} {
		r.Step = s
		if got := r.Line(); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}
