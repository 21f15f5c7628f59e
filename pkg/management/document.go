package management

import (
	"encoding/json"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// Verdict is a state in the terms of a plan: clear, unknown, or blocked by a present problem. The values are a contract
// with scripts.
type Verdict step.State

// String returns the verdict's word.
func (v Verdict) String() string {
	switch step.State(v) {
	case step.StateOK:
		return "clear"
	case step.StateFailing:
		return "blocked"
	default:
		return "unknown"
	}
}

// MarshalText writes the verdict's word into JSON.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// Findings are the findings of a plan. In JSON they have verdicts instead of states.
type Findings []step.Finding

// MarshalJSON writes each finding with its verdict.
func (f Findings) MarshalJSON() ([]byte, error) {
	type document struct {
		Verdict Verdict `json:"verdict"`
		Object  string  `json:"object"`
		Message string  `json:"message"`
		Hint    string  `json:"hint,omitempty"`
	}
	var out []document
	if f != nil {
		out = make([]document, 0, len(f))
	}
	for i := range f {
		out = append(out, document{Verdict(f[i].State), f[i].Object, f[i].Message, f[i].Hint.String()})
	}
	return json.Marshal(out)
}

// Unread returns the finding about objects that could not be read.
func Unread(objects string, err error) step.Finding {
	return step.Unknown("not read: %s", kube.Explain(err)).On("%s", objects).WithHint("%s", kube.Remedy(err))
}
