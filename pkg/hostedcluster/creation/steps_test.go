package creation

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/fakeapi"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/step"
)

// A create that leaves its checks out is twelve requests at most, be its namespace there or not, and what an earlier
// one has left gives it its identity.
func TestCreateUnchecked(t *testing.T) {
	world := func() map[string]any {
		return fakeapi.Management(map[string]any{fakeapi.ImageSetsPath: fakeapi.Items()})
	}
	earlier := fakeapi.Object{
		"apiVersion": "v1",
		"kind":       "Secret",
		"metadata":   fakeapi.UnfinishedMeta("kv-00-pull-secret", "kv-00-begun"),
		"data":       fakeapi.Object{".dockerconfigjson": fakeapi.Encoded(optionstest.GoodPullSecret)},
	}
	for name, tc := range map[string]struct {
		path     string
		there    any
		requests int
		infraID  string
	}{
		"no namespace": {"", nil, 12, ""},
		"a namespace": {fakeapi.NamespacesPath + "/clusters",
			fakeapi.Object{"metadata": fakeapi.Object{"name": "clusters"}}, 12, ""},
		"what an earlier one began": {fakeapi.SecretsPath + "/kv-00-pull-secret", earlier, 13, "kv-00-begun"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &fakeapi.Store{Objects: world()}
			if tc.there != nil {
				s.Objects[tc.path] = tc.there
			}
			c := s.Client(t)
			o := optionstest.Named(func(o *options.Cluster) { o.Wait = options.WaitNone })
			p, err := PrepareUnchecked(t.Context(), c, informer.NewCache(t.Context()), optionstest.Valid(t, o))
			if err != nil {
				t.Fatal(err)
			}
			g, err := step.New(p.Steps()...)
			if err != nil {
				t.Fatal(err)
			}
			if r := g.Run(t.Context(), step.Options{Timeout: 5 * time.Second}); r.Err() != nil {
				t.Fatal(r.Err())
			}
			// One more than where a ClusterImageSet offers the release: the management cluster's own has to be asked for.
			if len(s.Asked) != tc.requests {
				t.Errorf("%d requests, want %d:\n%s", len(s.Asked), tc.requests, strings.Join(s.Asked, "\n"))
			}
			ids := map[string]bool{}
			for _, path := range []string{fakeapi.SecretsPath + "/kv-00-pull-secret", fakeapi.SecretsPath +
				"/kv-00-etcd-encryption-key", fakeapi.PoolsPath + "/kv-00"} {
				labels, _ := s.Objects[path].(fakeapi.Object)["metadata"].(fakeapi.Object)["labels"].(fakeapi.Object)
				id, _ := labels[hostedcluster.InfraLabel].(string)
				ids[id] = true
				annotations, _ := s.Objects[path].(fakeapi.Object)["metadata"].(fakeapi.Object)["annotations"].(fakeapi.Object)
				if path != fakeapi.PoolsPath+"/kv-00" &&
					(annotations[hostedcluster.ClusterAnnotation] != "clusters/kv-00" ||
						annotations[hostedcluster.ClusterUIDAnnotation] != "uid-of-kv-00") {
					t.Errorf("%s is marked %v", path, annotations)
				}
			}
			hc, _ := s.Objects[fakeapi.ClustersPath+"/kv-00"].(fakeapi.Object)
			id, _ := hc["spec"].(fakeapi.Object)["infraID"].(string)
			if !ids[id] || len(ids) != 1 || id == "" || tc.infraID != "" && id != tc.infraID {
				t.Errorf("identities %v, the HostedCluster's %q, want %q", ids, id, tc.infraID)
			}
			if slices.ContainsFunc(p.Steps(), func(s step.Step) bool { return s.ID == nameStep }) {
				t.Error("asks whether the name is free")
			}
		})
	}
}
