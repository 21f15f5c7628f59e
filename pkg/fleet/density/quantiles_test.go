package density

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNearestRank(t *testing.T) {
	hundred := make([]int64, 100)
	for i := range hundred {
		hundred[i] = int64(i + 1)
	}
	for _, tt := range []struct {
		values []int64
		p      int
		want   int64
	}{
		{hundred, 50, 50}, {hundred, 90, 90}, {hundred, 99, 99}, {hundred, 100, 100}, {hundred, 0, 1},
		{hundred[:1], 50, 1}, {hundred[:1], 99, 1},
		// With two values the median is the lower one: a value that was measured, not one between.
		{hundred[:2], 50, 1}, {hundred[:2], 51, 2}, {hundred[:3], 50, 2}, {hundred[:10], 99, 10}, {hundred[:10], 90,
			9}, {hundred[:10], 91, 10},
	} {
		if got := nearestRank(tt.values, tt.p); got != tt.want {
			t.Errorf("p%d of %d values: %d, want %d", tt.p, len(tt.values), got, tt.want)
		}
	}
}

func TestSummedLeavesTheOrderOfWhatItGets(t *testing.T) {
	values := []int64{3, 1, 2, 10}
	want := Quantiles{Count: 4, P50: 2, P95: 10, P99: 10, Min: 1, Max: 10, Avg: 4, MetricName: quantilesMetric,
		JobName: jobName}
	if diff := cmp.Diff(want, quantilesOf(values)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int64{3, 1, 2, 10}, values); diff != "" {
		t.Errorf("the values were sorted in place (-want +got):\n%s", diff)
	}
}
