package follow

import "slices"

// Explanation is what is known of a condition, or of one reason of it.
type Explanation struct {
	// Kind is HostedCluster or NodePool.
	Kind string `json:"kind"`
	// Condition is its type. Reason is empty if this is about the condition whatever its reason.
	Condition string `json:"condition"`
	Reason    string `json:"reason,omitempty"`
	// Means is what the operator looked at when it wrote the condition.
	Means string `json:"means,omitempty"`
	// Look is where a person looks first if it does not have the good status: a command, or what to read.
	Look string `json:"look,omitempty"`
	// Good is the status of a cluster that is well, such as True; empty if it is not known.
	Good string `json:"good,omitempty"`
	// Weight says what another status means.
	Weight string `json:"meaning,omitempty"`
	// Terminal is whether waiting does not help.
	Terminal bool `json:"terminal"`
	// Hint says what a person can do; it may be empty. NAME stands for the cluster's name.
	Hint string `json:"hint,omitempty"`
}

// Explanations are all conditions and reasons that are known, causes first.
func Explanations() []Explanation {
	words := map[Weight]string{WeightFailure: "something is wrong", WeightProgress: "something is under way",
		WeightAdvice: "it works, and there is something to know"}
	var out []Explanation
	for _, e := range expectations() {
		out = append(out, Explanation{Kind: e.kind, Condition: e.condition, Good: string(e.good), Weight: words[e.weight],
			Hint: e.note})
	}
	for _, m := range meanings() {
		i := slices.IndexFunc(out, func(o Explanation) bool { return o.Kind == m.kind && o.Condition == m.condition })
		if i >= 0 {
			out[i].Means, out[i].Look = m.means, m.look
		}
	}
	for _, k := range knownConditions() {
		e := Explanation{Kind: k.kind, Condition: k.condition, Reason: k.reason, Terminal: k.terminal, Hint: k.hint}
		i := slices.IndexFunc(out, func(o Explanation) bool { return o.Kind == k.kind && o.Condition == k.condition })
		if i >= 0 {
			e.Good, e.Weight, e.Means, e.Look = out[i].Good, out[i].Weight, out[i].Means, out[i].Look
		}
		out = append(out, e)
	}
	return out
}
