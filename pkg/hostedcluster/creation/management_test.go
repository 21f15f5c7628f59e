package creation

import (
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

const (
	hostedClusterPath = hostedtest.ClustersPath + "/kv-00"
	poolPath          = hostedtest.PoolsPath + "/kv-00"
	gone              = "2026-01-02T03:04:05Z"
)

// world is a management cluster on which hosted clusters can be created.
func world(t *testing.T) *hostedtest.World {
	t.Helper()
	w := hostedtest.NewWorld(t)
	version := hostedtest.ClusterVersion("4.20.3")
	version["metadata"] = hostedtest.Object{"name": "version"}
	w.Set("ClusterVersion", version)
	w.Set("Secret", hostedtest.Object{
		"metadata": hostedtest.MetaOf("openshift-config", "pull-secret", nil),
		"data":     hostedtest.Object{".dockerconfigjson": hostedtest.Encoded(hostedtest.PullSecret)},
	})
	w.Set("ConfigMap", hostedtest.Object{
		"metadata": hostedtest.MetaOf("hypershift", "supported-versions", nil),
		"data":     hostedtest.Object{"supported-versions": `{"versions":["4.20","4.19"]}`},
	})
	return w
}

// flags are options as the command line has them; nothing is waited for.
func flags(t *testing.T, text string) options.Validated {
	t.Helper()
	o := optionstest.With(t, text)
	o.Wait = options.WaitNone
	return optionstest.Valid(t, o)
}

// patchedFlags are flags with a patch of the HostedCluster and one of its pool; empty for none.
func patchedFlags(t *testing.T, text, cluster, pool string) options.Validated {
	t.Helper()
	o := optionstest.With(t, text)
	o.Wait = options.WaitNone
	if cluster != "" {
		o.Patches.Content = []byte(cluster)
	}
	if pool != "" {
		o.Pool().Patches.Content = []byte(pool)
	}
	return optionstest.Valid(t, o)
}

func prepared(t *testing.T, w *hostedtest.World, o options.Validated) *Plan {
	t.Helper()
	p, err := Prepare(t.Context(), w.Client, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// run writes what is absent.
func run(t *testing.T, p *Plan) {
	t.Helper()
	g, err := step.New(p.Steps()...)
	if err != nil {
		t.Fatal(err)
	}
	if r := g.Run(t.Context(), step.Options{Timeout: 20 * time.Second, PollInterval: time.Millisecond}); r.Err() != nil {
		t.Fatal(r.Err())
	}
}

// created is a management cluster with the hosted cluster of these options.
func created(t *testing.T, o options.Validated) *hostedtest.World {
	t.Helper()
	w := world(t)
	run(t, prepared(t, w, o))
	w.Writes()
	return w
}

// change edits a part of an object as the API server has it.
func change(w *hostedtest.World, kind, name string, edit func(o hostedtest.Object)) {
	o := w.Of(kind).Object("clusters", name)
	edit(o)
	w.Set(kind, o)
}

func metaOf(o hostedtest.Object) hostedtest.Object { return o["metadata"].(hostedtest.Object) }

func specOf(o hostedtest.Object) hostedtest.Object { return o["spec"].(hostedtest.Object) }

// expect fails unless the finding of a step has the state and the words.
func expect(t *testing.T, steps []step.Step, id step.ID, state step.State, words ...string) {
	t.Helper()
	steptest.Expect(t, steptest.Check(t, steps, id), state, words...)
}

// does fails unless the step's Apply makes that change.
func does(t *testing.T, steps []step.Step, id step.ID, want step.Change) {
	t.Helper()
	if change, err := steptest.Find(t, steps, id).Apply(t.Context()); err != nil || change != want {
		t.Errorf("%s: %q, %v, want %q", id, change, err, want)
	}
}

// fails fails unless the step's Apply returns an error with the words.
func fails(t *testing.T, steps []step.Step, id step.ID, words string) {
	t.Helper()
	if change, err := steptest.Find(t, steps, id).Apply(t.Context()); err == nil || change == step.Created ||
		!strings.Contains(err.Error(), words) {
		t.Errorf("%s: %q, %v, want an error with %q", id, change, err, words)
	}
}
