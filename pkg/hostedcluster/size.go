package hostedcluster

import (
	"fmt"
	"strconv"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/plural"
)

// Size is the requested number of nodes of a NodePool. Without autoscaling Min equals Max; with it the autoscaler
// chooses a number from Min to Max.
type Size struct {
	Min, Max int
	// Auto reports whether the pool has autoscaling. Min may equal Max even then.
	Auto bool
}

// SizeOf returns the size of a NodePool. An empty spec means zero nodes, as for HyperShift's operator.
func SizeOf(np *hyperv1.NodePool) Size {
	switch {
	case np.Spec.AutoScaling != nil:
		return Size{Min: int(np.Spec.AutoScaling.Min), Max: int(np.Spec.AutoScaling.Max), Auto: true}
	case np.Spec.Replicas != nil:
		return Size{Min: int(*np.Spec.Replicas), Max: int(*np.Spec.Replicas)}
	}
	return Size{}
}

// Contains reports whether n nodes match the size.
func (s Size) Contains(n int) bool { return s.Min <= n && n <= s.Max }

// String returns the size as text: "3", or "2 to 5" with autoscaling.
func (s Size) String() string {
	if s.Auto {
		return fmt.Sprintf("%d to %d", s.Min, s.Max)
	}
	return strconv.Itoa(s.Min)
}

// Nodes returns the size with its noun, such as "1 node" or "2 to 5 nodes".
func (s Size) Nodes() string {
	if s.Auto {
		return s.String() + " nodes"
	}
	return plural.Count(s.Min, "node")
}

// Spec returns the size as a merge patch of a NodePool's spec. replicas and autoScaling exclude each other.
func (s Size) Spec() map[string]any {
	if s.Auto {
		return map[string]any{"replicas": nil, "autoScaling": map[string]any{"min": s.Min, "max": s.Max}}
	}
	return map[string]any{"replicas": s.Min, "autoScaling": nil}
}

// Encode returns the size as an annotation value: "3", or "2-5" with autoscaling. ParseSize parses it.
func (s Size) Encode() string {
	if s.Auto {
		return fmt.Sprintf("%d-%d", s.Min, s.Max)
	}
	return strconv.Itoa(s.Min)
}

// ParseSize parses a value that Encode returned. It returns false for any other value.
func ParseSize(code string) (Size, bool) {
	minText, maxText, auto := strings.Cut(code, "-")
	if !auto {
		maxText = minText
	}
	low, err := strconv.ParseInt(minText, 10, 32)
	if err != nil || low < 0 {
		return Size{}, false
	}
	high, err := strconv.ParseInt(maxText, 10, 32)
	if err != nil || high < low || auto && low < 1 {
		return Size{}, false
	}
	return Size{Min: int(low), Max: int(high), Auto: auto}, true
}
