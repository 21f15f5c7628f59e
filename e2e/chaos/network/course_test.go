package network

import (
	"fmt"
	"testing"

	"github.com/hcctl/hcctl/e2e/program"
	"github.com/hcctl/hcctl/e2e/state"
	"github.com/hcctl/hcctl/e2e/world"
)

// course is a whole command that the weather comes over.
type course struct {
	name string
	// existing is whether it is about a cluster that is there, and on which a user has made things.
	existing bool
	// plant is what a user makes before; nil where that is nothing.
	plant func(t *testing.T, w *world.World, name string)
	// args are the command.
	args func(t *testing.T, w *world.World, name string) []string
	// intact fails the test unless what a user made is there; nil where a user made nothing.
	intact func(t *testing.T, w *world.World, name string)
	// gone is whether nothing of the cluster is left in the end.
	gone bool
	// whole is whether it is about the management cluster as a whole.
	whole bool
}

// The releases that clusters are created with and upgraded to.
const (
	first  = "4.20.3"
	second = "4.20.8"
)

func createArgs(w *world.World, name string) []string {
	return []string{
		"create", "cluster", "--name", name, "--yes", "--version", first, "--infra-id", name + "-fixed",
		"--pull-secret", w.PullSecret, "--node-pool-replicas", "1",
	}
}

// courses are those about hosted clusters, in an order in which the first three can be taken with one. Bootstrap needs
// a management cluster of its own, see TestBootstrap.
func courses() []course {
	plant := func(t *testing.T, w *world.World, name string) {
		t.Helper()
		w.Plant(t, name)
	}
	planted := func(t *testing.T, w *world.World, name string) {
		t.Helper()
		w.PlantedOn(t, name)
	}
	return []course{
		{name: "create", args: func(_ *testing.T, w *world.World, name string) []string { return createArgs(w, name) }},
		{
			name: "upgrade", existing: true, plant: plant, intact: planted,
			args: func(_ *testing.T, _ *world.World, name string) []string {
				return []string{"upgrade", "cluster", name, "--version", second, "--yes"}
			},
		},
		{
			name: "delete", existing: true, plant: plant, gone: true,
			args: func(_ *testing.T, _ *world.World, name string) []string {
				return []string{"delete", "cluster", name, "--yes"}
			},
		},
		{name: "apply", args: func(t *testing.T, w *world.World, name string) []string {
			t.Helper()
			return []string{"apply", "-f", fleet(t, w, name), "--yes"}
		}},
	}
}

// bootstrap is the one course that is not about a hosted cluster; each run of it needs a management cluster of its own.
func bootstrap(addresses string) course {
	var intact func(*testing.T)
	return course{
		name: "bootstrap", whole: true,
		plant:  func(t *testing.T, w *world.World, _ string) { t.Helper(); intact = w.PlantForBootstrap(t) },
		intact: func(t *testing.T, _ *world.World, _ string) { t.Helper(); intact(t) },
		args: func(*testing.T, *world.World, string) []string {
			return []string{"bootstrap", "--yes", "--metallb-range", addresses}
		},
	}
}

// left is what there is on the cluster after the course.
func left(t *testing.T, w *world.World, c course, name string) map[string]string {
	t.Helper()
	if c.whole {
		return w.Written(t)
	}
	return state.Of(w.Written(t), name)
}

// fleet is a file with two clusters.
func fleet(t *testing.T, w *world.World, name string) string {
	t.Helper()
	text := ""
	for _, of := range []string{name + "-a", name + "-b"} {
		text += fmt.Sprintf(
			"---\napiVersion: hcctl.dev/v1alpha1\nkind: Cluster\nmetadata: {name: %[1]s}\n"+
				"spec: {pullSecret: %[2]s, version: %[3]s, infraID: %[1]s-fixed, nodePools: [{replicas: 1}]}\n",
			of, w.PullSecret, first,
		)
	}
	return w.File(t, name+".yaml", text)
}

// cleared deletes what a course has left, undisturbed, so that there is room for others. The short form has room for
// all.
func cleared(t *testing.T, p *program.Program, c course, name string) {
	t.Helper()
	switch {
	case c.gone, c.whole, !world.WholeLists():
	case c.name == "apply":
		p.Must(t, "delete", "clusters", name+"-a", name+"-b", "--yes")
	default:
		p.Must(t, "delete", "cluster", name, "--yes")
	}
}
