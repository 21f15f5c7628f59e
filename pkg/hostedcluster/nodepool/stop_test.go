package nodepool_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/step/steptest"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/nodepool"
	"github.com/hcctl/hcctl/pkg/step"
)

// power is what stopping or starting kv-00 takes.
func power(t *testing.T, m *management, stop bool, wait nodepool.Wait) (*nodepool.Power, error) {
	t.Helper()
	if stop {
		return nodepool.PrepareStop(t.Context(), m.client, "clusters", "kv-00", wait)
	}
	return nodepool.PrepareStart(t.Context(), m.client, "clusters", "kv-00", wait)
}

func TestWhatStoppingAndStartingTake(t *testing.T) {
	const remembers = hostedcluster.StoppedAnnotation
	pools := []*hyperv1.NodePool{
		pool("auto", auto), pool("empty", none), pool("goes", three, poolGoes),
		pool("other", three, func(np *hyperv1.NodePool) { np.Spec.ClusterName = "kv-01" }),
		pool("stopped", none, annotated(remembers, "3"), pausedUntil("true")),
		pool("stopped-auto", none, annotated(remembers, "2-5")),
	}
	for name, tc := range map[string]struct {
		pools   []*hyperv1.NodePool
		stop    bool
		want    string
		changes int
		notes   string
	}{
		"stop": {pools, true, "auto 2 to 5 -> 0 (2-5), stopped 0 -> 0 (3), stopped-auto 0 -> 0 (2-5)", 1,
			"NodePool empty has no workers anyway: it stays so when the cluster is started"},
		"start": {append(pools[:4:4], pools[5]), false, "auto 2 to 5 -> 2 to 5 (), stopped-auto 0 -> 2 to 5 ()", 1, ""},
		"start of one that was given a size": {[]*hyperv1.NodePool{pool("a", three, annotated(remembers, "2-5"))}, false,
			"a 3 -> 3 ()", 0, "NodePool a was given 3 nodes since it was stopped: that stays, not the 2-5 it had before"},
		"start of one with a spoiled annotation": {[]*hyperv1.NodePool{pool("a", none, annotated(remembers, "lots"))}, false,
			"", 0, `its annotation ` + remembers + ` is "lots", which is not a size: hcctl scale a`},
	} {
		p, err := power(t, manage(t, cluster(), tc.pools...), tc.stop, nodepool.WaitNodes)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for _, c := range p.Pools {
			got = append(got, fmt.Sprintf("%s %s -> %s (%s)", c.Name, c.From, c.To, c.Remember))
		}
		notes := strings.Join(p.Notes, "\n")
		if strings.Join(got, ", ") != tc.want || p.Changes != tc.changes || p.Stop != tc.stop ||
			tc.notes == "" && notes != "" || !strings.Contains(notes, tc.notes) {
			t.Errorf("%s: %s, %d changes, notes %q", name, got, p.Changes, notes)
		}
	}
}

func TestWorkersThatCannotBeStoppedOrStarted(t *testing.T) {
	for name, tc := range map[string]struct {
		hc    *hyperv1.HostedCluster
		pools []*hyperv1.NodePool
		want  string
	}{
		"no cluster": {nil, nil, `no hosted cluster "kv-00"`},
		"a cluster that goes": {cluster(clusterGoes), nil,
			"HostedCluster clusters/kv-00 is being deleted since 2026-03-01T10:00:00Z"},
		"a paused cluster": {cluster(clusterPaused), nil, "HostedCluster clusters/kv-00 is paused"},
	} {
		for _, stop := range []bool{true, false} {
			_, err := power(t, manage(t, tc.hc, tc.pools...), stop, nodepool.WaitNodes)
			refuses(t, name, err, tc.want)
		}
	}
	_, err := power(t, manage(t, cluster(), pool("a", three, pausedUntil("true"))), true, nodepool.WaitNodes)
	refuses(t, "stop a paused pool", err, "NodePool clusters/a is paused")
	m := manage(t, cluster())
	m.pools.Forbid("")
	_, err = power(t, m, true, nodepool.WaitNodes)
	refuses(t, "pools that may not be read", err, "list NodePools in namespace clusters")
}

func TestWorkersAreStoppedAndStarted(t *testing.T) {
	m := manage(t, cluster(), pool("a", auto), pool("b", three))
	p, err := power(t, m, true, nodepool.WaitNone)
	if err != nil || steptest.IDs(p.Steps()) != "pool-a/size pool-b/size" {
		t.Fatalf("--wait none: %s, %v", steptest.IDs(p.Steps()), err)
	}
	if p, err = power(t, m, true, nodepool.WaitNodes); err != nil || steptest.IDs(p.Steps()) !=
		"pool-a/size pool-a/machines pool-a/nodes pool-b/size pool-b/machines pool-b/nodes" {
		t.Fatalf("%s, %v", steptest.IDs(p.Steps()), err)
	}
	if _, err := step.New(p.Steps()...); err != nil {
		t.Error(err)
	}
	stop := p.Steps()[0]
	steptest.Expect(t, stop.Check(t.Context(), nil), step.StateMissing, "set to 2 to 5 nodes, to be changed to 0",
		"NodePool clusters/a")
	m.pools.Put(pool("a", none))
	steptest.Expect(t, stop.Check(t.Context(), nil), step.StateMissing, "set to 0 nodes; its size before the stop")
	m.pools.Put(pool("a", auto))
	does(t, stop, step.Configured)
	steptest.Expect(t, stop.Check(t.Context(), nil), step.StateOK, "set to 0 nodes")
	if np := m.pool(t, "a"); np.Annotations[hostedcluster.StoppedAnnotation] != "2-5" || hostedcluster.SizeOf(np) != none {
		t.Errorf("stopped: %v, %+v", np.Annotations, np.Spec)
	}
	does(t, stop, step.Unchanged)

	if p, err = power(t, m, false, nodepool.WaitNodes); err != nil {
		t.Fatal(err)
	}
	start := p.Steps()[0]
	steptest.Expect(t, start.Check(t.Context(), nil), step.StateMissing, "set to 0 nodes, to be changed to 2 to 5")
	does(t, start, step.Configured)
	if np := m.pool(t, "a"); len(np.Annotations) > 0 || hostedcluster.SizeOf(np) != auto || np.Spec.Replicas != nil {
		t.Errorf("started: %v, %+v", np.Annotations, np.Spec)
	}
	steptest.Expect(t, start.Check(t.Context(), nil), step.StateOK, "set to 2 to 5 nodes")
	m.pools.Put(pool("a", three))
	fails(t, start, "another client has just changed its size from 0 to 3")
	touched(t, m, "a", start)
}
