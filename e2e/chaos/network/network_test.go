// Package network runs whole commands of hcctl under faults of networks and API servers: each fault (weather) with each
// command (course). See docs/dev/reliability.md. HCCTL_CHAOS=full runs every pair, HCCTL_CHAOS_SEED repeats a random
// sequence.
package network

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"sync"
	"testing"

	"github.com/hcctl/hcctl/e2e/world"
)

// short is which course a weather comes over in the short form. Of weathers alike it has the harder one: 503 for 500,
// away for half-open, cut for slow. Conflicts (409) come by themselves where many run at once (TestProcessFaults).
var short = map[string]string{
	"429": "create", "503": "apply",
	"cut": "apply", "dropped": "create", "unanswered": "apply",
	"away": "create", "gone": "delete", "new certificate": "delete", "foreign certificate": "create",
	"token expired": "upgrade",
	"token renewed": "apply", "restart": "delete", "compaction": "create",
}

// atOnce is how many pairs run in parallel. They mostly wait, so the number of processors does not matter.
const atOnce = 6

// reference is what an undisturbed course leaves, and how many requests it takes.
type reference struct {
	written map[string]string
	usual   int
}

// undisturbed takes a course in fair weather, planted is whether what a user makes is there.
func undisturbed(t *testing.T, w *world.World, c course, name string, planted bool) reference {
	t.Helper()
	if c.plant != nil && !planted {
		c.plant(t, w, name)
	}
	begun := len(w.Proxy.Requests())
	w.Hcctl.Must(t, c.args(t, w, name)...)
	usual := len(w.Proxy.Requests()) - begun
	return reference{left(t, w, c, name), usual}
}

// TestClusters has a management cluster that is ready for hosted clusters, and commands about those on it.
func TestClusters(t *testing.T) {
	w := world.New(t, "--profile", "ready", "--fleet")
	w.Merge(t, world.AddressPools, "metallb-system", "metallb", `{"spec":{"addresses":["`+w.Addresses+`"]}}`)
	seeds := world.Chance(t)
	// Where a namespace may go with its last cluster, delete asks for all that is in it, and for less beside another.
	w.Hcctl.Must(t, append(createArgs(w, "another"), "--wait", "none")...)
	fair := map[string]reference{}
	for _, c := range courses() {
		// The cluster is created, upgraded and deleted; two more are applied.
		fair[c.name] = undisturbed(t, w, c, "in-fair-weather", c.gone)
	}
	var together, alone []*pair
	for _, c := range courses() {
		for _, over := range weathers() {
			seed := seeds.Uint64() // drawn for each, so that which are picked makes no difference to the others
			if !world.WholeLists() && short[over.name] != c.name || !picked(over.name+"/"+c.name) {
				continue
			}
			p := &pair{w: w, course: c, weather: over, usual: fair[c.name].usual, chance: rand.New(rand.NewPCG(seed, 1))}
			if over.alone {
				alone = append(alone, p)
			} else {
				together = append(together, p)
			}
		}
	}
	var wg sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for i, p := range together {
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			t.Run(p.weather.name+"/"+p.course.name, func(t *testing.T) {
				p.T = t
				p.run(fmt.Sprintf("together-%02d", i), fair[p.course.name].written)
			})
		})
	}
	wg.Wait()
	for i, p := range alone {
		t.Run(p.weather.name+"/"+p.course.name, func(t *testing.T) {
			p.T = t
			p.run(fmt.Sprintf("alone-%02d", i), fair[p.course.name].written)
		})
	}
}

// TestBootstrap, in the whole form, has a bare management cluster for each weather that comes over bootstrap.
func TestBootstrap(t *testing.T) {
	if !world.WholeLists() {
		t.Skip("in the short form e2e/testdata/faults/apiserver-restart.txtar has the hardest: HCCTL_CHAOS=full (make chaos)")
	}
	seeds := world.Chance(t)
	var fair reference
	var addresses string
	if !t.Run("fair", func(t *testing.T) {
		w := world.New(t)
		addresses = w.Addresses
		fair = undisturbed(t, w, bootstrap(addresses), "", false)
	}) {
		return
	}
	for _, over := range weathers() {
		seed := seeds.Uint64()
		if !picked(over.name + "/bootstrap") {
			continue
		}
		t.Run(over.name, func(t *testing.T) {
			p := &pair{
				T: t, w: world.New(t), course: bootstrap(addresses), weather: over, usual: fair.usual,
				chance: rand.New(rand.NewPCG(seed, 1)),
			}
			p.run("", fair.written)
		})
	}
}

// picked reports whether a pair is among those that HCCTL_CHAOS_PAIRS, a regular expression, wants.
func picked(pair string) bool {
	return regexp.MustCompile(os.Getenv("HCCTL_CHAOS_PAIRS")).MatchString(pair)
}
