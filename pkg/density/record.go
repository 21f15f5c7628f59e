package density

import (
	"time"

	"github.com/hcctl/hcctl/pkg/prereqs"
)

// Phase is how far a run is.
type Phase string

// The phases of a run.
const (
	Creating Phase = "creating"
	Deleting Phase = "deleting"
	// Kept is a run whose clusters are left, as it was asked.
	Kept Phase = "kept"
	Done Phase = "done"
)

// State is how far a cluster is.
type State string

// The states of a cluster, in the order they come.
const (
	// Waiting is one whose turn has not come.
	Waiting State = "waiting"
	Begun   State = "begun"
	// Complete is one that got as far as it was followed, Failed one that did not; Stopped was cut short by a sign of
	// harm.
	Complete State = "complete"
	Failed   State = "failed"
	Stopped  State = "stopped"
)

// Record is a run: density.json. It is written whenever something is known that would be lost with the process.
type Record struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Run        string    `json:"run"`
	Phase      Phase     `json:"phase"`
	OK         bool      `json:"ok"`
	Cluster    Where     `json:"managementCluster"`
	Started    time.Time `json:"started"`
	// Created is when the last of the clusters ended, well or not; Ended when all was over.
	Created *time.Time `json:"created,omitempty"`
	Ended   *time.Time `json:"ended,omitempty"`
	// Resumed is how often the run was taken up again.
	Resumed int  `json:"resumed"`
	Plan    Plan `json:"plan"`
	// Stop is the sign by which the run stopped.
	Stop *Sign `json:"stop,omitempty"`
	// Milestones are counted from when the HostedCluster was written, Deletion from when its deletion began.
	Milestones []Quantiles     `json:"milestones"`
	Deletion   []Quantiles     `json:"deletion"`
	Clusters   []*ClusterTimes `json:"clusters"`
	Baseline   *Baseline       `json:"baseline,omitempty"`
	Peak       Peak            `json:"peak"`
	Objects    []Objects       `json:"objects"`
	Samples    []Point         `json:"samples"`
	Requests   Requests        `json:"requests"`
}

// Plan is what was asked for.
type Plan struct {
	Count     int    `json:"count"`
	Parallel  int    `json:"parallel"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	Wait      string `json:"wait"`
	Keep      bool   `json:"keep"`
	// Template tells templates apart, the pull secret and all other files included: a SHA-256.
	Template     string  `json:"templateDigest"`
	Limits       Limits  `json:"limits"`
	PendingGrace float64 `json:"pendingGraceSeconds"`
	Interval     float64 `json:"intervalSeconds"`
	// Needs is what one cluster requests by the sizing guidance, Copies in how many copies its control plane runs.
	Needs  prereqs.Resources `json:"needs"`
	Copies int64             `json:"controlPlaneCopies"`
}

// ClusterTimes is one cluster of a run.
type ClusterTimes struct {
	Name  string `json:"name"`
	State State  `json:"state"`
	// Why it did not get there.
	Why string `json:"why,omitempty"`
	// Begun is when its turn came, Written when its HostedCluster was written, by this computer's clock.
	Begun   *time.Time `json:"begun,omitempty"`
	Written *time.Time `json:"written,omitempty"`
	// Milestones by name.
	Milestones map[string]Moment `json:"milestones,omitempty"`
	Deletion   *Deletion         `json:"deletion,omitempty"`

	// here is set where this very process has written it, so that what it sees of it is seen in time.
	here bool
}

// Moment is when something had come about.
type Moment struct {
	Seconds float64 `json:"seconds"`
	// Source is "observed" where hcctl saw it turn, "condition" where a time in the object tells, to the second.
	Source string `json:"source"`
}

// The sources of a Moment.
const (
	observed  = "observed"
	condition = "condition"
)

// Deletion is how a cluster went.
type Deletion struct {
	Begun time.Time `json:"begun"`
	// Parts by name, in seconds; "deleted" is the whole. One that went while nobody looked has none.
	Parts map[string]float64 `json:"parts,omitempty"`
	Gone  bool               `json:"gone"`
	Why   string             `json:"why,omitempty"`
}

// Requests are those hcctl itself sent to the management cluster's API server in the whole run, watches counted once
// each.
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

// sumUp fills in what follows from the clusters' times.
func (r *Record) sumUp() {
	r.Milestones, r.Deletion = []Quantiles{}, []Quantiles{}
	for _, m := range milestones() {
		var values []float64
		for _, c := range r.Clusters {
			if at, ok := c.Milestones[m.name]; ok {
				values = append(values, at.Seconds)
			}
		}
		if len(values) > 0 {
			r.Milestones = append(r.Milestones, summed(m.name, values))
		}
	}
	for _, part := range deletionParts() {
		var values []float64
		for _, c := range r.Clusters {
			if c.Deletion == nil {
				continue
			}
			if seconds, ok := c.Deletion.Parts[part.name]; ok {
				values = append(values, seconds)
			}
		}
		if len(values) > 0 {
			r.Deletion = append(r.Deletion, summed(part.name, values))
		}
	}
}
