package status

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

// crowd is an API server with so many hosted clusters, each of some kilobytes.
func crowd(n int) *kubetest.Server {
	s := kubetest.New("hypershift.openshift.io/v1beta1", "HostedCluster", "hostedclusters")
	for i := range n {
		s.Set(crowded(i, "0"))
	}
	return s
}

func crowded(i int, release string) object {
	o := cluster("clusters", fmt.Sprintf("kv-%04d", i), "",
		object{"conditions": said("Available True AsExpected", "Progressing False AsExpected", "Degraded False AsExpected")})
	o["spec"].(object)["release"] = object{"image": release}
	o["metadata"].(object)["annotations"] = object{"long": strings.Repeat("x", 2000)}
	return o
}

// counted follows until told of n changes after those that are there at first, each answered on the channel.
func counted(t *testing.T, s *kubetest.Server, objects int) <-chan string {
	t.Helper()
	c, err := kube.New(s.Serve(t))
	if err != nil {
		t.Fatal(err)
	}
	begun, told := make(chan struct{}), make(chan string, 1)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	left := objects
	go func() {
		ended <- Follow(ctx, c, Query{Resource: HostedClusters()}, func(changes []Change) error {
			for _, change := range changes {
				if left == 0 {
					told <- change.Type + " " + change.Object.GetName()
				} else if left--; left == 0 {
					close(begun)
				}
			}
			return nil
		}, func(err error) { t.Errorf("trouble: %v", err) })
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("it ended with %v", err)
		}
	})
	select {
	case <-begun:
	case err := <-ended:
		t.Fatal(err)
	case <-time.After(time.Minute):
		t.Fatal("not all were told at first after a minute")
	}
	return told
}

// allocated is how many bytes it takes to write one change of one of so many clusters and to tell it.
func allocated(t *testing.T, objects int) uint64 {
	t.Helper()
	const changes = 300
	s := crowd(objects)
	told := counted(t, s, objects)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range changes {
		s.Set(crowded(i%objects, strconv.Itoa(i)))
		if got, want := <-told, fmt.Sprintf("MODIFIED kv-%04d", i%objects); got != want {
			t.Fatalf("told %q, want %q", got, want)
		}
	}
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) / changes
}

// A change costs what one object costs, however many there are: of a thousand clusters that change ten thousand times,
// the whole list each time would be a hundred gigabytes.
func TestAChangeCostsOneObject(t *testing.T) {
	few, many := allocated(t, 10), allocated(t, 1000)
	if many > 2*few {
		t.Errorf("a change takes %d bytes among 10 clusters, %d among 1000", few, many)
	}
}

// heap is what is in use, garbage aside.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Ten thousand changes of a thousand clusters leave no more behind than one each.
func TestFollowKeepsNoMoreThanTheObjects(t *testing.T) {
	const objects, rounds = 1000, 10
	s := crowd(objects)
	told := counted(t, s, objects)
	var early uint64
	for round := range rounds {
		for i := range objects {
			s.Set(crowded(i, strconv.Itoa(round)))
			if got, want := <-told, fmt.Sprintf("MODIFIED kv-%04d", i); got != want {
				t.Fatalf("told %q, want %q", got, want)
			}
		}
		s.Compact() // the server's own memory of it
		if round == 1 {
			early = heap()
		}
	}
	if late := heap(); late > early+early/5 {
		t.Errorf("%d bytes are in use after %d changes, %d after %d", late, objects*rounds, early, 2*objects)
	}
}
