package status

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
)

func namesOf(items []unstructured.Unstructured) string {
	var out []string
	for i := range items {
		out = append(out, kube.Name(&items[i]))
	}
	return strings.Join(out, " ")
}

func TestListIsPagedAndSelects(t *testing.T) {
	f := &fake{t: t, answers: map[string]any{
		allPath: []any{cluster("a", "1", "1", nil), cluster("a", "2", "1", nil), cluster("b", "1", "1", nil),
			cluster("b", "2", "1", nil), cluster("c", "1", "1", nil)},
		poolsPath: []any{nodePool("x", "one", object{}, nil), nodePool("y", "two", object{}, nil),
			nodePool("z", "one", object{}, nil)},
	}}
	c := f.client()
	selector, err := labels.Parse("env=lab")
	if err != nil {
		t.Fatal(err)
	}
	items, err := List(t.Context(), c, Query{Resource: HostedClusters(), Selector: selector})
	if got := namesOf(items); err != nil || got != "a/1 a/2 b/1 b/2 c/1" {
		t.Errorf("%s, %v", got, err)
	}
	asked := f.asked()
	if len(asked) != 3 {
		t.Errorf("five in pages of two: %q", asked)
	}
	for _, r := range asked {
		if !strings.Contains(r, "limit=") || !strings.Contains(r, "labelSelector=env%3Dlab") {
			t.Errorf("asked %s", r)
		}
	}
	items, err = List(t.Context(), c, Query{Resource: NodePools(), Namespace: "clusters", Cluster: "one"})
	if got := namesOf(items); err != nil || got != "clusters/x clusters/z" {
		t.Errorf("pools of a cluster: %s, %v", got, err)
	}
}

func TestListOfNames(t *testing.T) {
	one, two := cluster("clusters", "one", "1", nil), cluster("clusters", "two", "1", nil)
	f := &fake{t: t, answers: map[string]any{
		clustersPath: []any{one, two}, clustersPath + "/one": one, clustersPath + "/two": two,
		allPath:   []any{one, two, cluster("dev", "three", "1", nil)},
		poolsPath: []any{}, poolsPath + "/np": nodePool("np", "one", object{}, nil),
		allPoolsPath: []any{nodePool("np", "one", object{}, nil)},
	}}
	c := f.client()
	items, err := List(t.Context(), c, Query{Resource: HostedClusters(), Namespace: "clusters",
		Names: []string{"two", "one"}})
	if got := namesOf(items); err != nil || got != "clusters/two clusters/one" {
		t.Errorf("%s, %v", got, err)
	}
	items, err = List(t.Context(), c, Query{Resource: HostedClusters(), Namespace: "clusters",
		Names: []string{"one", "no", "none"}})
	want := `no hosted cluster "no" in namespace "clusters"; there are: one, two, dev/three
no hosted cluster "none" in namespace "clusters"; there are: one, two, dev/three`
	if got := namesOf(items); got != "clusters/one" || err == nil || err.Error() != want {
		t.Errorf("%s, %v", got, err)
	}
	_, err = List(t.Context(), c, Query{Resource: NodePools(), Namespace: "clusters", Names: []string{"np"},
		Cluster: "two"})
	var missing *hostedcluster.NotFoundError
	if !errors.As(err, &missing) || err.Error() != `no node pool "np" in namespace "clusters"; there is none at all` ||
		!strings.Contains(missing.Hint().String(), "get nodepools") {
		t.Errorf("a pool of another cluster: %v", err)
	}
}

func TestListFailsClearly(t *testing.T) {
	_, err := List(t.Context(), (&fake{t: t}).client(), Query{Resource: HostedClusters()})
	var uninstalled *hostedcluster.NotInstalledError
	if !errors.As(err, &uninstalled) {
		t.Errorf("without HyperShift: %v", err)
	}
	f := &fake{t: t, answers: map[string]any{allPath: http.StatusForbidden, clustersPath: []any{}}}
	if _, err := List(t.Context(), f.client(), Query{Resource: HostedClusters()}); err == nil ||
		!strings.Contains(err.Error(), `list HostedClusters: User "dev" may not`) {
		t.Errorf("forbidden: %v", err)
	}
	_, err = List(t.Context(), f.client(), Query{Resource: HostedClusters(), Namespace: "clusters", Names: []string{"no"}})
	if err == nil ||
		!strings.Contains(err.Error(),
			`no hosted cluster "no" in namespace "clusters" (nor may the others be listed: not allowed`) {
		t.Errorf("a name, where none may be listed: %v", err)
	}
}

