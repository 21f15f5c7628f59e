package density

import (
	"math"
	"slices"
	"time"
)

// The documents follow kube-burner's local indexer (v1 and v2): one file for each metric and job, with a JSON
// array and times in milliseconds. Dashboards for podLatency can draw them.

const (
	jobName           = "density"
	latencyMetric     = "hostedClusterLatencyMeasurement"
	quantilesMetric   = "hostedClusterLatencyQuantilesMeasurement"
	jobSummary        = "jobSummary"
	burnerOperation   = "create"
	millisecondsInOne = 1000
)

// Quantiles is a row of kube-burner's quantiles measurement: durations in milliseconds. The percentiles are by nearest
// rank, so each is a measured value. Count and EtcdClass are hcctl's own.
type Quantiles struct {
	QuantileName string    `json:"quantileName"`
	UUID         string    `json:"uuid"`
	P99          int64     `json:"P99"`
	P95          int64     `json:"P95"`
	P50          int64     `json:"P50"`
	Min          int64     `json:"min"`
	Max          int64     `json:"max"`
	Avg          float64   `json:"avg"`
	Timestamp    time.Time `json:"timestamp"`
	MetricName   string    `json:"metricName"`
	JobName      string    `json:"jobName"`
	// Count is the number of clusters with a known duration.
	Count int `json:"count"`
	// EtcdClass is the StorageClass of etcd in the clusters that are counted; empty if all are.
	EtcdClass string `json:"etcdStorageClass,omitempty"`
}

// burnerSummary is the summary of the job.
type burnerSummary struct {
	Timestamp           time.Time  `json:"timestamp"`
	EndTimestamp        time.Time  `json:"endTimestamp"`
	CleanupTimestamp    *time.Time `json:"cleanupTimestamp,omitempty"`
	CleanupEndTimestamp *time.Time `json:"cleanupEndTimestamp,omitempty"`
	ElapsedTime         float64    `json:"elapsedTime"`
	UUID                string     `json:"uuid"`
	MetricName          string     `json:"metricName"`
	Passed              bool       `json:"passed"`
	ExecutionErrors     string     `json:"executionErrors,omitempty"`
	JobConfig           burnerJob  `json:"jobConfig"`
	OCPVersion          string     `json:"ocpVersion,omitempty"`
	K8SVersion          string     `json:"k8sVersion,omitempty"`
}

// burnerJob has the job settings that a density run knows.
type burnerJob struct {
	Name          string `json:"name"`
	JobType       string `json:"jobType"`
	JobIterations int    `json:"jobIterations"`
	Namespace     string `json:"namespace"`
	Cleanup       bool   `json:"cleanup"`
}

// burnerFiles returns the documents of a run by file name.
func burnerFiles(r *Record) map[string]any {
	return map[string]any{
		latencyMetric + "-" + jobName + ".json":   burnerLatencies(r),
		quantilesMetric + "-" + jobName + ".json": r.Quantiles,
		jobSummary + ".json":                      []burnerSummary{burnerJobSummary(r)},
	}
}

// burnerLatencies returns one document per cluster, with fields such as "acceptedLatency".
func burnerLatencies(r *Record) []map[string]any {
	out := []map[string]any{}
	for _, c := range r.Clusters {
		if c.Begun == nil {
			continue
		}
		at := *c.Begun
		if c.Written != nil {
			at = *c.Written
		}
		doc := map[string]any{
			"timestamp": at, "metricName": latencyMetric, "uuid": r.Run, "jobName": jobName, "namespace": r.Plan.Namespace,
			"hostedClusterName": c.Name,
		}
		if c.EtcdClass != "" {
			doc["etcdStorageClass"] = c.EtcdClass
		}
		for _, m := range measures() {
			if took, ok := m.of(c); ok {
				doc[lowerFirst(m.burner)+"Latency"] = took
			}
		}
		out = append(out, doc)
	}
	return out
}

// sumUp computes the quantiles of all clusters. In a run that compares two classes it also computes those of
// each class.
func (r *Record) sumUp() {
	r.Quantiles = []Quantiles{}
	for _, class := range append([]string{""}, r.Plan.EtcdClasses...) {
		for _, m := range measures() {
			var values []int64
			for _, c := range r.Clusters {
				if took, ok := m.of(c); ok && (class == "" || c.EtcdClass == class) {
					values = append(values, took)
				}
			}
			if len(values) > 0 {
				q := quantilesOf(values)
				q.QuantileName, q.EtcdClass, q.UUID, q.Timestamp = m.burner, class, r.Run, endOf(r)
				r.Quantiles = append(r.Quantiles, q)
			}
		}
	}
}

// quantilesOf computes the quantiles of durations in milliseconds. values must not be empty.
func quantilesOf(values []int64) Quantiles {
	sorted := slices.Sorted(slices.Values(values))
	sum := int64(0)
	for _, v := range sorted {
		sum += v
	}
	return Quantiles{P99: nearestRank(sorted, 99), P95: nearestRank(sorted, 95), P50: nearestRank(sorted, 50),
		Min: sorted[0], Max: sorted[len(sorted)-1], Avg: math.Round(float64(sum) / float64(len(sorted))),
		MetricName: quantilesMetric, JobName: jobName, Count: len(sorted)}
}

// nearestRank returns the p-th percentile of sorted, non-empty values: the value at rank ceil(p/100 * n),
// counted from 1.
func nearestRank(sorted []int64, p int) int64 {
	rank := (p*len(sorted) + 99) / 100
	return sorted[max(rank, 1)-1]
}

func burnerJobSummary(r *Record) burnerSummary {
	s := burnerSummary{
		Timestamp: r.Started, EndTimestamp: endOf(r), UUID: r.Run, MetricName: jobSummary, Passed: r.OK,
		OCPVersion: r.Cluster.OpenShift, K8SVersion: r.Cluster.Kubernetes,
		JobConfig: burnerJob{Name: jobName, JobType: burnerOperation, JobIterations: r.Plan.Count,
			Namespace: r.Plan.Namespace, Cleanup: !r.Plan.Keep},
	}
	if r.Created != nil {
		s.EndTimestamp = *r.Created
		if r.Ended != nil && !r.Plan.Keep {
			s.CleanupTimestamp, s.CleanupEndTimestamp = r.Created, r.Ended
		}
	}
	s.ElapsedTime = rounded(s.EndTimestamp.Sub(s.Timestamp).Seconds())
	if r.Stop != nil {
		s.ExecutionErrors = r.Stop.Name + ": " + r.Stop.Message
	}
	return s
}

func endOf(r *Record) time.Time {
	if r.Ended != nil {
		return *r.Ended
	}
	return r.Started
}

// rounded rounds seconds to milliseconds.
func rounded(seconds float64) float64 {
	return math.Round(seconds*millisecondsInOne) / millisecondsInOne
}

// lowerFirst returns the name with a lower-case first letter.
func lowerFirst(name string) string { return string(name[0]|0x20) + name[1:] }
