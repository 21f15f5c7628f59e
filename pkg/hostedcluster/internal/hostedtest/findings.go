package hostedtest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/step"
)

// Expect fails unless the text of a finding equals want.
func Expect(t *testing.T, got step.Finding, want string) {
	t.Helper()
	if diff := cmp.Diff(want, text(got)); diff != "" {
		t.Error(diff)
	}
}

// text returns the text of a finding.
func text(f step.Finding) string {
	if f.Object == "" {
		return f.State.String() + ": " + f.Message
	}
	return f.State.String() + ": " + f.Object + ": " + f.Message
}

// Message returns an error's text, or "" for nil.
func Message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
