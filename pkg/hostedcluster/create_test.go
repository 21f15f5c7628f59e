package hostedcluster

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// A create that leaves its checks out is twelve requests at most, be its namespace there or not, and what an earlier one has left gives it its identity.
func TestCreateUnchecked(t *testing.T) {
	world := func() map[string]any {
		return management(map[string]any{imageSetsPath: items()})
	}
	earlier := object{"apiVersion": "v1", "kind": "Secret", "metadata": begunMeta("kv-00-pull-secret", "kv-00-begun"), "data": object{".dockerconfigjson": encoded(goodPullSecret)}}
	for name, tc := range map[string]struct {
		path     string
		there    any
		requests int
		infraID  string
	}{
		"no namespace":              {"", nil, 12, ""},
		"a namespace":               {namespacesPath + "/clusters", object{"metadata": object{"name": "clusters"}}, 12, ""},
		"what an earlier one began": {secretsPath + "/kv-00-pull-secret", earlier, 13, "kv-00-begun"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &store{objects: world()}
			if tc.there != nil {
				s.objects[tc.path] = tc.there
			}
			c := s.client(t)
			o := named(func(o *Options) { o.Wait = WaitNone })
			p, err := PrepareUnchecked(kube.ReadOnce(t.Context()), c, o)
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
			if len(s.asked) != tc.requests {
				t.Errorf("%d requests, want %d:\n%s", len(s.asked), tc.requests, strings.Join(s.asked, "\n"))
			}
			ids := map[string]bool{}
			for _, path := range []string{secretsPath + "/kv-00-pull-secret", secretsPath + "/kv-00-etcd-encryption-key", poolsPath + "/kv-00"} {
				labels, _ := s.objects[path].(object)["metadata"].(object)["labels"].(object)
				id, _ := labels[InfraLabel].(string)
				ids[id] = true
				annotations, _ := s.objects[path].(object)["metadata"].(object)["annotations"].(object)
				if path != poolsPath+"/kv-00" && (annotations[ClusterAnnotation] != "clusters/kv-00" || annotations[ClusterUIDAnnotation] != "uid-of-kv-00") {
					t.Errorf("%s is marked %v", path, annotations)
				}
			}
			hc, _ := s.objects[clustersPath+"/kv-00"].(object)
			id, _ := hc["spec"].(object)["infraID"].(string)
			if !ids[id] || len(ids) != 1 || id == "" || tc.infraID != "" && id != tc.infraID {
				t.Errorf("identities %v, the HostedCluster's %q, want %q", ids, id, tc.infraID)
			}
			if slices.ContainsFunc(p.Steps(), func(s step.Step) bool { return s.ID == nameStep }) {
				t.Error("asks whether the name is free")
			}
		})
	}
}
