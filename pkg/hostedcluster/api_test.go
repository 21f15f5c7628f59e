package hostedcluster

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/step"
)

func pool(namespace, name, cluster string) hostedtest.Object {
	return hostedtest.Object{"metadata": hostedtest.MetaOf(namespace, name, nil), "spec": hostedtest.Object{"clusterName": cluster}}
}

func TestFind(t *testing.T) {
	w := hostedtest.NewWorld(t)
	w.Set("HostedCluster", hostedtest.Hosted("clusters", "kv-01", "b", "", "10:00:00"),
		hostedtest.Hosted("clusters", "kv-00", "a", "", "10:00:00"), hostedtest.Hosted("team", "x", "c", "", "10:00:00"))
	if hc, err := Find(t.Context(), w.Client, "clusters", "kv-00"); err != nil || hc.Name != "kv-00" {
		t.Errorf("%v, %v", hc, err)
	}
	_, err := Find(t.Context(), w.Client, "clusters", "kv-02")
	var missing *NotFoundError
	if !errors.As(err, &missing) ||
		err.Error() != `no hosted cluster "kv-02" in namespace "clusters"; there are: kv-00, kv-01, team/x` {
		t.Errorf("%v", err)
	}
	w.Forbid("get " + hostedtest.AllPath)
	if _, err = Find(t.Context(), w.Client, "clusters", "kv-02"); err == nil || !errors.As(err, &missing) ||
		!strings.Contains(err.Error(), `no hosted cluster "kv-02" in namespace "clusters" (nor may the others be listed: `) {
		t.Errorf("%v", err)
	}
	w.Forbid("get " + hostedtest.ClustersPath + "/kv-00")
	if _, err = Find(t.Context(), w.Client, "clusters", "kv-00"); err == nil ||
		!strings.HasPrefix(err.Error(), "HostedCluster clusters/kv-00: ") {
		t.Errorf("%v", err)
	}
	w.Allow()
	w.Remove("HostedCluster")
	var uninstalled *NotInstalledError
	if _, err = Find(t.Context(), w.Client, "clusters", "kv-00"); !errors.As(err, &uninstalled) {
		t.Errorf("%v", err)
	}
}

func TestFindPool(t *testing.T) {
	w := hostedtest.NewWorld(t)
	w.Set("NodePool", pool("clusters", "b", "kv-00"), pool("clusters", "a", "kv-01"), pool("team", "c", "kv-00"))
	if np, err := FindPool(t.Context(), w.Client, "clusters", "a"); err != nil || np.Name != "a" {
		t.Errorf("%v, %v", np, err)
	}
	_, err := FindPool(t.Context(), w.Client, "clusters", "x")
	var missing *PoolNotFoundError
	if !errors.As(err, &missing) || err.Error() != `no node pool "x" in namespace "clusters"; there are: a, b` {
		t.Errorf("%v", err)
	}
	w.Forbid("get " + hostedtest.PoolsPath)
	if _, err = FindPool(t.Context(), w.Client, "clusters", "x"); err == nil || !errors.As(err, &missing) ||
		!strings.Contains(err.Error(), `no node pool "x" in namespace "clusters" (nor may the others be listed: `) {
		t.Errorf("%v", err)
	}
	w.Forbid("get " + hostedtest.PoolsPath + "/a")
	if _, err = FindPool(t.Context(), w.Client, "clusters", "a"); err == nil ||
		!strings.HasPrefix(err.Error(), "NodePool clusters/a: ") {
		t.Errorf("%v", err)
	}
	if _, err = Pools(t.Context(), w.Client, "clusters", "kv-00"); err == nil ||
		!strings.HasPrefix(err.Error(), "list NodePools in namespace clusters: ") {
		t.Errorf("%v", err)
	}
	w.Allow()
	w.Set("NodePool", pool("clusters", "0", "kv-00"))
	if pools, err := Pools(t.Context(), w.Client, "clusters", "kv-00"); err != nil || len(pools) != 2 ||
		pools[0].Name != "0" || pools[1].Name != "b" {
		t.Errorf("%v, %v", pools, err)
	}
	np, err := FindPool(t.Context(), w.Client, "clusters", "b")
	if err != nil {
		t.Fatal(err)
	}
	w.Set("VirtualMachine", hostedtest.Object{"metadata": hostedtest.MetaOf("clusters-kv-00", "w-1", nil)},
		hostedtest.Object{"metadata": hostedtest.MetaOf("clusters-kv-01", "w-2", nil)})
	if vms, err := PoolMachines(t.Context(), w.Client, np); err != nil || len(vms) != 1 || vms[0].Name != "w-1" {
		t.Errorf("%v, %v", vms, err)
	}
	w.Remove("NodePool")
	var uninstalled *NotInstalledError
	if _, err = FindPool(t.Context(), w.Client, "clusters", "a"); !errors.As(err, &uninstalled) {
		t.Errorf("%v", err)
	}
}

