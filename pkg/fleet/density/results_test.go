package density

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/draw/drawtest"
	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/capacity"
)

func at(seconds float64) *time.Time {
	t := noon.Add(time.Duration(seconds * float64(time.Second)))
	return &t
}

// finished is a run of three clusters, of which one failed.
func finished() *Record {
	r := newRecord(Options{Run: "run-1", Name: "kv-%d", Count: 3,
		ManagementCluster: ManagementCluster{Server: "https://api.lab.example:6443", OpenShift: "4.20.3",
			Kubernetes: "v1.33.5"}},
		Plan{Count: 3, Parallel: 2, Name: "kv-%d", Namespace: "clusters", Wait: "complete"})
	r.Started, r.Created, r.Ended, r.Phase = noon, at(100), at(150), Done
	for i, c := range r.Clusters {
		c.Begun, c.Written, c.State = at(float64(i)), at(float64(i)+0.5), Complete
		c.Milestones = map[string]MilestoneTime{"accepted": {1.5 + float64(i), observed}, "api": {30 + float64(i), condition}}
		c.Deletion = &Deletion{Begun: *at(110), Gone: true,
			Parts: map[string]float64{"control-plane": 10, wholeDeletion: 12.25 + float64(i)}}
	}
	r.Clusters[2].State, r.Clusters[2].Why = Failed, "it did not <come> up"
	delete(r.Clusters[2].Milestones, "api")
	r.Clusters[2].Deletion.Parts = nil
	r.Baseline = baselineOf(three(), 2, 80)
	r.addSample(three())
	r.sumUp()
	return r
}