func TestColumns(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC)
	whole := cluster("clusters", "kv-00", "1", object{
		"kubeconfig":           object{"name": "kv-00-admin-kubeconfig"},
		"controlPlaneEndpoint": object{"host": "192.168.216.40", "port": int64(6443)},
		"version": object{"history": []any{
			object{"state": "Partial", "version": "4.20.4"}, object{"state": "Completed", "version": "4.20.3"},
			object{"state": "Completed", "version": "4.19.0"},
		}},
		"controlPlaneVersion": object{"history": []any{object{"state": "Completed", "version": "4.20.4"}}},
		"conditions":          said("Available True AsExpected first line\nsecond line", "Progressing False"),
	})
	whole["spec"].(object)["pausedUntil"] = "true"
	auto := nodePool("auto", "kv-00", object{"autoScaling": object{"min": int64(1), "max": int64(5)}, "arch": "amd64"},
		object{"replicas": int64(0)})
	fixed := nodePool("fixed", "kv-00", object{
		"replicas": int64(2), "management": object{"upgradeType": "Replace"},
		"release": object{"image": "registry.example/ocp:4.20.3"},
		"platform": object{"kubevirt": object{
			"compute":    object{"cores": int64(4), "memory": "8Gi"},
			"rootVolume": object{"persistent": object{"size": "32Gi"}},
		}},
	}, object{"replicas": int64(1), "version": "4.20.3",
		"conditions": said("AutoscalingEnabled False", "AutorepairEnabled True", "UpdatingVersion False",
			"UpdatingConfig True", "Ready False X one of two")})
	for name, tc := range map[string]struct {
		resource Resource
		object   object
		all      bool
		wide     bool
		want     string
	}{
		"cluster": {HostedClusters(), whole, false, false,
			"NAME=kv-00|VERSION=4.20.3|KUBECONFIG=kv-00-admin-kubeconfig|PROGRESS=Partial|" +
				"AVAILABLE=True|PROGRESSING=False|MESSAGE=first line; second line"},
		"cluster, wide": {HostedClusters(), whole, true, true,
			"NAMESPACE=clusters|NAME=kv-00|VERSION=4.20.3|KUBECONFIG=kv-00-admin-kubeconfig|PROGRESS=Partial|" +
				"AVAILABLE=True|PROGRESSING=False|MESSAGE=first line; second line" +
				"|CP VERSION=4.20.4|CP PROGRESS=Completed|API=192.168.216.40:6443|CONTROL " +
				"PLANE=HighlyAvailable|PAUSED=true|OWNER=|EXPIRES=|RELEASE=registry.example/ocp:kv-00|AGE=150m"},
		"new cluster": {HostedClusters(), cluster("dev", "new", "1", nil), true, false,
			"NAMESPACE=dev|NAME=new|VERSION=|KUBECONFIG=|PROGRESS=|AVAILABLE=|PROGRESSING=|MESSAGE="},
		"node pool": {NodePools(), fixed, false, false,
			"NAME=fixed|CLUSTER=kv-00|DESIRED NODES=2|CURRENT " +
				"NODES=1|AUTOSCALING=False|AUTOREPAIR=True|VERSION=4.20.3|UPDATINGVERSION=False|UPDATINGCONFIG=True|MESSAGE=one " +
				"of two"},
		"node pool, wide": {NodePools(), fixed, false, true,
			"NAME=fixed|CLUSTER=kv-00|DESIRED NODES=2|CURRENT " +
				"NODES=1|AUTOSCALING=False|AUTOREPAIR=True|VERSION=4.20.3|UPDATINGVERSION=False|UPDATINGCONFIG=True|MESSAGE=one " +
				"of two" +
				"|MIN-MAX=|CORES=4|MEMORY=8Gi|ROOT " +
				"VOLUME=32Gi|ARCH=|UPGRADE=Replace|PAUSED=|RELEASE=registry.example/ocp:4.20.3|AGE=150m"},
		"node pool that scales itself": {NodePools(), auto, false, true,
			"NAME=auto|CLUSTER=kv-00|DESIRED NODES=|CURRENT " +
				"NODES=0|AUTOSCALING=|AUTOREPAIR=|VERSION=|UPDATINGVERSION=|UPDATINGCONFIG=|MESSAGE=" +
				"|MIN-MAX=1-5|CORES=|MEMORY=|ROOT VOLUME=|ARCH=amd64|UPGRADE=|PAUSED=|RELEASE=|AGE=150m"},
	} {
		headings := tc.resource.Headings(tc.all, tc.wide)
		cells := tc.resource.Cells(&unstructured.Unstructured{Object: tc.object}, tc.all, tc.wide, now)
		if len(headings) != len(cells) {
			t.Fatalf("%s: %d headings, %d cells", name, len(headings), len(cells))
		}
		var got []string
		for i := range cells {
			got = append(got, headings[i]+"="+cells[i])
		}
		if diff := cmp.Diff(strings.Split(tc.want, "|"), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
