package density

import (
	"math"
	"slices"
)

// Quantiles summarise durations in seconds.
type Quantiles struct {
	// Name is that of the milestone or the part of a deletion.
	Name string `json:"name"`
	// Count is the number of clusters with a known duration.
	Count int `json:"count"`
	// P50 to P99 are percentiles by nearest rank, so each is a measured value.
	P50 float64 `json:"p50"`
	P90 float64 `json:"p90"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
	Min float64 `json:"min"`
	Max float64 `json:"max"`
	Avg float64 `json:"avg"`
}

// quantilesOf summarises values. Without values it returns zeros.
func quantilesOf(name string, values []float64) Quantiles {
	q := Quantiles{Name: name, Count: len(values)}
	if len(values) == 0 {
		return q
	}
	sorted := slices.Sorted(slices.Values(values))
	sum := 0.0
	for _, v := range sorted {
		sum += v
	}
	q.P50, q.P90, q.P95, q.P99 = nearestRank(sorted, 50), nearestRank(sorted, 90), nearestRank(sorted,
		95), nearestRank(sorted, 99)
	q.Min, q.Max, q.Avg = sorted[0], sorted[len(sorted)-1], rounded(sum/float64(len(sorted)))
	return q
}

// nearestRank returns the p-th percentile of sorted values, at least one: that at rank ceil(p/100 * n), counted from 1.
func nearestRank(sorted []float64, p int) float64 {
	rank := (p*len(sorted) + 99) / 100
	return sorted[max(rank, 1)-1]
}

// rounded rounds seconds to milliseconds.
func rounded(seconds float64) float64 { return math.Round(seconds*1000) / 1000 }