func TestListIdentities(t *testing.T) {
	w := hostedtest.NewWorld(t)
	w.Set("HostedCluster", hostedtest.Hosted("clusters", "kv-00", "a", "id", "10:00:00"),
		hostedtest.Hosted("team", "x", "c", "", "11:00:00"))
	names := func(namespaces ...string) (string, string) {
		t.Helper()
		all, unread, err := ListIdentities(t.Context(), w.Client, namespaces...)
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for _, i := range all {
			keys = append(keys, i.Key())
		}
		return strings.Join(keys, " "), unread
	}
	if got, unread := names("team"); got != "clusters/kv-00 team/x" || unread != "" {
		t.Errorf("%s, %q", got, unread)
	}
	all, _, _ := ListIdentities(t.Context(), w.Client)
	if i := all[0]; i.InfraID != "a" || i.ClusterID != "id" || i.UID != "uid-of-clusters-kv-00" || i.Created.Hour() != 10 {
		t.Errorf("%+v", i)
	}
	w.Forbid("get " + hostedtest.AllPath)
	if got, unread := names("team", "clusters", "team"); got != "clusters/kv-00 team/x" ||
		!strings.HasPrefix(unread, "not allowed: ") {
		t.Errorf("%s, %q", got, unread)
	}
	w.Forbid("get " + hostedtest.ClustersPath)
	if _, _, err := ListIdentities(t.Context(), w.Client, "clusters"); err == nil ||
		!strings.HasPrefix(err.Error(), "list HostedClusters: ") {
		t.Errorf("%v", err)
	}
	if _, err := Clusters(t.Context(), w.Client, "clusters"); err == nil ||
		!strings.HasPrefix(err.Error(), "list HostedClusters: ") {
		t.Errorf("%v", err)
	}
	w.Allow()
	w.Remove("HostedCluster")
	if all, unread, err := ListIdentities(t.Context(), w.Client); all != nil || unread != "" || err != nil {
		t.Errorf("%v, %q, %v", all, unread, err)
	}
}

// Clusters come in pages.
func TestManyClusters(t *testing.T) {
	w := hostedtest.NewWorld(t)
	for i := range 501 {
		w.Set("HostedCluster", hostedtest.Hosted("clusters", "c"+strconv.Itoa(i), "i", "", "10:00:00"))
	}
	if all, err := Clusters(t.Context(), w.Client, "clusters"); err != nil || len(all) != 501 {
		t.Errorf("%d, %v", len(all), err)
	}
}

func TestEdit(t *testing.T) {
	w := hostedtest.NewWorld(t)
	w.Set("HostedCluster", hostedtest.Hosted("clusters", "kv-00", "a", "", "10:00:00"))
	edit := func(fields map[string]any) (step.Change, error) {
		t.Helper()
		hc, err := Find(t.Context(), w.Client, "clusters", "kv-00")
		if err != nil {
			t.Fatal(err)
		}
		return Edit(t.Context(), w.Client, hc, fields)
	}
	for _, want := range []step.Change{step.Configured, step.Unchanged} {
		change, err := edit(map[string]any{"metadata": map[string]any{"annotations": map[string]any{"a": "b"}}})
		if err != nil || change != want {
			t.Errorf("%q, %v", change, err)
		}
	}
	if change, err := edit(map[string]any{"spec": map[string]any{"infraID": "b"}}); err != nil ||
		change != step.Configured {
		t.Errorf("%q, %v", change, err)
	}
	hc, err := Find(t.Context(), w.Client, "clusters", "kv-00")
	if err != nil || hc.Spec.InfraID != "b" || hc.Annotations["a"] != "b" {
		t.Errorf("%+v, %v", hc, err)
	}
	// What was changed meanwhile is left.
	if _, err := edit(map[string]any{"spec": map[string]any{"infraID": "c"}}); err != nil {
		t.Error(err)
	}
	if change, err := Edit(t.Context(), w.Client, hc,
		map[string]any{"spec": map[string]any{"infraID": "d"}}); err == nil ||
		change != "" || !strings.HasPrefix(err.Error(), "HostedCluster clusters/kv-00: ") {
		t.Errorf("%q, %v", change, err)
	}
	if change, err := edit(map[string]any{"spec": func() {}}); err == nil || change != "" ||
		!strings.HasPrefix(err.Error(), "clusters/kv-00: ") {
		t.Errorf("%q, %v", change, err)
	}
	w.Refuse("patch "+hostedtest.ClustersPath+"/kv-00", http.StatusForbidden)
	if change, err := edit(map[string]any{}); err == nil || change != "" {
		t.Errorf("%q, %v", change, err)
	}
}
