package kube_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/internal/informer"
)

// While nothing happens, a watch costs no more than its renewals, at a server that sends no bookmarks and ends each
// watch after 43 minutes: six watches, as many as a hosted cluster is waited for with, stay under a request a minute.
func TestSilenceIsCheap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const watches, life, minutes = 6, 43, 4 * 43
		s := hostedClusters()
		first := change(s, watches, "quiet")
		c, err := kube.New(s.Direct())
		if err != nil {
			t.Fatal(err)
		}
		m := c.NewInformers(t.Context())
		defer m.Close()
		w := m.Watch()
		defer w.Close()
		var changes []*informer.Changes
		for name := range first {
			changes = append(changes, c.Changes(w, kube.Selection{Kind: kube.HostedCluster, Namespace: "clusters", Name: name}))
		}
		take := func() (told int) {
			for _, each := range changes {
				got, err := each.Take(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				told += len(got)
			}
			return told
		}
		if told := take(); told != watches {
			t.Fatalf("%d told at first, want %d", told, watches)
		}
		synctest.Wait()
		begun := len(s.Requests())
		if begun != 2*watches {
			t.Fatalf("it began with %d requests, want a list and a watch for each: %q", begun, s.Requests())
		}
		for range minutes / life {
			<-time.After(life * time.Minute) // virtual
			s.Break()
		}
		synctest.Wait()
		requests := len(s.Requests()) - begun
		if requests >= minutes || requests < watches {
			t.Errorf("%d requests in %d minutes: %q", requests, minutes, s.Requests()[begun:])
		}
		s.Set(hosted("kv-0003", "after all"))
		synctest.Wait()
		if told := take(); told != 1 {
			t.Errorf("after %d quiet minutes %d changes were told, want 1", minutes, told)
		}
		t.Logf("%d requests in %d minutes", requests, minutes)
	})
}
