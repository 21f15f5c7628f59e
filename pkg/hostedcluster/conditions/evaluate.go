package conditions

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// Evaluated is a reported condition with its meaning.
type Evaluated struct {
	kube.Condition
	// State is StateOK, StateBroken if waiting does not help, or the row's Bad.
	State step.State
	// Hint tells the user what to do; it may be empty.
	Hint hint.Text

	row *Row
}

// Describe returns the condition, with the row's note if it is not good.
func (e Evaluated) Describe() string {
	text := e.Condition.Describe()
	if e.row.Note != "" && !e.Good() {
		text += " (" + e.row.Note + ")"
	}
	return text
}

// Good reports whether the condition has the status of a healthy cluster.
func (e Evaluated) Good() bool { return e.State == step.StateOK }

// Evaluate compares the reported conditions with those of a healthy cluster, causes first. Without workers it omits
// conditions about them. It always omits unknown states: Unknown warnings, and outdated good conditions.
func (s Set) Evaluate(workers bool) []Evaluated {
	var out []Evaluated
	workers = workers && !s.userManagedNodes
	rows := table()
	for i := range rows {
		row := &rows[i]
		c := kube.FindCondition(s.List, row.Type)
		switch {
		case row.Kind != s.kind, row.Good == "", c.Status == "", row.Workers && !workers, c.Reason == noWorkers && !workers:
			continue
		}
		reason := row.reason(c)
		good := c.Status == string(row.Good) || reason.Good
		if good && c.Doubt != "" || row.Bad == step.StateWarning && c.Status == string(metav1.ConditionUnknown) {
			continue
		}
		e := Evaluated{Condition: c, State: row.Bad, row: row}
		switch {
		case c.False() && reason.Terminal:
			e.State = step.StateBroken
		case c.Status == string(metav1.ConditionFalse) && reason.Bad:
			e.State = step.StateFailing
		case good:
			e.State = step.StateOK
		}
		if !e.Good() {
			if e.Hint = s.Hint(c); e.Hint.IsZero() && e.State == step.StateFailing {
				e.Hint = hint.New("%s says what it means, and where to look", hint.Run("explain", row.Type))
			}
		}
		out = append(out, e)
	}
	return out
}

// Warnings returns the warnings for the end of a create: problems with which the cluster works.
func (s Set) Warnings() []string {
	var messages []string
	for _, e := range s.Evaluate(true) {
		if e.State != step.StateWarning || e.row.Late {
			continue
		}
		messages = append(messages, e.Describe())
	}
	return messages
}
