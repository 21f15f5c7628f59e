package step_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hcctl/hcctl/pkg/step"
)

// Why a write fails is told once, however often it is tried: that what called for it is still so is no news in between.
// Another finding is.
func TestWhyAWriteFailsIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin, tries := time.Now(), 0
		refused := errors.New("a webhook refuses")
		s := step.Step{ID: "a",
			Check: func(context.Context, step.Reads) step.Finding {
				switch d := time.Since(begin); {
				case tries > 40:
					return step.OK("there")
				case d > 10*time.Second && d < 20*time.Second:
					return step.Pending("its namespace is being deleted")
				}
				return step.Missing("none")
			},
			Apply: func(context.Context) (step.Change, error) {
				if tries++; tries <= 40 {
					return "", refused
				}
				return step.Created, nil
			}}
		var told []string
		r := graph(t, s).Run(t.Context(), step.Options{
			Observe: func(e step.Event) {
				if e.Phase == step.WaitingOn {
					told = append(told, e.Finding.Message)
				}
			},
			Transient: func(err error) bool { return errors.Is(err, refused) },
		})
		want := []string{"a webhook refuses", "its namespace is being deleted", "none", "a webhook refuses", "there"}
		if got := outcome(t, r, "a"); got.Outcome != step.OutcomeDone || !slices.Equal(told, want) {
			t.Errorf("%s, told %q, want %q", got.Outcome, told, want)
		}
	})
}
