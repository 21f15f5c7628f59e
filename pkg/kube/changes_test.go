package kube_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

func hostedClusters() *kubetest.Server {
	return kubetest.New("hypershift.openshift.io/v1beta1", "HostedCluster", "hostedclusters")
}

// hosted is a HostedCluster with managed fields, as all objects have.
func hosted(name, release string) kubetest.Object {
	return kubetest.Object{
		"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "HostedCluster",
		"metadata": kubetest.Object{"namespace": "clusters", "name": name, "uid": name,
			"managedFields": []any{kubetest.Object{"manager": "somebody"}}},
		"spec": kubetest.Object{"release": release},
	}
}

// follower takes changes until it has seen what it waits for.
type follower struct {
	t       *testing.T
	watch   *informer.Watch
	changes *informer.Changes
	// seen is the version told last of each object, and told how many changes were.
	seen map[string]int
	told int
	// values are what a Decoder has made of each object; nil without one.
	values map[string]any
}

func follow(t *testing.T, s *kubetest.Server) *follower {
	t.Helper()
	return followBy(t, s, nil)
}

func followBy(t *testing.T, s *kubetest.Server, d *informer.Decoder) *follower {
	t.Helper()
	c, err := kube.New(s.Serve(t))
	if err != nil {
		t.Fatal(err)
	}
	m := c.NewInformers(t.Context())
	t.Cleanup(m.Close)
	w := m.Watch()
	t.Cleanup(w.Close)
	return &follower{t: t, watch: w, changes: c.Changes(w, kube.Selection{Kind: kube.HostedCluster, Decoder: d}),
		seen: map[string]int{}}
}

// take takes once, and holds that each object comes once, and never back in time.
func (f *follower) take() {
	f.t.Helper()
	changes, err := f.changes.Take(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	once := map[string]bool{}
	for _, c := range changes {
		f.told++
		if c.Now == nil {
			delete(f.seen, c.Before.GetName())
			continue
		}
		name := c.Now.GetName()
		version, _ := strconv.Atoi(c.Now.GetResourceVersion())
		if once[name] || version <= f.seen[name] || len(c.Now.GetManagedFields()) > 0 {
			f.t.Fatalf("%s at %d: twice %t, before %d, %d managed fields", name, version, once[name], f.seen[name],
				len(c.Now.GetManagedFields()))
		}
		once[name], f.seen[name] = true, version
		if f.values == nil {
			continue
		}
		if f.values[name] = c.Value; len(c.Now.Object) > 1 {
			f.t.Fatalf("the object is kept beside its value: %v", c.Now.Object)
		}
	}
}

// until takes until the objects have been seen at these versions or later.
func (f *follower) until(want map[string]int) {
	f.t.Helper()
	behind := func() string {
		for name, version := range want {
			if f.seen[name] < version {
				return fmt.Sprintf("%s was seen at %d, not at %d", name, f.seen[name], version)
			}
		}
		return ""
	}
	limit := time.After(time.Minute)
	for f.take(); behind() != ""; f.take() {
		select {
		case <-f.watch.Changed():
		case <-limit:
			f.t.Fatal("after a minute " + behind())
		}
	}
}

// change writes every object once and returns the versions.
func change(s *kubetest.Server, objects int, release string) map[string]int {
	want := map[string]int{}
	for i := range objects {
		name := fmt.Sprintf("kv-%04d", i)
		want[name], _ = strconv.Atoi(s.Set(hosted(name, release)))
	}
	return want
}

// Ten thousand changes of a thousand objects, with a watch that breaks and a server that has forgotten the version:
// each is told, once.
func TestNoChangeIsMissed(t *testing.T) {
	t.Parallel()
	const objects, rounds = 1000, 10
	s := hostedClusters()
	first := change(s, objects, "first")
	f := follow(t, s)
	f.until(first)
	for round := range rounds {
		switch round {
		case 3:
			s.Break()
		case 6:
			s.Compact()
			s.Break()
		}
		f.until(change(s, objects, fmt.Sprint("round ", round)))
	}
	if want := objects * (rounds + 1); f.told != want {
		t.Errorf("%d changes told, want %d", f.told, want)
	}
}

// The value of an object is kept instead of the object, through watches, a broken one, and lists anew.
func TestValuesAreKept(t *testing.T) {
	t.Parallel()
	const objects = 450
	s := hostedClusters()
	f := followBy(t, s, &informer.Decoder{Decode: func(u *unstructured.Unstructured) any {
		release, _, _ := unstructured.NestedString(u.Object, "spec", "release")
		return release
	}})
	f.values = map[string]any{}
	for _, release := range []string{"listed", "watched", "after a break", "listed again"} {
		switch release {
		case "after a break":
			s.Break()
		case "listed again":
			s.Compact()
			s.Break()
		}
		f.until(change(s, objects, release))
		for name, value := range f.values {
			if value != release {
				t.Fatalf("%s has the value %v, want %s", name, value, release)
			}
		}
	}
	if want := objects * 4; f.told != want || len(f.values) != objects {
		t.Errorf("%d changes told of %d objects, want %d of %d", f.told, len(f.values), want, objects)
	}
}

// What changes faster than it is read is told as it is then: each object once, whatever has happened to it.
func TestChangesOfOneObjectAreTakenAsOne(t *testing.T) {
	t.Parallel()
	const objects = 20
	s := hostedClusters()
	f := follow(t, s)
	f.take()
	var last map[string]int
	for range 500 {
		last = change(s, objects, "again and again")
	}
	f.until(last)
	s.Delete("clusters", "kv-0000")
	s.Delete("clusters", "kv-0001")
	again, _ := strconv.Atoi(s.Set(hosted("kv-0001", "back")))
	f.until(map[string]int{"kv-0001": again})
	if len(f.seen) != objects-1 {
		t.Errorf("%d objects are there for the follower, want %d", len(f.seen), objects-1)
	}
}

// An object that was there only while nobody looked is nobody's business.
func TestTakeTellsOfWhatLasts(t *testing.T) {
	t.Parallel()
	s := hostedClusters()
	f := follow(t, s)
	f.until(change(s, 1, "one"))
	s.Compact()
	s.Set(hosted("brief", ""))
	s.Delete("clusters", "brief")
	s.Compact()
	s.Break()
	f.until(change(s, 1, "two"))
	if f.told != 2 {
		t.Errorf("%d changes told, want those of one object", f.told)
	}
}
