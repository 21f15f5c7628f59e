package density

import (
	"time"

	"github.com/hcctl/hcctl/pkg/prereqs/capacity"
	"github.com/hcctl/hcctl/pkg/step"
)

// Phase is the progress of a run.
type Phase string

// Phases of a run.
const (
	Creating Phase = "creating"
	Deleting Phase = "deleting"
	// Kept means that the clusters stay, as requested.
	Kept Phase = "kept"
	Done Phase = "done"
)

// State is the progress of a cluster.
type State string

// States of a cluster, in their order.
const (
	// Waiting means that the cluster has not begun.
	Waiting State = "waiting"
	Begun   State = "begun"
	// Complete clusters reached the goal, Failed ones did not, and Stopped ones were cancelled by a stop rule.
	Complete State = "complete"
	Failed   State = "failed"
	Stopped  State = "stopped"
)

// Record is density.json. A run writes it whenever there is new data that would be lost with the process.
type Record struct {
	step.TypeMeta
	Run     string            `json:"run"`
	Phase   Phase             `json:"phase"`
	OK      bool              `json:"ok"`
	Cluster ManagementCluster `json:"managementCluster"`
	Started time.Time         `json:"started"`
	// Created is when the last cluster ended, successfully or not. Ended is the end of the run.
	Created *time.Time `json:"created,omitempty"`
	Ended   *time.Time `json:"ended,omitempty"`
	// Resumed counts how often the run was continued.
	Resumed int  `json:"resumed"`
	Plan    Plan `json:"plan"`
	// Stop is why the run stopped.
	Stop *StopReason `json:"stop,omitempty"`
	// Quantiles are as in kube-burner's documents.
	Quantiles []Quantiles     `json:"quantiles"`
	Clusters  []*ClusterTimes `json:"clusters"`
	Baseline  *Baseline       `json:"baseline,omitempty"`
	Peak      Peak            `json:"peak"`
	Objects   []Objects       `json:"objects"`
	Samples   []Point         `json:"samples"`
	Requests  Requests        `json:"requests"`
}

// Plan holds the options of a run.
type Plan struct {
	Count     int    `json:"count"`
	Parallel  int    `json:"parallel"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	Wait      string `json:"wait"`
	Keep      bool   `json:"keep"`
	// EtcdClasses are the StorageClasses of etcd that the run compares; empty if it compares none.
	EtcdClasses []string `json:"etcdStorageClasses,omitempty"`
	// Template is the SHA-256 of the template, all its files included.
	Template     string  `json:"templateDigest"`
	Limits       Limits  `json:"limits"`
	PendingGrace float64 `json:"pendingGraceSeconds"`
	Interval     float64 `json:"intervalSeconds"`
	// Needs is what one cluster requests by the sizing guidance. Copies is the number of copies of its control
	// plane.
	Needs  capacity.Resources `json:"needs"`
	Copies int64              `json:"controlPlaneCopies"`
}

// ClusterTimes are the times of one cluster.
type ClusterTimes struct {
	Name  string `json:"name"`
	State State  `json:"state"`
	// EtcdClass is the StorageClass of etcd in a run that compares two.
	EtcdClass string `json:"etcdStorageClass,omitempty"`
	// Why is the reason of a failure.
	Why string `json:"why,omitempty"`
	// Begun is when the cluster began, Written when its HostedCluster was written. Both are by the local clock.
	Begun   *time.Time `json:"begun,omitempty"`
	Written *time.Time `json:"written,omitempty"`
	// Milestones by name.
	Milestones map[string]MilestoneTime `json:"milestones,omitempty"`
	Deletion   *Deletion                `json:"deletion,omitempty"`

	// createdHere is set if this process has written the HostedCluster, and so observes its milestones in time.
	createdHere bool
}

// MilestoneTime is when a milestone was reached.
type MilestoneTime struct {
	Seconds float64 `json:"seconds"`
	// Source is "observed" if hcctl saw the change, and "condition" if the time is that of a condition, in whole
	// seconds.
	Source string `json:"source"`
}

// Sources of a MilestoneTime.
const (
	observed  = "observed"
	condition = "condition"
)

// Deletion has the times of a cluster's deletion.
type Deletion struct {
	Begun time.Time `json:"begun"`
	// Parts are durations in seconds by name; "deleted" is the whole deletion. It is empty if no hcctl observed
	// the deletion.
	Parts map[string]float64 `json:"parts,omitempty"`
	Gone  bool               `json:"gone"`
	Why   string             `json:"why,omitempty"`
}

// Requests counts hcctl's own requests to the management cluster in the whole run, each watch once.
type Requests struct {
	Total     int64            `json:"total"`
	ByVerb    map[string]int64 `json:"byVerb,omitempty"`
	Throttled int64            `json:"throttled"`
	Failed    int64            `json:"failed"`
}

func (r *Record) cluster(name string) *ClusterTimes {
	for _, c := range r.Clusters {
		if c.Name == name {
			return c
		}
	}
	return nil
}
