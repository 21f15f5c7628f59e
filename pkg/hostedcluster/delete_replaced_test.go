package hostedcluster

import (
	"testing"

	"github.com/hcctl/hcctl/pkg/step"
)

// TestReplaced: a HostedCluster that is created anew while the old one is being deleted loses nothing.
func TestReplaced(t *testing.T) {
	pool := object{"metadata": metaOf("clusters", "kv-00", nil), "spec": object{"clusterName": "kv-00"}}
	secret := object{"metadata": begunMeta("kv-00-pull-secret", "kv-00-abcde")}
	for name, before := range map[string]any{"it was there": hosted("clusters", "kv-00", "kv-00-abcde", "", "10:00:00"), "it was gone": nil} {
		t.Run(name, func(t *testing.T) {
			world := deletionWorld(map[string]any{poolsPath: items(pool), secretsPath: items(secret)})
			if before != nil {
				world[clustersPath+"/kv-00"], world[allPath] = before, items(before)
			}
			d, err := PrepareDelete(t.Context(), fakeAPI(t, world), "clusters", "kv-00", DeleteOptions{InfraID: "kv-00-abcde"})
			if err != nil {
				t.Fatal(err)
			}
			anew := hosted("clusters", "kv-00", "kv-00-abcde", "", "11:00:00")
			anew["metadata"].(object)["uid"] = "another"
			world[clustersPath+"/kv-00"] = anew
			for _, s := range d.Steps() {
				if s.ID == detachStep || s.ID == notImportedStep {
					continue
				}
				if f := s.Check(t.Context()); f.State != step.OK {
					t.Errorf("%s: %s: %s", s.ID, f.State, f.Message)
				}
				if s.Apply == nil {
					continue
				}
				if change, err := s.Apply(t.Context()); err != nil || change != step.Unchanged {
					t.Errorf("%s: %s, %v", s.ID, change, err)
				}
			}
		})
	}
}
