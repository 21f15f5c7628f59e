package placement

import (
	"encoding/json"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Written is the placement that a pool's patch defines.
type Written struct {
	// Rules are the required spreads. PoolSpread are all spreads of this pool alone.
	Rules      []Rule
	PoolSpread []Spread
	// Avoid are the namespaces whose VMs must not share a host with the pool's.
	Avoid []string
	// Affinity is the whole affinity; nil if there is none.
	Affinity    *corev1.Affinity
	Tolerations []corev1.Toleration
}

// Read parses the patch of a NodePool. It leaves out constraints that count other pods than HyperShift's worker VMs. It
// returns an error for an invalid patch.
func Read(patch string) (Written, error) {
	var ops []Operation
	if err := json.Unmarshal([]byte(patch), &ops); patch != "" && err != nil {
		return Written{}, fmt.Errorf("not a JSON patch: %w", err)
	}
	var w Written
	var constraints []corev1.TopologySpreadConstraint
	values := map[string]any{affinityPath: &w.Affinity, spreadPath: &constraints,
		"/spec/template/spec/tolerations": &w.Tolerations}
	for i, op := range ops {
		into, known := values[op.Path]
		if !known || op.Value == nil || op.Op != "add" && op.Op != "replace" {
			continue
		}
		if err := json.Unmarshal(op.Value, into); err != nil {
			return Written{}, fmt.Errorf("operation %d (%s): %w", i+1, op.Path, err)
		}
	}
	for i := range constraints {
		rule, is := ruleOf(&constraints[i])
		if is && rule.Required {
			w.Rules = append(w.Rules, rule)
		}
		if is && rule.Pool != "" && labelsOf(constraints[i].LabelSelector)[infraLabel] != "" {
			w.PoolSpread = append(w.PoolSpread, rule.Spread)
		}
	}
	if w.Affinity != nil && w.Affinity.PodAntiAffinity != nil {
		for _, term := range w.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
			if avoids(term) {
				w.Avoid = append(w.Avoid, term.Namespaces...)
			}
		}
	}
	slices.Sort(w.Avoid)
	w.Avoid = slices.Compact(w.Avoid)
	return w, nil
}

func avoids(term corev1.PodAffinityTerm) bool {
	return term.TopologyKey == corev1.LabelHostname && labelsOf(term.LabelSelector)[launcherLabel] == launcher
}

// Foreign returns the operations of a patch without those of --spread and --avoid and without the operator's own
// constraint. It returns the errors of Read.
func Foreign(patch string) ([]Operation, error) {
	if _, err := Read(patch); err != nil || patch == "" {
		return nil, err
	}
	var ops, rest []Operation
	if err := json.Unmarshal([]byte(patch), &ops); err != nil {
		return nil, err
	}
	for _, op := range ops {
		var value any
		left := true
		switch {
		case op.Value == nil:
		case op.Path == spreadPath:
			var all []corev1.TopologySpreadConstraint
			_ = json.Unmarshal(op.Value, &all) // Read has parsed it without error
			all = slices.DeleteFunc(all, func(c corev1.TopologySpreadConstraint) bool {
				of := labelsOf(c.LabelSelector)
				return of[poolLabel] != "" || of[infraLabel] != ""
			})
			value, left = all, len(all) > 0
		case op.Path == affinityPath:
			a := &corev1.Affinity{}
			_ = json.Unmarshal(op.Value, a) // Read has parsed it without error
			if anti := a.PodAntiAffinity; anti != nil {
				required := &anti.RequiredDuringSchedulingIgnoredDuringExecution
				*required = slices.DeleteFunc(*required, avoids)
				if len(*required)+len(anti.PreferredDuringSchedulingIgnoredDuringExecution) == 0 {
					a.PodAntiAffinity = nil
				}
			}
			value, left = a, *a != (corev1.Affinity{})
		}
		if !left {
			continue
		}
		if value != nil {
			data, err := json.Marshal(value)
			if err != nil {
				return nil, err
			}
			op.Value = data
		}
		rest = append(rest, op)
	}
	return rest, nil
}

// ruleOf converts a constraint on worker VMs into a rule.
func ruleOf(c *corev1.TopologySpreadConstraint) (Rule, bool) {
	of := labelsOf(c.LabelSelector)
	pool, byPool := of[poolLabel]
	_, byCluster := of[infraLabel]
	if !byPool && !byCluster {
		return Rule{}, false
	}
	rule := Rule{Spread: Spread{Label: c.TopologyKey, Required: c.WhenUnsatisfiable == corev1.DoNotSchedule}, Pool: pool,
		Skew: int(c.MaxSkew)}
	if c.MinDomains != nil && *c.MinDomains >= manyDomains {
		rule.Max = int(c.MaxSkew)
	}
	return rule, true
}

func labelsOf(s *metav1.LabelSelector) map[string]string {
	if s == nil {
		return nil
	}
	return s.MatchLabels
}
