package finding

import (
	"fmt"
	"slices"

	"github.com/hcctl/hcctl/pkg/kube"
)

// Verdict says whether something is in the way of a plan. The values are a contract with scripts.
type Verdict string

// The verdicts, from the best to the gravest.
const (
	// Clear means it is not in the way.
	Clear Verdict = "clear"
	// Unknown means it could not be told, which is never Clear.
	Unknown Verdict = "unknown"
	// Blocked means it is in the way now.
	Blocked Verdict = "blocked"
)

func (v Verdict) rank() int {
	if i := slices.Index([]Verdict{Clear, Unknown, Blocked}, v); i >= 0 {
		return i
	}
	return Unknown.rank()
}

// Worse is the graver of the two.
func Worse(a, b Verdict) Verdict {
	if b.rank() > a.rank() {
		return b
	}
	return a
}

// Finding is what is said of one object, or of all of a kind.
type Finding struct {
	Verdict Verdict `json:"verdict"`
	// Object is the kind and the name, such as "MachineConfigPool worker", or a kind in the plural.
	Object string `json:"object"`
	// Message is one sentence, with what others say in their own words.
	Message string `json:"message"`
	// Hint is what to do.
	Hint string `json:"hint,omitempty"`
}

// IsClear is a Finding about something that is not in the way.
func IsClear(object, format string, args ...any) Finding {
	return Finding{Verdict: Clear, Object: object, Message: fmt.Sprintf(format, args...)}
}

// IsUnknown is a Finding about something that could not be told.
func IsUnknown(object, format string, args ...any) Finding {
	return Finding{Verdict: Unknown, Object: object, Message: fmt.Sprintf(format, args...)}
}

// IsBlocked is a Finding about something that is in the way.
func IsBlocked(object, format string, args ...any) Finding {
	return Finding{Verdict: Blocked, Object: object, Message: fmt.Sprintf(format, args...)}
}

// Unread is the Finding about objects whose read has failed.
func Unread(objects string, err error) Finding {
	return IsUnknown(objects, "not read: %s", kube.Explain(err)).WithHint(kube.Remedy(err))
}

// WithHint adds what to do.
func (f Finding) WithHint(hint string) Finding {
	f.Hint = hint
	return f
}

// WorstFirst sorts by verdict; findings of one verdict keep their order.
func WorstFirst(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int { return b.Verdict.rank() - a.Verdict.rank() })
}

// Overall is the gravest verdict; Clear if there is nothing.
func Overall(findings []Finding) Verdict {
	v := Clear
	for i := range findings {
		v = Worse(v, findings[i].Verdict)
	}
	return v
}

// Count returns how many findings have the verdict.
func Count(findings []Finding, v Verdict) int {
	n := 0
	for i := range findings {
		if findings[i].Verdict == v {
			n++
		}
	}
	return n
}
