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
		"": "", "a": "", "a b": "", "Not_a_name": "", // one class is checked with the template
		"a a": "--etcd-storage-class a,a: the same", "a b c": "--etcd-storage-class a,b,c: a run compares at most 2",
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
	o.EtcdClasses, o.Template.EtcdStorageClass = []string{"c"}, "c"
	if c := o.cluster("r", 1); c.EtcdStorageClass != "c" || o.etcdClass(1) != "" {
		t.Errorf("one class: %q, %q", c.EtcdStorageClass, o.etcdClass(1))
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
	quantiles := func(name string, count int, p50, most, avg float64) *Quantiles {
		return &Quantiles{Name: name, Count: count, P50: p50, P90: most, P95: most, P99: most, Min: p50, Max: most, Avg: avg}
	}
	want := &Comparison{
		Classes: []ComparedClass{{"fast", 2, 1}, {"slow", 2, 2}},
		Milestones: []ComparedQuantiles{
			{Name: "accepted", First: quantiles("accepted", 2, 0, 0, 0), Second: quantiles("accepted", 2, 0, 0, 0)},
			{Name: "etcd", First: quantiles("etcd", 1, 10, 10, 10), Second: quantiles("etcd", 2, 20, 30, 25),
				Ratio: &Ratio{P50: 2, P90: 3, P99: 3, Max: 3, Avg: 2.5}},
		},
		Deletion: []ComparedQuantiles{{Name: wholeDeletion, Second: quantiles(wholeDeletion, 1, 7, 7, 7)}},
	}
	r := compared()
	if diff := cmp.Diff(want, r.Comparison); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	page := strings.NewReplacer("\n", "", ` class="number"`, "").Replace(chartPage(r))
	for _, wanted := range []string{"etcd on fast and on slow", "<td>etcd</td><td>fast</td><td>1</td><td>10.0</td>",
		"<td>etcd</td><td>slow</td><td>2</td><td>20.0</td><td>30.0</td>",
		"<td>etcd</td><td>second / first</td><td></td><td>2.00</td><td>3.00</td>", "fast: 1 of 2 clusters complete; slow: 2 of 2"} {
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
	if finished().Comparison != nil {
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
	if err := (Options{EtcdClasses: []string{"slow"}}).refusal(apply); err != nil {
		t.Errorf("nothing is compared, each cluster reports its own refusal: %v", err)
	}
}
