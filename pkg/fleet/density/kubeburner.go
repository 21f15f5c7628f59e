package density

import (
	"math"
	"time"
)

// The documents follow kube-burner's local indexer (v1 and v2): one file per metric and job with a JSON array, times in
// milliseconds. Dashboards for podLatency can draw them.

const (
	jobName           = "density"
	latencyMetric     = "hostedClusterLatencyMeasurement"
	quantilesMetric   = "hostedClusterLatencyQuantilesMeasurement"
	jobSummary        = "jobSummary"
	burnerOperation   = "create"
	millisecondsInOne = 1000
)

// burnerQuantiles is one row of percentiles by nearest rank, as in the record.
type burnerQuantiles struct {
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
		quantilesMetric + "-" + jobName + ".json": burnerRows(r),
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
		for _, m := range milestones() {
			if moment, ok := c.Milestones[m.name]; ok {
				doc[lowerFirst(m.burner)+"Latency"] = milliseconds(moment.Seconds)
			}
		}
		if c.Deletion != nil {
			for _, p := range deletionParts() {
				if seconds, ok := c.Deletion.Parts[p.name]; ok {
					doc[lowerFirst(p.burner)+"Latency"] = milliseconds(seconds)
				}
			}
		}
		out = append(out, doc)
	}
	return out
}

func burnerRows(r *Record) []burnerQuantiles {
	names := map[string]string{}
	for _, m := range milestones() {
		names[m.name] = m.burner
	}
	rows := []burnerQuantiles{}
	add := func(q Quantiles, name string) {
		rows = append(rows, burnerQuantiles{
			QuantileName: name, UUID: r.Run, P99: milliseconds(q.P99), P95: milliseconds(q.P95), P50: milliseconds(q.P50),
			Min: milliseconds(q.Min), Max: milliseconds(q.Max),
			Avg: math.Round(q.Avg * millisecondsInOne), Timestamp: endOf(r), MetricName: quantilesMetric, JobName: jobName,
		})
	}
	for _, q := range r.Milestones {
		add(q, names[q.Name])
	}
	for _, p := range deletionParts() {
		for _, q := range r.Deletion {
			if q.Name == p.name {
				add(q, p.burner)
			}
		}
	}
	return rows
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

func milliseconds(seconds float64) int64 { return int64(math.Round(seconds * millisecondsInOne)) }

// lowerFirst returns the name with a lower-case first letter.
func lowerFirst(name string) string { return string(name[0]|0x20) + name[1:] }
