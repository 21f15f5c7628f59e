package nodepool_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/step/steptest"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/pkg/hostedcluster/nodepool"
	"github.com/hcctl/hcctl/pkg/step"
)

// later is a time that a pause may last until.
const later = "2999-03-01T10:00:00Z"

func TestAClusterIsPausedWithItsPools(t *testing.T) {
	m := manage(t, cluster(), pool("a", three), pool("b", three, pausedUntil("true")))
	p, err := nodepool.PreparePause(t.Context(), m.client, "clusters", "kv-00", later)
	if err != nil {
		t.Fatal(err)
	}
	steps := p.Steps()
	if _, err := step.New(steps...); err != nil ||
		steptest.IDs(steps) != "cluster/paused-until cluster/noted pool-a/paused-until pool-b/paused-until" {
		t.Fatalf("%s, %v", steptest.IDs(steps), err)
	}
	for i := range steps[1:] {
		if s := steps[i+1]; !slices.Equal(s.Needs, []step.ID{"cluster/paused-until"}) {
			t.Errorf("%s needs %v", s.ID, s.Needs)
		}
	}
	own, a, b := steps[0], steps[2], steps[3]
	if own.Title != "HostedCluster kv-00 is paused until "+later || a.Title != "NodePool a is paused until "+later {
		t.Errorf("%s, %s", own.Title, a.Title)
	}
	steptest.Expect(t, own.Check(t.Context(), nil), step.StateMissing, "spec.pausedUntil is not set, must become "+later,
		"HostedCluster clusters/kv-00")
	does(t, own, step.Configured)
	steptest.Expect(t, own.Check(t.Context(), nil), step.StateOK, "spec.pausedUntil is "+later)
	does(t, own, step.Unchanged)
	steptest.Expect(t, a.Check(t.Context(), nil), step.StateMissing, "spec.pausedUntil is not set, must become "+later,
		"NodePool clusters/a")
	for _, s := range []step.Step{a, b} {
		does(t, s, step.Configured)
		steptest.Expect(t, s.Check(t.Context(), nil), step.StateOK, "spec.pausedUntil is "+later)
		does(t, s, step.Unchanged)
	}
	for name, before := range map[string]string{"a": "", "b": "true"} {
		np := m.pool(t, name)
		if had, ok := np.Annotations[nodepool.PausedAnnotation]; !ok || had != before || *np.Spec.PausedUntil != later {
			t.Errorf("%s: %v, %v", name, np.Annotations, *np.Spec.PausedUntil)
		}
	}
	for _, remembered := range []func(*hyperv1.NodePool){
		annotated("x", "y"), annotated(nodepool.PausedAnnotation, "true")} {
		m.pools.Put(pool("a", three, pausedUntil(later), remembered))
		steptest.Expect(t, a.Check(t.Context(), nil), step.StateMissing,
			"what it had before the pause is to be remembered or "+
				"forgotten")
	}
	m.pools.Put(pool("a", three, pausedUntil("true")))
	fails(t, a, "another client has just changed spec.pausedUntil from not set to true")
	m.clusters.Put(cluster(clusterPaused))
	fails(t, own, "another client has just changed spec.pausedUntil from not set to true")
	touched(t, m, "a", a)
	m.clusters.Delete("clusters", "kv-00")
	fails(t, own, "HostedCluster clusters/kv-00: ")
	m.clusters.Forbid("")
	steptest.Expect(t, own.Check(t.Context(), nil), step.StateUnknown, "HostedCluster clusters/kv-00")
	steptest.Expect(t, steps[1].Check(t.Context(), nil), step.StateUnknown, "HostedCluster clusters/kv-00")
}

