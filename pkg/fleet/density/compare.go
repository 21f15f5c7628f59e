package density

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/step"
)

// comparedClasses is how many StorageClasses of etcd a run can compare.
const comparedClasses = 2

// Comparison has the times of a run by the StorageClass of etcd's volumes.
type Comparison struct {
	// Classes are the two, in the order in which they were given.
	Classes    []ComparedClass     `json:"classes"`
	Milestones []ComparedQuantiles `json:"milestones"`
	Deletion   []ComparedQuantiles `json:"deletion"`
}

// ComparedClass is one of the classes.
type ComparedClass struct {
	Name string `json:"name"`
	// Clusters is how many clusters have it, Complete how many of these reached the goal.
	Clusters int `json:"clusters"`
	Complete int `json:"complete"`
}

// ComparedQuantiles has the durations of one milestone, or of one part of a deletion, with either class.
type ComparedQuantiles struct {
	Name string `json:"name"`
	// First and Second are those of the first and the second class; nil if no cluster of the class has a duration.
	First  *Quantiles `json:"first,omitempty"`
	Second *Quantiles `json:"second,omitempty"`
	// Ratio is the second divided by the first; nil if one of them is missing or takes no time.
	Ratio *Ratio `json:"ratio,omitempty"`
}

// Ratio divides each figure of the second class by that of the first: above 1, the second is slower.
type Ratio struct {
	P50 float64 `json:"p50"`
	P90 float64 `json:"p90"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
	Avg float64 `json:"avg"`
}

// validateClasses checks the StorageClasses of etcd that a run compares. The template's own check covers a single one.
func (o Options) validateClasses() error {
	if !o.compares() {
		return nil
	}
	for _, name := range o.EtcdClasses {
		if len(validation.IsDNS1123Subdomain(name)) > 0 {
			return fmt.Errorf("--etcd-storage-class %q: not a name of a StorageClass", name)
		}
	}
	switch given := strings.Join(o.EtcdClasses, ","); {
	case len(o.EtcdClasses) > comparedClasses:
		return fmt.Errorf("--etcd-storage-class %s: a run compares at most %d StorageClasses", given, comparedClasses)
	case o.EtcdClasses[0] == o.EtcdClasses[1]:
		return fmt.Errorf("--etcd-storage-class %s: the same StorageClass twice; give another one to compare it with", given)
	case o.Count%comparedClasses != 0:
		return fmt.Errorf("--count %d: give an even number, so that as many clusters have the one StorageClass of "+
			"--etcd-storage-class as the other", o.Count)
	}
	return nil
}

// compares is whether the run compares StorageClasses of etcd.
func (o Options) compares() bool { return len(o.EtcdClasses) > 1 }

// etcdClass is the StorageClass of etcd in the i-th cluster of a run that compares two; empty in other runs. The order
// is A B B A: a management cluster that becomes slower all the time is as bad for the one class as for the other.
func (o Options) etcdClass(i int) string {
	if !o.compares() {
		return ""
	}
	return o.EtcdClasses[(i+1)/2%comparedClasses]
}

// refusal is why no run that compares classes can begin: a preflight that refuses the clusters of one class, such as
// that a class does not exist. Without it, only the other class would be measured.
func (o Options) refusal(apply *fleet.Apply) error {
	if !o.compares() {
		return nil
	}
	for _, m := range apply.Members {
		if m.Err != nil {
			return m.Err
		}
		if len(m.Refused) > 0 {
			return &step.RunError{Results: m.Refused}
		}
	}
	return nil
}

// compare computes the comparison, nil in a run that compares nothing.
func (r *Record) compare() *Comparison {
	if len(r.Plan.EtcdClasses) != comparedClasses {
		return nil
	}
	out := &Comparison{Milestones: []ComparedQuantiles{}, Deletion: []ComparedQuantiles{}}
	var milestoneTimes, deletionTimes [comparedClasses][]Quantiles
	for i, name := range r.Plan.EtcdClasses {
		class := ComparedClass{Name: name}
		var own []*ClusterTimes
		for _, c := range r.Clusters {
			if c.EtcdClass != name {
				continue
			}
			own = append(own, c)
			class.Clusters++
			if c.State == Complete {
				class.Complete++
			}
		}
		out.Classes = append(out.Classes, class)
		milestoneTimes[i], deletionTimes[i] = milestoneQuantiles(own), deletionQuantiles(own)
	}
	for _, m := range milestones() {
		out.Milestones = appendCompared(out.Milestones, m.name, milestoneTimes)
	}
	for _, p := range deletionParts() {
		out.Deletion = appendCompared(out.Deletion, p.name, deletionTimes)
	}
	return out
}

// appendCompared adds what has that name in either class.
func appendCompared(rows []ComparedQuantiles, name string, times [comparedClasses][]Quantiles) []ComparedQuantiles {
	find := func(all []Quantiles) *Quantiles {
		i := slices.IndexFunc(all, func(q Quantiles) bool { return q.Name == name })
		if i < 0 {
			return nil
		}
		return &all[i]
	}
	row := ComparedQuantiles{Name: name, First: find(times[0]), Second: find(times[1])}
	if row.First == nil && row.Second == nil {
		return rows
	}
	row.Ratio = ratioOf(row.First, row.Second)
	return append(rows, row)
}

// ratioOf divides b by a, to a thousandth.
func ratioOf(a, b *Quantiles) *Ratio {
	if a == nil || b == nil || a.P50 <= 0 {
		return nil // the other figures are not zero if the median is not
	}
	divided := func(b, a float64) float64 { return math.Round(b/a*1000) / 1000 }
	return &Ratio{P50: divided(b.P50, a.P50), P90: divided(b.P90, a.P90), P99: divided(b.P99, a.P99),
		Max: divided(b.Max, a.Max), Avg: divided(b.Avg, a.Avg)}
}
