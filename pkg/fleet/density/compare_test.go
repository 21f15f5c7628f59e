package density

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestClassesThatCannotBeCompared(t *testing.T) {
	for given, says := range map[string]string{
		"": "", "a": "--etcd-storage-class a: give two StorageClasses to compare", "a b": "",
		"a a": "--etcd-storage-class a,a: the same", "a b c": "--etcd-storage-class a,b,c: give two",
		"a B_": `--etcd-storage-class "B_": not a name`,
	} {
		o := Options{Name: "kv-%d", Count: 2, Out: "x", Limits: DefaultLimits(), EtcdClasses: strings.Fields(given)}
		if err := o.Validate(); (err == nil) != (says == "") || err != nil && !strings.HasPrefix(err.Error(), says) {
			t.Errorf("%q: %v, want %q", given, err, says)
		}
	}
	o := Options{Name: "kv-%d", Count: 3, Out: "x", Limits: DefaultLimits(), EtcdClasses: []string{"a", "b"}}
	if err := o.Validate(); err == nil || !strings.HasPrefix(err.Error(), "--count 3: give an even number") {
		t.Errorf("an odd number: %v", err)
	}
}

func TestClassesTakeTurns(t *testing.T) {
	o := Options{Name: "kv-%d", Count: 8, EtcdClasses: []string{"a", "b"}}
	o.Template.EtcdStorageClass = "a"
	turns := ""
	for i := range o.Count {
		turns += o.cluster("r", i).EtcdStorageClass
	}
	if turns != "abbaabba" {
		t.Errorf("etcd is on %s", turns)
	}
	for i, c := range newRecord(o, Plan{}).Clusters {
		if c.EtcdClass != string(turns[i]) {
			t.Errorf("the record has %s on %q, want %q", c.Name, c.EtcdClass, turns[i])
		}
	}
	o.EtcdClasses, o.Template.EtcdStorageClass = nil, "c"
	if c := o.cluster("r", 1); c.EtcdStorageClass != "c" || o.etcdClass(1) != "" {
		t.Errorf("the template's class: %q, %q", c.EtcdStorageClass, o.etcdClass(1))
	}
}

// compared is a run of four clusters with two classes, of which the last did not come up.
func compared() *Record {
	o := Options{Run: "run-1", Name: "kv-%d", Count: 4, EtcdClasses: []string{"fast", "slow"}}
	r := newRecord(o, Plan{Count: 4, EtcdClasses: o.EtcdClasses})
	for i, etcd := range []float64{10, 20, 30, 0} {
		c := r.Clusters[i]
		c.State, c.Milestones = Complete, map[string]MilestoneTime{"accepted": {0, observed}}
		if etcd == 0 {
			c.State = Failed
			continue
		}
		c.Milestones["etcd"] = MilestoneTime{etcd, observed}
	}
	r.Clusters[1].Deletion = &Deletion{Parts: map[string]float64{wholeDeletion: 7}}
	r.sumUp()
	return r
}

func TestClassesSideBySide(t *testing.T) {
	r := compared()
	quantiles := func(name, class string, count int, p50, most int64, avg float64) *Quantiles {
		return &Quantiles{QuantileName: name, EtcdClass: class, Count: count, P50: p50, P95: most, P99: most, Min: p50,
			Max: most, Avg: avg, UUID: "run-1", Timestamp: r.Started, MetricName: quantilesMetric, JobName: jobName}
	}
	want := []Compared{
		{"Accepted", [2]*Quantiles{quantiles("Accepted", "fast", 2, 0, 0, 0), quantiles("Accepted", "slow", 2, 0, 0, 0)}},
		{"EtcdAvailable", [2]*Quantiles{quantiles("EtcdAvailable", "fast", 1, 10000, 10000, 10000),
			quantiles("EtcdAvailable", "slow", 2, 20000, 30000, 25000)}},
		{"Deleted", [2]*Quantiles{nil, quantiles("Deleted", "slow", 1, 7000, 7000, 7000)}},
	}
	got := r.Compare()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var ratios [][]float64
	for _, c := range got {
		ratios = append(ratios, c.Ratio())
	}
	if diff := cmp.Diff([][]float64{nil, {2, 3, 3, 3}, nil}, ratios); diff != "" {
		t.Errorf("ratios (-want +got):\n%s", diff)
	}
	page := strings.NewReplacer("\n", "", ` class="number"`, "").Replace(chartPage(r))
	for _, wanted := range []string{"etcd on fast and on slow",
		"<td>EtcdAvailable (fast)</td><td>1</td><td>10000</td><td>10000</td>",
		"<td>EtcdAvailable (slow)</td><td>2</td><td>20000</td><td>20000</td><td>30000</td>",
		"<td>EtcdAvailable</td><td>2.00</td><td>3.00</td>", "fast: 1 of 2 clusters complete; slow: 2 of 2"} {
		if !strings.Contains(page, wanted) {
			t.Errorf("the page lacks %q", wanted)
		}
	}
	if got := burnerLatencies(r); len(got) != 0 {
		t.Errorf("documents of clusters that have not begun: %v", got)
	}
	r.Clusters[1].Begun = at(1)
	if got := burnerLatencies(r); len(got) != 1 || got[0]["etcdStorageClass"] != "slow" {
		t.Errorf("kube-burner's documents: %v", got)
	}
	if finished().Compare() != nil {
		t.Error("a run with one class compares it")
	}
}

func TestNoComparisonWithHalfOfTheClusters(t *testing.T) {
	refused := step.Result{Step: &step.Step{ID: "preflight/storage-classes"}, Outcome: step.OutcomeMissing,
		Finding: step.Missing("does not exist").On("StorageClass slow")}
	apply := &fleet.Apply{Members: []fleet.Member{{}, {Refused: []step.Result{refused}}}}
	o := Options{EtcdClasses: []string{"fast", "slow"}}
	if err := o.refusal(apply); err == nil || !strings.Contains(err.Error(), "StorageClass slow: does not exist") {
		t.Errorf("a class is missing: %v", err)
	}
	if err := (Options{}).refusal(apply); err != nil {
		t.Errorf("nothing is compared, each cluster reports its own refusal: %v", err)
	}
}