func TestDocumentsAreKubeBurners(t *testing.T) {
	files := burnerFiles(finished())
	got := map[string]any{}
	for name, documents := range files {
		data, err := json.Marshal(documents)
		if err != nil {
			t.Fatal(err)
		}
		var back any
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		got[name] = back
	}
	row := func(name string, count, p50, p99, least, avg float64) map[string]any {
		return map[string]any{
			"count":        count,
			"quantileName": name, "uuid": "run-1", "metricName": "hostedClusterLatencyQuantilesMeasurement",
			"jobName": "density", "timestamp": "2026-03-01T12:02:30Z",
			"P50": p50, "P95": p99, "P99": p99, "min": least, "max": p99, "avg": avg,
		}
	}
	latency := func(name, timestamp string, of map[string]any) map[string]any {
		doc := map[string]any{
			"timestamp": timestamp, "metricName": "hostedClusterLatencyMeasurement", "uuid": "run-1", "jobName": "density",
			"namespace": "clusters", "hostedClusterName": name,
		}
		for k, v := range of {
			doc[k] = v
		}
		return doc
	}
	want := map[string]any{
		"hostedClusterLatencyQuantilesMeasurement-density.json": []any{
			row("Accepted", 3, 2500, 3500, 1500, 2500), row("Available", 2, 30000, 31000, 30000, 30500),
			row("ControlPlaneGone", 2, 10000, 10000, 10000, 10000), row("Deleted", 2, 12250, 13250, 12250, 12750),
		},
		"hostedClusterLatencyMeasurement-density.json": []any{
			latency("kv-0", "2026-03-01T12:00:00.5Z", map[string]any{"acceptedLatency": 1500.0, "availableLatency": 30000.0,
				"controlPlaneGoneLatency": 10000.0, "deletedLatency": 12250.0}),
			latency("kv-1", "2026-03-01T12:00:01.5Z", map[string]any{"acceptedLatency": 2500.0, "availableLatency": 31000.0,
				"controlPlaneGoneLatency": 10000.0, "deletedLatency": 13250.0}),
			latency("kv-2", "2026-03-01T12:00:02.5Z", map[string]any{"acceptedLatency": 3500.0}),
		},
		"jobSummary.json": []any{map[string]any{
			"timestamp": "2026-03-01T12:00:00Z", "endTimestamp": "2026-03-01T12:01:40Z",
			"cleanupTimestamp": "2026-03-01T12:01:40Z", "cleanupEndTimestamp": "2026-03-01T12:02:30Z",
			"elapsedTime": 100.0, "uuid": "run-1", "metricName": "jobSummary", "passed": false, "ocpVersion": "4.20.3",
			"k8sVersion": "v1.33.5",
			"jobConfig": map[string]any{"name": "density", "jobType": "create", "jobIterations": 3.0, "namespace": "clusters",
				"cleanup": true},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestChartPageNeedsNothingElse(t *testing.T) {
	r := finished()
	r.Run, r.Stop = "a<b>&c", &StopReason{Name: StopPending, Message: "2 pods < 3"}
	page := chartPage(r)
	drawtest.Keep(t, "density", page)
	for _, foreign := range []string{"<script", "http-equiv=\"refresh", "src=", "href=", "url(", "@import", "<b>&c"} {
		if strings.Contains(page, foreign) {
			t.Errorf("the page has %q", foreign)
		}
	}
	for _, wanted := range []string{"a&lt;b&gt;&amp;c", "2 pods &lt; 3",
		"<td>Accepted</td><td>3</td><td>1500</td><td>2500</td><td>3500</td>", "kv-1: Available 31.0 s"} {
		if !strings.Contains(strings.NewReplacer("\n", "", ` class="number"`, "").Replace(page), wanted) {
			t.Errorf("the page lacks %q", wanted)
		}
	}
	for i, drawing := range strings.Split(page, "<svg")[1:] {
		body, _, _ := strings.Cut(drawing, "</svg>")
		d := xml.NewDecoder(strings.NewReader("<svg" + body + "</svg>"))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("drawing %d: %v", i, err)
			}
		}
	}
	if empty := chartPage(newRecord(Options{Name: "kv-%d", Count: 1}, Plan{})); !strings.Contains(empty,
		"Nothing was measured") {
		t.Error("a run without a figure has a page too")
	}
}

func TestWhatNobodySawTheObjectsTell(t *testing.T) {
	seconds := func(n int) metav1.Time { return metav1.NewTime(noon.Add(time.Duration(n) * time.Second)) }
	turned := func(kind hyperv1.ConditionType, n int) metav1.Condition {
		return metav1.Condition{Type: string(kind), Status: metav1.ConditionTrue, LastTransitionTime: seconds(n)}
	}
	hc := &hyperv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: seconds(0)}}
	hc.Status.Conditions = []metav1.Condition{
		turned(hyperv1.ValidHostedClusterConfiguration, 2), turned(hyperv1.ValidReleaseImage, 3),
		turned(hyperv1.InfrastructureReady, 20),
		{Type: string(hyperv1.HostedClusterAvailable), Status: metav1.ConditionFalse, LastTransitionTime: seconds(9)},
	}
	done, later := seconds(600), seconds(9000)
	hc.Status.Version = &hyperv1.ClusterVersionStatus{History: []configv1.UpdateHistory{{CompletionTime: &later},
		{CompletionTime: &done}}}
	pool := func(ready int) hyperv1.NodePool {
		p := hyperv1.NodePool{}
		p.Status.Conditions = []hyperv1.NodePoolCondition{{Type: hyperv1.NodePoolAllMachinesReadyConditionType,
			Status: "True", LastTransitionTime: seconds(ready)}}
		return p
	}
	want := map[string]MilestoneTime{"accepted": {3, condition}, "infrastructure": {20, condition},
		"machines": {200, condition},
		"rollout":  {600, condition}}
	if diff := cmp.Diff(want, conditionMilestones(hc, []hyperv1.NodePool{pool(100), pool(200)})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// One pool without machines: they are not all there.
	if got := conditionMilestones(hc, []hyperv1.NodePool{pool(100), {}}); got["machines"] != (MilestoneTime{}) {
		t.Errorf("machines %v", got["machines"])
	}
	own := &ClusterTimes{Milestones: map[string]MilestoneTime{"accepted": {1.234, observed}}}
	own.setMilestone("accepted", MilestoneTime{3, condition})
	if own.Milestones["accepted"].Seconds != 1.234 {
		t.Error("what was seen is overwritten by what the object tells to the second")
	}
}

func TestPreviewSaysWhatIsShort(t *testing.T) {
	need := Need{ControlPlane: capacity.Resources{MilliCPU: 5000, Memory: 18 * gib, Pods: 75},
		Machines: capacity.Resources{MilliCPU: 400, Memory: 17 * gib, Pods: 2}, Copies: 3}
	o := Options{Name: "kv-%02d", Count: 20, Parallel: 5}
	p := previewOf(o, "run-1", 2, three(), &Baseline{HostedClusters: 70, MaxClusters: 80}, need, true)
	want := []string{
		"4 of 18 fit by requests; what runs out first: memory", "10 of the load balancer's 12 addresses are free, 18 are " +
			"needed", "there would be 90 hosted clusters, and the hypershift addon counts 80 as full",
	}
	if diff := cmp.Diff(want, p.Short); diff != "" || p.Enough || p.Last != "kv-19" || p.All.Pods != 18*77 {
		t.Errorf("(-want +got):\n%s\n%+v", diff, p)
	}
	o.Count = 3
	if p := previewOf(o, "run-1", 0, three(), &Baseline{MaxClusters: 80}, need, true); !p.Enough || len(p.Short) > 0 {
		t.Errorf("three fit: %+v", p)
	}
}

func TestOptionsThatCannotBeShared(t *testing.T) {
	good := Options{Name: "kv-%03d", Count: 2, Out: "x", Limits: DefaultLimits()}
	for _, tt := range []struct {
		name   string
		change func(*Options)
		says   string
	}{
		{"good", func(*Options) {}, ""},
		{"no number", func(o *Options) { o.Name = "kv" }, "--name"},
		{"two numbers", func(o *Options) { o.Name = "kv-%d-%d" }, "--name"},
		{"another verb", func(o *Options) { o.Name = "kv-%d-%s" }, "--name"},
		{"none", func(o *Options) { o.Count = 0 }, "--count 0"},
		{"too many", func(o *Options) { o.Count = 1001 }, "--count 1001"},
		{"run", func(o *Options) { o.Run = "a b" }, "--run"},
		{"sign", func(o *Options) { o.Limits.Ignore = []string{"weather"} }, `--ignore "weather"`},
		{"grace", func(o *Options) { o.Limits.PendingGrace = 0 }, "--pending-grace"},
		{"infra", func(o *Options) { o.Template.InfraID = "x" }, "--file: spec.infraID"},
		{"host", func(o *Options) { o.Template.Publish = []string{"OAuthServer=Route,hostname=a.b"} }, "--file: spec.publish"},
	} {
		o := good
		tt.change(&o)
		err := o.Validate()
		if (err == nil) != (tt.says == "") || err != nil && !strings.HasPrefix(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.says)
		}
	}
}

