package hostedcluster

import (
	"fmt"
	"strconv"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
)

// Size is how many nodes a NodePool asks for: as many as Least, which equals Most, or a number in between that the
// autoscaler chooses.
type Size struct {
	Least, Most int
	// Auto is whether the pool is scaled automatically. Least and Most may be equal even so.
	Auto bool
}

// SizeOf is what the NodePool asks for; one that says nothing asks for none, which is its operator's default.
func SizeOf(np *hyperv1.NodePool) Size {
	switch {
	case np.Spec.AutoScaling != nil:
		return Size{Least: int(np.Spec.AutoScaling.Min), Most: int(np.Spec.AutoScaling.Max), Auto: true}
	case np.Spec.Replicas != nil:
		return Size{Least: int(*np.Spec.Replicas), Most: int(*np.Spec.Replicas)}
	}
	return Size{}
}

// Holds tells whether n nodes are what is asked for.
func (s Size) Holds(n int) bool { return s.Least <= n && n <= s.Most }

// String is the size for a person: "3", or "2 to 5" where it is scaled automatically.
func (s Size) String() string {
	if s.Auto {
		return fmt.Sprintf("%d to %d", s.Least, s.Most)
	}
	return strconv.Itoa(s.Least)
}

// Spec are the fields of a NodePool's spec that say this size, as a merge patch: one of replicas and autoScaling
// excludes the other.
func (s Size) Spec() map[string]any {
	if s.Auto {
		return map[string]any{"replicas": nil, "autoScaling": map[string]any{"min": s.Least, "max": s.Most}}
	}
	return map[string]any{"replicas": s.Least, "autoScaling": nil}
}

// Code is the size as an annotation keeps it: "3", or "2-5" where it is scaled automatically. ParseSize reads it.
func (s Size) Code() string {
	if s.Auto {
		return fmt.Sprintf("%d-%d", s.Least, s.Most)
	}
	return strconv.Itoa(s.Least)
}

// ParseSize reads what Code wrote; false for anything else.
func ParseSize(code string) (Size, bool) {
	least, most, auto := strings.Cut(code, "-")
	if !auto {
		most = least
	}
	low, err := strconv.ParseInt(least, 10, 32)
	if err != nil || low < 0 {
		return Size{}, false
	}
	high, err := strconv.ParseInt(most, 10, 32)
	if err != nil || high < low || auto && low < 1 {
		return Size{}, false
	}
	return Size{Least: int(low), Most: int(high), Auto: auto}, true
}
