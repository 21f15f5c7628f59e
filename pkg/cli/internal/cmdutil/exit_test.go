package cmdutil

import (
	"bytes"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// TestACommonCauseIsOneError: steps that all end by what is none of theirs, such as a token that has expired, are one
// error; others are one each.
func TestACommonCauseIsOneError(t *testing.T) {
	failed := func(id step.ID, f step.Finding) step.Result {
		return step.Result{Step: &step.Step{ID: id}, Outcome: step.OutcomeFailed, Finding: f}
	}
	expired := kube.Unknown(apierrors.NewUnauthorized("x"))
	r := step.Report{Results: []step.Result{
		failed("pool-a/release", expired.On("NodePool clusters/a")),
		{Step: &step.Step{ID: "pool-a/machines"}, Outcome: step.OutcomeBlocked},
		failed("pool-b/release", expired.On("NodePool clusters/b")),
		failed("pool-c/release", step.Broken("its release does not exist")),
		failed("pool-d/release", step.Broken("its release does not exist")),
		failed("pool-e/release", expired.On("NodePool clusters/e")),
		{Step: &step.Step{ID: "pool-f/release"}, Outcome: step.OutcomeFailed, Finding: step.Missing("none"),
			Err: fmt.Errorf("NodePool clusters/f: %w", apierrors.NewUnauthorized("x"))},
	}}
	var errs bytes.Buffer
	a := NewFactory(Streams{Err: &errs}, nil)
	a.PrintError(r.Err())
	const want = `
Error: pool-a/release: NodePool clusters/a: the API server does not accept the credentials (they may have expired)
  the same at pool-b/release, pool-e/release, pool-f/release
  → log in again (oc login), or give another --context
Error: pool-c/release: its release does not exist
Error: pool-d/release: its release does not exist
Not started, because of these: 1 further step.
`
	if errs.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", errs.String(), want)
	}

	errs.Reset()
	a.PrintError(step.Report{Results: r.Results[6:]}.Err())
	const alone = `
Error: pool-f/release: the API server does not accept the credentials (they may have expired)
  → log in again (oc login), or give another --context
`
	if errs.String() != alone {
		t.Errorf("got:\n%s\nwant:\n%s", errs.String(), alone)
	}
}