func TestEachClusterIsItsOwn(t *testing.T) {
	o := Options{Name: "kv-%02d", Count: 2}
	o.Template.Labels = map[string]string{"team": "a"}
	o.Template.NodePools = append(o.Template.NodePools, o.Template.NodePools...)
	a, b := o.cluster("r", 0), o.cluster("r", 1)
	if a.Name != "kv-00" || b.Name != "kv-01" || a.Labels[RunLabel] != "r" || a.Labels["team"] != "a" {
		t.Errorf("%+v, %+v", a, b)
	}
	if _, leaked := o.Template.Labels[RunLabel]; leaked {
		t.Error("the template got the label")
	}
}

func TestDirectoryRemembersAndKeepsOthersOut(t *testing.T) {
	opt := Options{Name: "kv-%d", Count: 2, Out: t.TempDir() + "/runs/a", Limits: DefaultLimits()}
	run, err := Open(t.Context(), opt, nil, &kube.Meter{}, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), opt, nil, &kube.Meter{}, false); err == nil ||
		!strings.Contains(err.Error(), "another hcctl") {
		t.Errorf("a second one got the directory: %v", err)
	}
	id := run.ID()
	run.record.Clusters[0].State, run.record.Clusters[0].Written = Begun, at(1)
	run.record.Requests.Total = 5
	if err := run.save(); err != nil {
		t.Fatal(err)
	}
	run.Close()
	if run, err = Open(t.Context(), opt, nil, &kube.Meter{}, false); err != nil {
		t.Fatal(err)
	}
	if run.ID() != id || !run.Resumed || len(run.Remaining()) != 1 || !run.record.Clusters[0].Written.Equal(*at(1)) {
		t.Errorf("run %s, resumed %v, left %v", run.ID(), run.Resumed, run.Remaining())
	}
	run.Close()
	for name, change := range map[string]func(*Options){
		"count": func(o *Options) { o.Count = 3 }, "run": func(o *Options) { o.Run = "else" }, "template": func(o *Options) {
			o.Template.FIPS = true
		},
	} {
		changed := opt
		change(&changed)
		if _, err := Open(t.Context(), changed, nil, &kube.Meter{}, false); failure.Hint(err).IsZero() {
			t.Errorf("another %s goes on with it: %v", name, err)
		}
	}
}
