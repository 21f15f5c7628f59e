package density

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/step"
)

// comparedClasses is the number of StorageClasses of etcd that a run compares.
const comparedClasses = 2

// Compared holds the quantiles of one name for both classes.
type Compared struct {
	Name string
	// Rows are the quantiles of the first and the second class; nil if no cluster of the class has a duration.
	Rows [comparedClasses]*Quantiles
}

// validateClasses checks the StorageClasses of etcd that a run compares.
func (o Options) validateClasses() error {
	if !o.compares() {
		return nil
	}
	for _, name := range o.EtcdClasses {
		if len(validation.IsDNS1123Subdomain(name)) > 0 {
			return fmt.Errorf("%s %q: not a name of a StorageClass", hint.Flag("etcd-storage-class"), name)
		}
	}
	switch given := strings.Join(o.EtcdClasses, ","); {
	case len(o.EtcdClasses) != comparedClasses:
		return fmt.Errorf("%s %s: give two StorageClasses to compare; a single one belongs in the file, as "+
			"etcdStorageClass", hint.Flag("etcd-storage-class"), given)
	case o.EtcdClasses[0] == o.EtcdClasses[1]:
		return fmt.Errorf("%s %s: the same StorageClass twice; give another one to compare it with",
			hint.Flag("etcd-storage-class"), given)
	case o.Count%comparedClasses != 0:
		return fmt.Errorf("%s %d: give an even number, so that as many clusters have the one StorageClass of %s as the "+
			"other", hint.Flag("count"), o.Count, hint.Flag("etcd-storage-class"))
	}
	return nil
}

// compares reports whether the run compares StorageClasses of etcd.
func (o Options) compares() bool { return len(o.EtcdClasses) > 0 }

// etcdClass returns the StorageClass of etcd in the i-th cluster of a run that compares two; "" in other runs.
// The order A B B A is fair to both classes if the management cluster becomes slower during the run.
func (o Options) etcdClass(i int) string {
	if !o.compares() {
		return ""
	}
	return o.EtcdClasses[(i+1)/2%comparedClasses]
}

// refusal returns why a run that compares classes cannot begin: a preflight refuses the clusters of one class,
// for example because the class does not exist. Without this check only the other class would be measured.
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

// Compare returns the quantiles of both classes by name, in their order; none in a run that compares nothing.
func (r *Record) Compare() []Compared {
	var out []Compared
	for i, class := range r.Plan.EtcdClasses {
		for j := range r.Quantiles {
			q := &r.Quantiles[j]
			if q.EtcdClass != class {
				continue
			}
			at := slices.IndexFunc(out, func(c Compared) bool { return c.Name == q.QuantileName })
			if at < 0 {
				at = len(out)
				out = append(out, Compared{Name: q.QuantileName})
			}
			out[at].Rows[i] = q
		}
	}
	return out
}

// Ratio divides P50, P95, P99 and the maximum of the second class by those of the first: above 1, the second is slower.
// It is nil if one of them is missing or takes no time.
func (c Compared) Ratio() []float64 {
	a, b := c.Rows[0], c.Rows[1]
	if a == nil || b == nil || a.P50 <= 0 {
		return nil // the other figures are not zero if the median is not
	}
	divided := func(b, a int64) float64 { return float64(b) / float64(a) }
	return []float64{divided(b.P50, a.P50), divided(b.P95, a.P95), divided(b.P99, a.P99), divided(b.Max, a.Max)}
}
