package deletion

import (
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

// TestReplaced: a HostedCluster that is created anew while the old one is being deleted loses nothing.
func TestReplaced(t *testing.T) {
	pool := hostedtest.Object{
		"metadata": hostedtest.MetaOf("clusters", "kv-00", nil),
		"spec":     hostedtest.Object{"clusterName": "kv-00"},
	}
	secret := hostedtest.Object{"metadata": hostedtest.UnfinishedMeta("kv-00-pull-secret", "kv-00-abcde")}
	for name, before := range map[string]any{"it was there": hostedtest.Hosted("clusters", "kv-00", "kv-00-abcde", "",
		"10:00:00"), "it was gone": nil} {
		t.Run(name, func(t *testing.T) {
			world := deletionWorld(
				map[string]any{hostedtest.PoolsPath: hostedtest.Items(pool), hostedtest.SecretsPath: hostedtest.Items(secret)},
			)
			if before != nil {
				world[hostedtest.ClustersPath+"/kv-00"], world[hostedtest.AllPath] = before, hostedtest.Items(before)
			}
			api := kubetest.ServePaths(t, world)
			d, err := Prepare(t.Context(), api.Client, "clusters", "kv-00", Options{InfraID: "kv-00-abcde"})
			if err != nil {
				t.Fatal(err)
			}
			anew := hostedtest.Hosted("clusters", "kv-00", "kv-00-abcde", "", "11:00:00")
			for kind, o := range map[string]hostedtest.Object{"HostedCluster": anew, "NodePool": pool, "Secret": secret} {
				o["metadata"].(hostedtest.Object)["uid"] = "another"
				api.Set(kind, o)
			}
			for _, s := range d.Steps() {
				if s.ID == detachStep || s.ID == notImportedStep {
					continue
				}
				if f := s.Check(t.Context(), nil); f.State != step.StateOK {
					t.Errorf("%s: %s: %s", s.ID, f.State, f.Message)
				}
				if s.Apply == nil {
					continue
				}
				if change, err := s.Apply(t.Context()); err != nil || change != step.Unchanged {
					t.Errorf("%s: %s, %v", s.ID, change, err)
				}
			}
			if writes := api.Writes(); len(writes) > 0 {
				t.Errorf("wrote %v", writes)
			}
		})
	}
}
