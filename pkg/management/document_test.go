package management_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/hcctl/hcctl/pkg/management"
	"github.com/hcctl/hcctl/pkg/step"
)

// The words of a plan are a contract with scripts.
func TestFindingsHaveVerdicts(t *testing.T) {
	for want, findings := range map[string]management.Findings{
		"null": nil,
		"[]":   {},
		`[{"verdict":"clear","object":"A","message":"fine"},` +
			`{"verdict":"unknown","object":"B","message":"not read: no answer"},` +
			`{"verdict":"blocked","object":"C","message":"no 1","hint":"wait"},{"verdict":"unknown","object":"","message":""}]`: {
			step.OK("fine").On("A"), management.Unread("B", errors.New("no answer")),
			step.Failing("no %d", 1).On("C").WithHint("wait"), {},
		},
	} {
		got, err := json.Marshal(findings)
		if err != nil || string(got) != want {
			t.Errorf("got %s (%v), want %s", got, err, want)
		}
	}
}
