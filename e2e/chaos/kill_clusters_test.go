package chaos

import (
	"strings"
	"testing"

	"github.com/hcctl/hcctl/e2e/world"
)

// TestProcessFaults has one management cluster, ready for hosted clusters, for all that happens to hcctl as a process.
func TestProcessFaults(t *testing.T) {
	w := world.New(t, append([]string{"--profile", "ready"}, controlPlanes()...)...)
	w.Merge(t, world.AddressPools, "metallb-system", "metallb", `{"spec":{"addresses":["`+w.Addresses+`"]}}`)
	before := w.Written(t)
	for _, part := range []struct {
		name string
		run  func(*testing.T, *world.World)
	}{
		{"killed", killed}, {"streams", streams}, {"disk", disk}, {"signals", signals}, {"together", together},
	} {
		t.Run(part.name, func(t *testing.T) {
			part.run(t, w)
			w.Same(t, before, "after all clusters are deleted")
		})
	}
}

// controlPlanes are the sandbox's flags for hosted clusters: in the short form small ones, of which the first has an
// API server of its own.
func controlPlanes() []string {
	if world.WholeLists() {
		return []string{"--guests", "2"}
	}
	return []string{"--lean", "--guests", "1"}
}

// killed checks that create, upgrade and delete, killed at their boundaries in turn, end like undisturbed ones. The
// short form kills create at each kind of write, upgrade and delete at each write.
func killed(t *testing.T, w *world.World) {
	create := []string{
		"create", "cluster", "--name", "kv-00", "--yes", "--version", "4.20.3", "--infra-id", "kv-00-fixed",
		"--pull-secret", w.PullSecret, "--node-pool-replicas", "1",
	}
	upgrade := []string{"upgrade", "cluster", "kv-00", "--version", "4.20.8", "--yes"}
	remove := []string{"delete", "cluster", "kv-00", "--yes"}
	w.Direct.Must(t, create...)
	created := w.Written(t)
	w.Plant(t, "kv-00")
	w.Direct.Must(t, upgrade...)
	upgraded := w.Written(t)
	w.Direct.Must(t, remove...)

	killedInTurn(t, w, inShort(ofKinds), create...)
	w.Same(t, created, "created by runs that were killed")
	w.Plant(t, "kv-00")
	killedInTurn(t, w, inShort(ofWrites), upgrade...)
	w.Same(t, upgraded, "upgraded by runs that were killed")
	w.PlantedOn(t, "kv-00")
	killedInTurn(t, w, inShort(ofWrites), remove...)
	if world.WholeLists() {
		killedAtEachWrite(t, w, create, remove, created)
	}
}

// killedAtEachWrite kills one create at one write and lets it run again, on clean ground each time.
func killedAtEachWrite(t *testing.T, w *world.World, create, remove []string, want map[string]string) {
	create = append(create, "--wait", "api")
	for i := 1; ; i++ {
		_, reached := killedAt(t, w, theNth(i, true), create...)
		if reached {
			w.Direct.Must(t, create...)
		}
		w.Same(t, want, "killed at one write and run again")
		w.Direct.Must(t, remove...)
		if !reached {
			t.Logf("hcctl %s: killed at each of %d write boundaries on clean ground", strings.Join(create[:2], " "), i-1)
			return
		}
	}
}
