package hub_test

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/fleet/hub"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

// command makes the steps of a command on a hub.
type command func(t *testing.T, c *kube.Client) []step.Step

// applying is an apply of these clusters.
func applying(moveFrom string, wanted ...fleet.DesiredCluster) command {
	return func(t *testing.T, c *kube.Client) []step.Step {
		opt := written()
		opt.CopySecrets, opt.MoveFrom = true, moveFrom
		apply, err := hub.PrepareApply(t.Context(), c, wanted, opt)
		if err != nil {
			t.Fatal(err)
		}
		return apply.Steps()
	}
}

// changing is a change of every cluster that there is.
func changing(change func(*kube.Client, *hub.Cluster) []step.Step) command {
	return func(t *testing.T, c *kube.Client) []step.Step {
		f, err := hub.Read(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		rows := map[fleet.ClusterName][]*hub.Cluster{}
		var names []fleet.ClusterName
		for _, one := range f.Clusters {
			rows[one.ClusterName()] = append(rows[one.ClusterName()], one)
			names = append(names, one.ClusterName())
		}
		each, err := fleet.PrepareEach(t.Context(), names, 1, func(n fleet.ClusterName) ([]step.Step, error) {
			one, err := hub.Current(rows[n])
			if err != nil {
				return nil, err
			}
			return change(c, one), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return each.Steps()
	}
}

// runOn runs the command on a hub until it is done, or killed after so many writes (zero: never).
func (make command) runOn(t *testing.T, api *kubetest.API, after int) (writes int, killed bool) {
	t.Helper()
	ctx, p := kubetest.NewProcess(t.Context(), after)
	defer p.Kill()
	config := kubetest.Connect(p.Through(api))
	config.ContentType = "application/json"
	c, err := kube.New(config)
	if err != nil {
		t.Fatal(err)
	}
	steps := make(t, c)
	if len(steps) == 0 {
		return 0, false
	}
	graph, err := step.New(steps...)
	if err != nil {
		t.Fatal(err)
	}
	report := graph.Run(ctx, step.Options{Timeout: 20 * time.Second, PollInterval: 5 * time.Millisecond, Subjects: 1,
		Transient: kube.IsTransient, Explain: kube.Explain})
	if killed = ctx.Err() != nil; !killed && report.Err() != nil {
		t.Fatal(report.Err())
	}
	return p.Writes(), killed
}

// stateOf is what a hub has, without what differs each time.
func stateOf(t *testing.T, api *kubetest.API) string {
	t.Helper()
	var lines []string
	for _, o := range api.Objects() {
		meta, _ := o["metadata"].(map[string]any)
		for _, key := range []string{"resourceVersion", "managedFields", "creationTimestamp", "uid", "generation"} {
			delete(meta, key)
		}
		if meta["deletionTimestamp"] != nil {
			meta["deletionTimestamp"] = "..."
		}
		if o["kind"] == "Lease" {
			continue
		}
		if spec, _ := o["spec"].(map[string]any); spec != nil && strings.HasPrefix(fmt.Sprint(meta["name"]), "hcctl-secrets.") {
			spec["workload"] = "..." // a key that is made at random
		}
		text, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(text))
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// TestKilledAtEveryWrite kills each command that writes on a hub after each of its writes: the same command again ends
// in the same state, and once more it writes nothing.
func TestKilledAtEveryWrite(t *testing.T) {
	a, b := desired(t, "a"), desired(t, "b")
	larger := desired(t, "a", func(o *options.Cluster) { o.NodePools[0].Replicas = 5 })
	const newer = "quay.io/openshift-release-dev/ocp-release:4.20.4-multi"
	change := func(do func(*kube.Client, *hub.Cluster, bool) []step.Step) command {
		return changing(func(c *kube.Client, one *hub.Cluster) []step.Step { return do(c, one, false) })
	}
	stop := change(hub.Stop)
	lost := managed("east", false, time.Hour)
	for name, tc := range map[string]struct {
		before  []command
		objects string
		run     command
		writes  int
	}{
		// The namespace, and for each cluster the assignment, the Secrets and the work.
		"new":     {nil, "", applying("", a, b), 7},
		"added":   {[]command{applying("", a)}, "", applying("", a, b), 3},
		"resized": {[]command{applying("", a)}, "", applying("", larger), 1},
		"moved":   {[]command{applying("", a)}, lost + "---" + decision("west"), applying("east", a), 5},
		"stopped": {[]command{applying("", a, b)}, "", stop, 2},
		"started": {[]command{applying("", a, b), stop}, "", change(hub.Start), 2},
		"upgraded": {[]command{applying("", a, b)}, "", changing(func(c *kube.Client, one *hub.Cluster) []step.Step {
			steps, err := hub.Upgrade(c, one, hub.UpgradeOptions{Image: newer, Force: true})
			if err != nil {
				t.Error(err)
			}
			return steps
		}), 2},
		"deleted": {[]command{applying("", a, b)}, "", changing(func(c *kube.Client, one *hub.Cluster) []step.Step {
			return hub.Delete(c, one.Site, one.ClusterName())
		}), 6},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begin := func() *kubetest.API {
				api := newHub(t, managed("east", true, 0), managed("west", true, 0), decision("east"))
				for _, do := range tc.before {
					do.runOn(t, api, 0)
				}
				if tc.objects != "" {
					api.Put(t, tc.objects)
				}
				return api
			}
			at := begin()
			writes, _ := tc.run.runOn(t, at, 0)
			want := stateOf(t, at)
			if writes < tc.writes {
				t.Fatalf("only %d writes: %d are to be tried", writes, tc.writes)
			}
			for after := 1; after <= writes; after++ {
				api := begin()
				if _, killed := tc.run.runOn(t, api, after); !killed {
					t.Fatalf("after write %d it was not killed", after)
				}
				tc.run.runOn(t, api, 0)
				if diff := cmp.Diff(want, stateOf(t, api)); diff != "" {
					t.Errorf("killed after write %d of %d, it ends in another state (-want +got):\n%s", after, writes, diff)
				}
				if again, _ := tc.run.runOn(t, api, 0); again != 0 {
					t.Errorf("killed after write %d of %d: once more it makes %d writes", after, writes, again)
				}
			}
		})
	}
}
