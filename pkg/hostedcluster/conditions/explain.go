package conditions

import (
	"fmt"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/step"
)

// Explanation is the meaning of a condition, or of one of its reasons.
type Explanation struct {
	// Kind is HostedCluster or NodePool.
	Kind string `json:"kind"`
	// Condition is its type. Reason is empty if the explanation is about the condition with any reason.
	Condition string `json:"condition"`
	Reason    string `json:"reason,omitempty"`
	// Means is what the condition says, or what the operator found if it sets the reason.
	Means string `json:"means,omitempty"`
	// Look is the first place to look if the status is not good: a command, or a text to read.
	Look string `json:"look,omitempty"`
	// Good is the status on a healthy cluster, such as True.
	Good string `json:"good,omitempty"`
	// Bad is the meaning of another status.
	Bad string `json:"meaning,omitempty"`
	// Terminal reports whether waiting does not help.
	Terminal bool `json:"terminal"`
	// Does is what hcctl does about it automatically.
	Does string `json:"does,omitempty"`
	// By is the operator that decides it. hcctl logs accepts that name.
	By string `json:"by,omitempty"`
	// Hint tells the user what to do; it may be empty. NAME stands for the cluster's name.
	Hint hint.Text `json:"hint,omitzero"`
}

// Explanations returns all conditions that are judged, causes first, and then the reasons that are not good.
func Explanations() []Explanation {
	words := map[step.State]string{step.StateFailing: "something is wrong", step.StatePending: "something is under way",
		step.StateWarning: "it works, and there is something to know"}
	var all, reasons []Explanation
	rows := table()
	for i := range rows {
		row := &rows[i]
		if row.Good == "" {
			continue
		}
		of := Explanation{Kind: row.Kind, Condition: row.Type, Means: row.Means, Look: row.Look, Good: string(row.Good),
			Bad: words[row.Bad], Does: row.reaction(), By: row.By, Hint: hint.Plain(row.Note)}
		all = append(all, of)
		for _, r := range row.Reasons {
			e := of
			e.Reason, e.Means, e.Hint, e.Terminal = r.Reason, r.Means, r.Hint, r.Terminal
			if r.Good {
				continue
			}
			if r.Terminal {
				e.Does = "Waiting does not help: commands that wait stop at once, with exit code 5. They delete nothing."
			}
			reasons = append(reasons, e)
		}
	}
	return append(all, reasons...)
}

// reaction returns what hcctl does while the condition does not have its good status.
func (r *Row) reaction() string {
	switch {
	case r.Bad == step.StateWarning && r.Late:
		return "The cluster works with it, and hcctl status warns."
	case r.Bad == step.StateWarning:
		return "The cluster works with it: hcctl status warns, and so does hcctl create cluster in the end."
	case r.Bad == step.StatePending:
		return fmt.Sprintf("Commands that wait go on, up to %s (exit code 4). hcctl status calls it progress, and a "+
			"failure after an hour.", hint.Flag("timeout"))
	}
	return fmt.Sprintf("It may pass: commands that wait go on, up to %s (exit code 4). hcctl status calls it a "+
		"failure; while the cluster is being created, only after an hour.", hint.Flag("timeout"))
}
