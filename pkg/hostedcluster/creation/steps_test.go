package creation

import (
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

// A create that leaves its checks out is twelve requests at most, be its namespace there or not, and what an earlier
// one has left gives it its identity.
func TestCreateUnchecked(t *testing.T) {
	world := func() map[string]any {
		return hostedtest.Management(map[string]any{hostedtest.ImageSetsPath: hostedtest.Items(), hostedtest.PoolsPath: hostedtest.Items(),
			hostedtest.NamespacesPath: hostedtest.Items()})
	}
	earlier := hostedtest.Object{
		"apiVersion": "v1",
		"kind":       "Secret",
		"metadata":   hostedtest.UnfinishedMeta("kv-00-pull-secret", "kv-00-begun"),
		"data":       hostedtest.Object{".dockerconfigjson": hostedtest.Encoded(optionstest.GoodPullSecret)},
	}
	for name, tc := range map[string]struct {
		path     string
		there    any
		requests int
		infraID  string
	}{
		"no namespace": {"", nil, 12, ""},
		"a namespace": {hostedtest.NamespacesPath + "/clusters",
			hostedtest.Object{"metadata": hostedtest.Object{"name": "clusters"}}, 12, ""},
		"what an earlier one began": {hostedtest.SecretsPath + "/kv-00-pull-secret", earlier, 13, "kv-00-begun"},
	} {
		t.Run(name, func(t *testing.T) {
			there := world()
			if tc.there != nil {
				there[tc.path] = tc.there
			}
			api := kubetest.ServePaths(t, there)
			c := api.Client
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
			if requests := api.Take(); len(requests) != tc.requests {
				t.Errorf("%d requests, want %d: %v", len(requests), tc.requests, requests)
			}
			ids := map[string]bool{}
			for kind, names := range map[string][]string{
				"Secret": {"kv-00-pull-secret", "kv-00-etcd-encryption-key"}, "NodePool": {"kv-00"}} {
				for _, name := range names {
					o := &unstructured.Unstructured{Object: api.Of(kind).Object("clusters", name)}
					ids[o.GetLabels()[hostedcluster.InfraLabel]] = true
					annotations := o.GetAnnotations()
					if kind == "Secret" && (annotations[hostedcluster.ClusterAnnotation] != "clusters/kv-00" ||
						annotations[hostedcluster.ClusterUIDAnnotation] != "uid-of-kv-00") {
						t.Errorf("%s is marked %v", name, annotations)
					}
				}
			}
			hc := api.Of("HostedCluster").Object("clusters", "kv-00")
			id, _ := hc["spec"].(hostedtest.Object)["infraID"].(string)
			if !ids[id] || len(ids) != 1 || id == "" || tc.infraID != "" && id != tc.infraID {
				t.Errorf("identities %v, the HostedCluster's %q, want %q", ids, id, tc.infraID)
			}
			if slices.ContainsFunc(p.Steps(), func(s step.Step) bool { return s.ID == nameStep }) {
				t.Error("asks whether the name is free")
			}
		})
	}
}
