package measuring

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Median returns the middle value, or the mean of the two in the middle; 0 without values.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return 0
	}
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// Number formats a value as short as its size allows.
func Number(v float64) string {
	switch {
	case v == float64(int64(v)):
		return fmt.Sprintf("%d", int64(v))
	case v >= 100 || v <= -100:
		return fmt.Sprintf("%.0f", v)
	case v >= 1 || v <= -1:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// Rewritten returns a document with a new part between two lines.
func Rewritten(text, begin, end, between string) (string, error) {
	before, rest, ok := strings.Cut(text, begin+"\n")
	_, after, closed := strings.Cut(rest, end+"\n")
	if !ok || !closed {
		return "", errors.New("it has no lines " + begin + " and " + end)
	}
	return before + begin + "\n" + between + end + "\n" + after, nil
}
