package nodepool_test

import (
	"strings"
	"testing"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/pkg/step/steptest"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/nodepool"
	"github.com/hcctl/hcctl/pkg/step"
)

func prepareScale(t *testing.T, m *management, to hostedcluster.Size, wait nodepool.Wait) (*nodepool.Scaling, error) {
	t.Helper()
	return nodepool.PrepareScale(t.Context(), m.client, "clusters", "a", to, wait)
}

func TestPoolsThatCannotBeScaled(t *testing.T) {
	for name, tc := range map[string]struct {
		hc    *hyperv1.HostedCluster
		pools []*hyperv1.NodePool
		want  string
	}{
		"no pool": {cluster(), nil, `no node pool "a" in namespace "clusters"; there is none`},
		"a pool that goes": {cluster(), []*hyperv1.NodePool{pool("a", three, poolGoes)},
			"NodePool clusters/a is being deleted since 2026-03-01T10:00:00Z"},
		"no cluster": {nil, []*hyperv1.NodePool{pool("a", three)},
			`NodePool clusters/a belongs to the hosted cluster "kv-00", which does not exist`},
		"a cluster that goes": {cluster(clusterGoes), []*hyperv1.NodePool{pool("a", three)},
			"HostedCluster clusters/kv-00 is being deleted since 2026-03-01T10:00:00Z, its NodePools with it"},
		"a paused pool": {cluster(), []*hyperv1.NodePool{pool("a", three, pausedUntil("true"))},
			"NodePool clusters/a is paused"},
		"a paused cluster": {cluster(clusterPaused), []*hyperv1.NodePool{pool("a", three)},
			"HostedCluster clusters/kv-00 is paused"},
		"a stopped pool": {cluster(), []*hyperv1.NodePool{pool("a", none, annotated(hostedcluster.StoppedAnnotation, "3"))},
			"the workers of hosted cluster kv-00 are stopped, those of NodePool clusters/a with them"},
	} {
		_, err := prepareScale(t, manage(t, tc.hc, tc.pools...), auto, nodepool.WaitNodes)
		refuses(t, name, err, tc.want)
		if next := failure.Hint(err).String(); name == "a stopped pool" && next != "hcctl start kv-00" {
			t.Errorf("%s: %s", name, next)
		}
	}
	for name, np := range map[string]*hyperv1.NodePool{
		"stopped, then given a size": pool("a", three, annotated(hostedcluster.StoppedAnnotation, "2")),
		"spoiled annotation":         pool("a", none, annotated(hostedcluster.StoppedAnnotation, "lots")),
		"never stopped":              pool("a", none),
	} {
		if s, err := prepareScale(t, manage(t, cluster(), np), auto, nodepool.WaitNodes); err != nil ||
			s.From != hostedcluster.SizeOf(np) || s.To != auto {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

func TestAPoolIsScaled(t *testing.T) {
	m := manage(t, cluster(), pool("a", three))
	s, err := prepareScale(t, m, auto, nodepool.WaitNone)
	if err != nil || steptest.IDs(s.Steps()) != "pool/size" {
		t.Fatalf("--wait none: %s, %v", steptest.IDs(s.Steps()), err)
	}
	if s, err = prepareScale(t, m, auto, nodepool.WaitNodes); err != nil ||
		steptest.IDs(s.Steps()) != "pool/size pool/machines pool/nodes" {
		t.Fatalf("%s, %v", steptest.IDs(s.Steps()), err)
	}
	size, nodes := s.Steps()[0], s.Steps()[2]
	steptest.Expect(t, size.Check(t.Context(), nil), step.StateMissing, "set to 3 nodes, to be changed to 2 to 5",
		"NodePool clusters/a")
	steptest.Expect(t, nodes.Check(t.Context(), nil), step.StateBroken,
		"another client changed its size from 2 to 5 to "+
			"3 meanwhile",
		"hcctl scale a sets it again")
	does(t, size, step.Configured)
	steptest.Expect(t, size.Check(t.Context(), nil), step.StateOK, "set to 2 to 5 nodes", "NodePool clusters/a")
	if np := m.pool(t, "a"); hostedcluster.SizeOf(np) != auto || np.Spec.Replicas != nil {
		t.Errorf("written: %+v", np.Spec)
	}
	if f := nodes.Check(t.Context(), nil); f.State == step.StateBroken {
		t.Errorf("after the write: %s", f.Message)
	}
	does(t, size, step.Unchanged)
	m.pools.Put(pool("a", none))
	fails(t, size, "another client has just changed its size from 3 to 0")
	touched(t, m, "a", size)

	away, err := prepareScale(t, manage(t, cluster(elsewhere), pool("a", three)), auto, nodepool.WaitNodes)
	if err != nil || steptest.IDs(away.Steps()) != "pool/size pool/nodes" {
		t.Errorf("VMs elsewhere: %s, %v", steptest.IDs(away.Steps()), err)
	}
	on := func(platform hyperv1.PlatformType) func(*hyperv1.HostedCluster) {
		return func(hc *hyperv1.HostedCluster) { hc.Spec.Platform = hyperv1.PlatformSpec{Type: platform} }
	}
	away, err = prepareScale(t, manage(t, cluster(on(hyperv1.AgentPlatform)), pool("a", three)), auto, nodepool.WaitNodes)
	if err != nil || steptest.IDs(away.Steps()) != "pool/size pool/nodes" {
		t.Errorf("platform Agent: %s, %v", steptest.IDs(away.Steps()), err)
	}
	_, err = prepareScale(t, manage(t, cluster(on(hyperv1.NonePlatform)), pool("a", three)), auto, nodepool.WaitNodes)
	if err == nil || !strings.Contains(err.Error(), "HostedCluster clusters/kv-00 is on platform None: HyperShift makes no") {
		t.Errorf("platform None: %v", err)
	}
}