func TestAClusterIsResumedWithItsPools(t *testing.T) {
	const remembers = nodepool.PausedAnnotation
	m := manage(t, cluster(clusterPaused),
		pool("a", three, pausedUntil("true"), annotated(remembers, "")),
		pool("b", three, pausedUntil("true"), annotated(remembers, later)),
		pool("c", three, pausedUntil(later)),
		pool("d", three),
		pool("e", three, pausedUntil("true")))
	p, err := nodepool.PrepareResume(t.Context(), m.client, "clusters", "kv-00")
	if err != nil {
		t.Fatal(err)
	}
	steps := p.Steps()
	if _, err := step.New(steps...); err != nil || steptest.IDs(steps) !=
		"pool-a/paused-until pool-b/paused-until pool-e/paused-until cluster/paused-until cluster/noted" {
		t.Fatalf("%s, %v", steptest.IDs(steps), err)
	}
	own := steps[3]
	if len(own.Needs) != 3 || !slices.Equal(steps[4].Needs, []step.ID{own.ID}) || len(steps[0].Needs) > 0 {
		t.Errorf("the cluster goes last: %v, %v", own.Needs, steps[4].Needs)
	}
	want := "NodePool b stays paused until " + later + ", as it was before its cluster was paused\n" +
		"NodePool c stays paused until " + later + ", by itself"
	if notes := strings.Join(p.Notes, "\n"); notes != want {
		t.Errorf("notes %q, want %q", notes, want)
	}
	if steps[0].Title != "NodePool a goes on" || own.Title != "HostedCluster kv-00 goes on" {
		t.Errorf("%s, %s", steps[0].Title, own.Title)
	}
	for _, s := range steps[:4] {
		does(t, s, step.Configured)
		steptest.Expect(t, s.Check(t.Context(), nil), step.StateOK)
	}
	for name, until := range map[string]string{"a": "", "b": later, "c": later, "d": "", "e": ""} {
		np := m.pool(t, name)
		if ptr.Deref(np.Spec.PausedUntil, "") != until || len(np.Annotations) > 0 {
			t.Errorf("%s: %v, %v", name, ptr.Deref(np.Spec.PausedUntil, ""), np.Annotations)
		}
	}
	if hc := m.cluster(t); hc.Spec.PausedUntil != nil {
		t.Errorf("the cluster is paused until %s", *hc.Spec.PausedUntil)
	}
	m.pools.Put(pool("a", three, annotated(remembers, "")))
	steptest.Expect(t, steps[0].Check(t.Context(), nil), step.StateMissing,
		"what it had before the pause is to be remembered or "+
			"forgotten")
}

func TestTheOperatorKnowsOfThePause(t *testing.T) {
	active := func(status string, generation int64) *hyperv1.HostedCluster {
		return cluster(func(hc *hyperv1.HostedCluster) {
			hc.Status.Conditions = []metav1.Condition{{Type: "ReconciliationActive", Status: metav1.ConditionStatus(status),
				Reason: "R", ObservedGeneration: generation}}
		})
	}
	for name, tc := range map[string]struct {
		hc             *hyperv1.HostedCluster
		pause, resumes step.State
	}{
		"active":              {active("True", 3), step.StatePending, step.StateOK},
		"not active":          {active("False", 3), step.StateOK, step.StatePending},
		"unknown":             {active("Unknown", 3), step.StatePending, step.StatePending},
		"nothing":             {cluster(), step.StatePending, step.StatePending},
		"not, as it was once": {active("False", 2), step.StatePending, step.StatePending},
		"active once":         {active("True", 2), step.StatePending, step.StatePending},
		"without generation":  {active("False", 0), step.StateOK, step.StatePending},
	} {
		m := manage(t, tc.hc)
		pause, err := nodepool.PreparePause(t.Context(), m.client, "clusters", "kv-00", "true")
		if err != nil {
			t.Fatal(err)
		}
		resume, err := nodepool.PrepareResume(t.Context(), m.client, "clusters", "kv-00")
		if err != nil {
			t.Fatal(err)
		}
		if pause.Steps()[0].Title != "HostedCluster kv-00 is paused" {
			t.Errorf("%s", pause.Steps()[0].Title)
		}
		if f := pause.Steps()[1].Check(t.Context(), nil); f.State != tc.pause ||
			!strings.HasPrefix(f.Message, "the operator says: ") {
			t.Errorf("%s, paused: %s %s, want %s", name, f.State, f.Message, tc.pause)
		}
		if f := resume.Steps()[1].Check(t.Context(), nil); f.State != tc.resumes ||
			f.Object != "HostedCluster clusters/kv-00" {
			t.Errorf("%s, resumed: %s %s, want %s", name, f.State, f.Message, tc.resumes)
		}
	}
}

func TestClustersThatCannotBePaused(t *testing.T) {
	unlisted := manage(t, cluster())
	unlisted.pools.Forbid("")
	for name, tc := range map[string]struct {
		m    *management
		want string
	}{
		"no cluster":                 {manage(t, nil), `no hosted cluster "kv-00"`},
		"a cluster that goes":        {manage(t, cluster(clusterGoes)), "is being deleted since 2026-03-01T10:00:00Z"},
		"pools that may not be read": {unlisted, "list NodePools in namespace clusters"},
	} {
		_, err := nodepool.PreparePause(t.Context(), tc.m.client, "clusters", "kv-00", "true")
		refuses(t, name, err, tc.want)
		_, err = nodepool.PrepareResume(t.Context(), tc.m.client, "clusters", "kv-00")
		refuses(t, name, err, tc.want)
	}
}
