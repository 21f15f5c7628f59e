package kube_test

import (
	"testing"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

// pool is a NodePool of a cluster.
func pool(name, cluster string, replicas int) kubetest.Object {
	return kubetest.Object{
		"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "NodePool",
		"metadata": kubetest.Object{"namespace": "clusters", "name": name, "uid": name},
		"spec":     kubetest.Object{"clusterName": cluster, "replicas": replicas},
	}
}

// reader reads a list under a watch of its own.
type reader struct {
	t     *testing.T
	c     *kube.Client
	watch *informer.Watch
	opts  []client.ListOption
}

// replicas is what it reads, by name.
func (r *reader) replicas() map[string]int32 {
	r.t.Helper()
	var l hyperv1.NodePoolList
	if err := r.c.Reader(r.watch).List(r.t.Context(), &l, append(r.opts, client.InNamespace("clusters"))...); err != nil {
		r.t.Fatal(err)
	}
	out := map[string]int32{}
	for i := range l.Items {
		out[l.Items[i].Name] = *l.Items[i].Spec.Replicas
	}
	return out
}

// woken reports whether there is a change to look at, now.
func (r *reader) woken() bool {
	select {
	case <-r.watch.Changed():
		return true
	default:
		return false
	}
}

// until waits for changes until the pool is read with so many replicas, 0 if it is to be gone.
func (r *reader) until(name string, want int32) {
	r.t.Helper()
	for r.replicas()[name] != want {
		select {
		case <-r.watch.Changed():
		case <-time.After(10 * time.Second):
			r.t.Fatalf("%v is read, not %s with %d, and nothing changes", r.replicas(), name, want)
		}
	}
}

// Who waits for one cluster is not woken by the pools of others, which it shares the watch with.
func TestAChangeWakesWhomItConcerns(t *testing.T) {
	t.Parallel()
	s := kubetest.New("hypershift.openshift.io/v1beta1", "NodePool", "nodepools")
	s.Set(pool("a-1", "a", 1))
	s.Set(pool("b-1", "b", 1))
	c, err := kube.New(s.Serve(t))
	if err != nil {
		t.Fatal(err)
	}
	m := c.NewInformers(t.Context())
	defer m.Close()
	of := func(opts ...client.ListOption) *reader { return &reader{t, c, m.Watch(), opts} }
	a, b, all := of(informer.FieldFilter{Field: "spec.clusterName", Value: "a"}), of(
		informer.FieldFilter{Field: "spec.clusterName", Value: "b"}), of()
	for _, r := range []*reader{a, b, all} {
		r.until("none", 0)
		r.woken() // the list itself
	}
	if got := a.replicas(); len(got) != 1 || got["a-1"] != 1 {
		t.Errorf("of cluster a is read %v", got)
	}

	for _, step := range []struct {
		what    string
		do      func()
		pool    string
		want    int32
		a, b    bool
		partial *reader
	}{
		{"a pool of a", func() { s.Set(pool("a-1", "a", 2)) }, "a-1", 2, true, false, a},
		{"a new pool of b", func() { s.Set(pool("b-2", "b", 3)) }, "b-2", 3, false, true, b},
		{"a pool that goes over from b to a", func() { s.Set(pool("b-2", "a", 4)) }, "b-2", 4, true, true, a},
		{"a pool that is deleted", func() { s.Delete("clusters", "b-1") }, "b-1", 0, false, true, b},
		{"a pool of neither", func() { s.Set(pool("c-1", "c", 5)) }, "c-1", 5, false, false, all},
	} {
		step.do()
		// Who reads all is told of everything; once it has read, the change has been told to the others.
		all.until(step.pool, step.want)
		if gotA, gotB := a.woken(), b.woken(); gotA != step.a || gotB != step.b {
			t.Errorf("%s: a was woken %t, b %t", step.what, gotA, gotB)
		}
		if got := step.partial.replicas()[step.pool]; got != step.want {
			t.Errorf("%s: read with %d replicas, want %d", step.what, got, step.want)
		}
	}
	lists := 0
	for _, r := range s.Requests() {
		if r == "GET /apis/hypershift.openshift.io/v1beta1/namespaces/clusters/nodepools?limit=500" {
			lists++
		}
	}
	if requests := s.Requests(); lists != 1 || len(requests) != 2 {
		t.Errorf("three readers of one list asked %q", requests)
	}
}

// Where is the same whether the list is watched, read once or asked for.
func TestWhereKeepsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	s := kubetest.New("hypershift.openshift.io/v1beta1", "NodePool", "nodepools")
	s.Set(pool("a-1", "a", 1))
	s.Set(pool("b-1", "b", 1))
	c, err := kube.New(s.Serve(t))
	if err != nil {
		t.Fatal(err)
	}
	m := c.NewInformers(t.Context())
	defer m.Close()
	for how, from := range map[string]kube.Reader{
		"asked": c, "once": c.Reader(informer.NewCache(t.Context())), "watched": c.Reader(m.Watch()),
	} {
		var l hyperv1.NodePoolList
		if err := from.List(t.Context(), &l, client.InNamespace("clusters"),
			informer.FieldFilter{Field: "spec.clusterName", Value: "a"}); err != nil {
			t.Fatal(err)
		}
		if len(l.Items) != 1 || l.Items[0].Name != "a-1" || *l.Items[0].Spec.Replicas != 1 {
			t.Errorf("%s: %d items", how, len(l.Items))
		}
	}
}
