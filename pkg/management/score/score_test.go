package score_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/contracts"
	"github.com/hcctl/hcctl/contracts/crd"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/management/score"
	"github.com/hcctl/hcctl/pkg/step"
)

// reporting is the ManifestWork of a site whose agent reports these values.
func reporting(site string, values map[string]string) string {
	var all []string
	for name, value := range values {
		all = append(all, fmt.Sprintf(`{"name":%q,"fieldValue":{"type":"String","string":"%s"}}`, name, value))
	}
	return fmt.Sprintf(`{"apiVersion":"work.open-cluster-management.io/v1","kind":"ManifestWork",
  "metadata":{"name":"hcctl-capacity","namespace":%q},"spec":{},"status":{"resourceStatus":{"manifests":[
  {"resourceMeta":{"ordinal":0,"kind":"ConfigMap","name":"capacity","namespace":"hcctl"},"conditions":[],
   "statusFeedback":{"values":[%s]}}]}}}`, site, strings.Join(all, ","))
}

func counted(free, single string, at time.Time) map[string]string {
	return map[string]string{"hostedClustersFree": free, "hostedClustersFreeSingleReplica": single,
		"countedAt": at.UTC().Format(time.RFC3339)}
}

func newAPI(t *testing.T, objects ...string) *kubetest.API {
	t.Helper()
	api := kubetest.Serve(t)
	api.Register(t, kube.ManifestWork, kube.AddOnPlacementScore)
	api.Put(t, objects...)
	return api
}

// What a site may say is bounded in form and in time; whatever else it says counts for nothing.
func TestReportsAreNotTrusted(t *testing.T) {
	now := time.Now()
	for name, one := range map[string]struct {
		values map[string]string
		why    string
	}{
		"good":         {counted("3", "9", now.Add(-59*time.Minute)), ""},
		"clock ahead":  {counted("3", "9", now.Add(4*time.Minute)), ""},
		"old":          {counted("3", "9", now.Add(-2*time.Hour)), "2h0m0s old"},
		"future":       {counted("3", "9", now.Add(time.Hour)), "in the future"},
		"negative":     {counted("-3", "9", now), "no count"},
		"huge":         {counted("99999999999999999999", "9", now), "no count"},
		"half":         {map[string]string{"hostedClustersFree": "3"}, "no count"},
		"escape":       {counted("3", `\u001b[31m9`, now), "no count"},
		"other values": {map[string]string{"hostedClusterFree": "3"}, "no count"},
		"nothing":      {nil, "published none"},
	} {
		t.Run(name, func(t *testing.T) {
			api := newAPI(t, reporting("east", one.values))
			reports, err := score.Reports(t.Context(), api.Client)
			if err != nil {
				t.Fatal(err)
			}
			got := reports["east"]
			if (got.Count != nil) != (one.why == "") || !strings.Contains(got.Why, one.why) {
				t.Errorf("%+v", got)
			}
			if got.Count != nil && (got.Count.Free != 3 || got.Count.FreeSingleReplica != 9) {
				t.Errorf("%+v", *got.Count)
			}
		})
	}
}

// A site cannot report of another object, or in another ManifestWork.
func TestOnlyTheConfigMapCounts(t *testing.T) {
	good := reporting("east", counted("3", "9", time.Now()))
	for _, change := range [][2]string{
		{`"name":"capacity","namespace":"hcctl"`, `"name":"capacity","namespace":"other"`},
		{`"kind":"ConfigMap"`, `"kind":"Secret"`},
		{`"name":"hcctl-capacity"`, `"name":"hcctl-capacities"`},
	} {
		api := newAPI(t, strings.ReplaceAll(good, change[0], change[1]))
		reports, err := score.Reports(t.Context(), api.Client)
		if err != nil || reports["east"].Count != nil {
			t.Errorf("%s: %+v, %v", change[1], reports, err)
		}
	}
}

func runSteps(t *testing.T, api *kubetest.API, count *score.Count) {
	t.Helper()
	graph, err := step.New(score.Steps(api.Client, "east", count)...)
	if err != nil {
		t.Fatal(err)
	}
	if err := graph.Run(t.Context(), step.Options{Timeout: 20 * time.Second}).Err(); err != nil {
		t.Fatal(err)
	}
}

func statusOf(t *testing.T, api *kubetest.API) string {
	t.Helper()
	return fmt.Sprint(api.Object(t, kube.AddOnPlacementScore, "east", "hcctl").Object["status"])
}

func TestScoreIsBoundedAndExpires(t *testing.T) {
	api := newAPI(t)
	at := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	count := &score.Count{Free: 900, FreeSingleReplica: 7, At: at}
	runSteps(t, api, count)
	for _, want := range []string{"name:hostedClustersFree value:100", "name:hostedClustersFreeSingleReplica value:7",
		"validUntil:2026-11-24T13:00:00Z"} {
		if have := statusOf(t, api); !strings.Contains(have, want) {
			t.Errorf("%s lacks %s", have, want)
		}
	}
	before := len(api.Writes())
	if runSteps(t, api, count); len(api.Writes()) != before {
		t.Errorf("a second run writes: %v", api.Writes()[before:])
	}
	runSteps(t, api, &score.Count{At: at.Add(time.Minute)})
	if have := statusOf(t, api); !strings.Contains(have, "name:hostedClustersFree value:0") {
		t.Errorf("a full site: %s", have)
	}
	// Without a count the score stays, and expires by itself.
	before = len(api.Writes())
	if runSteps(t, api, nil); len(api.Writes()) != before {
		t.Errorf("%v", api.Writes()[before:])
	}
}

func TestPublish(t *testing.T) {
	api := newAPI(t)
	for range 2 {
		count := score.Count{Free: 2, FreeSingleReplica: 5, At: time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)}
		if _, err := score.Publish(t.Context(), api.Client, count); err != nil {
			t.Fatal(err)
		}
	}
	writes := ""
	for _, w := range api.Writes() {
		writes += w.Body + "\n"
	}
	if strings.Count(writes, `"kind":"Namespace"`) != 1 {
		t.Errorf("%s", writes)
	}
	for _, want := range []string{`"hostedClustersFree":"2"`, `"hostedClustersFreeSingleReplica":"5"`,
		`"countedAt":"2026-11-24T12:00:00Z"`} {
		if !strings.Contains(writes, want) {
			t.Errorf("%s is not written: %s", want, writes)
		}
	}
}

// The CRDs have strategy ReadOnly from 2.6 on, one release before the agent.
func TestWorkConforms(t *testing.T) {
	table, err := contracts.TableOf("work.open-cluster-management.io", "ManifestWork")
	if err != nil {
		t.Fatal(err)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(score.Work("east"))
	if err != nil {
		t.Fatal(err)
	}
	delete(content, "status")
	for minor := 2; minor <= 11; minor++ {
		schemas, err := crd.Schemas(table, contracts.Release{Major: 2, Minor: minor})
		if err != nil {
			t.Fatal(err)
		}
		for _, schema := range schemas {
			problems, err := crd.Problems(schema, content)
			if err != nil {
				t.Fatal(err)
			}
			if (minor >= 6) != (len(problems) == 0) {
				t.Errorf("2.%d: %v", minor, problems)
			}
		}
	}
}
