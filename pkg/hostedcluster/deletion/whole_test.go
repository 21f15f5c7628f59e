package deletion

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/step"
)

// All that was made for a cluster goes, in the order of its operators, and nothing of others.
func TestAllOfAClusterGoes(t *testing.T) {
	w := world(t)
	w.Set("Namespace", ownNamespace())
	w.Set("Cluster", object(hostedtest.MetaOf("clusters-kv-00", "kv-00-abcde", nil),
		annotated(hostedcluster.OwnerAnnotation, "clusters/kv-00")))
	w.Set("ManagedCluster", imported())
	w.Set("Secret", made("clusters", "kv-00-pull-secret"), object(hostedtest.MetaOf("team", "theirs", nil)))
	w.Set("ConfigMap", made("clusters", "kv-00-user-ca-bundle"), made("metallb-system", "mine"))
	w.Set("Service", made("metallb-system", "mine"), made("clusters-kv-00", "of-the-control-plane"))
	w.Set("IPAddressPool", hostedtest.AddressPool("tenants", []string{"clusters-kv-00"}, "other", "clusters-kv-00"))
	w.Set("VirtualMachine", object(hostedtest.MetaOf("clusters-kv-00", "w-1", nil)),
		object(hostedtest.MetaOf("clusters-kv-00", "w-2", nil)))
	w.Set("PersistentVolumeClaim", object(hostedtest.MetaOf("clusters-kv-00", "data-etcd-0", nil),
		with("spec", hostedtest.Object{"resources": hostedtest.Object{"requests": hostedtest.Object{"storage": "8Gi"}}})))
	d := prepared(t, w)
	want := []string{
		"HostedCluster clusters/kv-00", "NodePool clusters/kv-00", "Namespace clusters-kv-00", "ManagedCluster kv-00",
		"Secret clusters/kv-00-pull-secret", "ConfigMap clusters/kv-00-user-ca-bundle",
		"namespace clusters-kv-00 in IPAddressPool metallb-system/tenants", "ConfigMap metallb-system/mine",
		"Service metallb-system/mine",
	}
	if diff := cmp.Diff(want, d.Found); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"2 worker VMs", "1 volume of 8Gi in all"}, d.Lost); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{want[3], want[6], want[7], want[8]}, d.Outside); diff != "" || len(d.Left) > 0 {
		t.Error(diff, d.Left)
	}
	for _, name := range []string{"w-1", "w-2"} {
		w.Of("VirtualMachine").Delete("clusters-kv-00", name)
	}
	w.Of("Service").Delete("clusters-kv-00", "of-the-control-plane")
	w.Of("PersistentVolumeClaim").Delete("clusters-kv-00", "data-etcd-0")
	g, err := step.New(d.Steps()...)
	if err != nil {
		t.Fatal(err)
	}
	if r := g.Run(t.Context(), step.Options{Timeout: 20 * time.Second, PollInterval: time.Millisecond}); r.Err() != nil {
		t.Fatal(r.Err())
	}
	writes := strings.Split(w.Writes(), "\n")
	place := func(write string) int {
		i := slices.Index(writes, write)
		if i < 0 {
			t.Errorf("no %s among\n%s", write, strings.Join(writes, "\n"))
		}
		return i
	}
	const capi = "delete /apis/cluster.x-k8s.io/v1beta1/namespaces/clusters-kv-00/clusters/kv-00-abcde"
	order := []string{
		"patch " + hostedClusterPath, "delete " + managedPath, "delete " + hostedClusterPath,
		"delete " + hostedtest.PoolsPath + "/kv-00", capi, "delete " + hostedPath + "/kv-00", "delete " + namespacePath,
		"delete " + hostedtest.SecretsPath + "/kv-00-pull-secret", "delete " + hostedtest.MapsPath + "/kv-00-user-ca-bundle",
		"delete " + hostedtest.NamespacesPath + "/clusters",
	}
	for i, write := range order[1:] {
		if place(order[i]) > place(write) {
			t.Errorf("%s comes before %s", write, order[i])
		}
	}
	for _, write := range []string{"patch " + hostedtest.AddressPoolsPath + "/tenants",
		"delete /api/v1/namespaces/metallb-system/configmaps/mine", "delete /api/v1/namespaces/metallb-system/services/mine"} {
		if place(write) > place("delete "+hostedtest.SecretsPath+"/kv-00-pull-secret") {
			t.Errorf("%s comes after the Secrets", write)
		}
	}
	if len(writes) != len(order)+3 || w.Of("Secret").Object("team", "theirs") == nil {
		t.Errorf("%d writes:\n%s", len(writes), strings.Join(writes, "\n"))
	}
}

// A guest that its klusterlet does not reach any more keeps the hub from cleaning up in it: all else of the cluster
// goes, and what is left is said at the end, with what holds it.
func TestAnUnreachableGuestHoldsNothingElse(t *testing.T) {
	w := world(t)
	w.Set("Namespace", ownNamespace())
	w.Set("Cluster", object(hostedtest.MetaOf("clusters-kv-00", "kv-00-abcde", nil),
		annotated(hostedcluster.OwnerAnnotation, "clusters/kv-00")))
	w.Set("ManagedCluster", imported(goesSince(3*time.Minute),
		held("cluster.open-cluster-management.io/api-resource-cleanup"),
		with("status", hostedtest.Object{"conditions": []any{hostedtest.Object{"type": "Deleting", "status": "False",
			"reason": "ResourceRemaining", "message": "1 manifestworks are left"}}})))
	w.Set("Secret", made("clusters", "kv-00-pull-secret"))
	g, err := step.New(prepared(t, w).Steps()...)
	if err != nil {
		t.Fatal(err)
	}
	r := g.Run(t.Context(), step.Options{Timeout: 3 * time.Second, PollInterval: time.Millisecond})
	failed, ok := step.AsRunError(r.Err())
	if !ok {
		t.Fatalf("it does not say what is left: %v", r.Err())
	}
	for _, result := range failed.Results {
		switch f := result.Finding; result.Step.ID {
		case notImportedStep:
			if f.Object != "ManagedCluster kv-00" || !strings.Contains(f.Message, "ResourceRemaining: 1 manifestworks are left") ||
				!strings.Contains(f.Message, "api-resource-cleanup") || !strings.Contains(f.Hint.String(), "docs/delete.md") {
				t.Errorf("%+v", f)
			}
		case emptyNamespaceStep: // its turn is after that
		default:
			t.Errorf("%s: %+v", result.Step.ID, f)
		}
	}
	for _, gone := range []struct{ kind, namespace, name string }{{"HostedCluster", "clusters", "kv-00"},
		{"NodePool", "clusters", "kv-00"}, {"Namespace", "", "clusters-kv-00"}, {"Secret", "clusters", "kv-00-pull-secret"}} {
		if w.Of(gone.kind).Object(gone.namespace, gone.name) != nil {
			t.Errorf("%s %s/%s is left", gone.kind, gone.namespace, gone.name)
		}
	}
}

// Steps that were not asked for are not there.
func TestStepsByOptions(t *testing.T) {
	const begin, rest = "delete/cleanup", "delete/hosted-cluster delete/node-pools delete/control-plane delete/volumes " +
		"delete/objects"
	for name, tc := range map[string]struct {
		edit func(*Options)
		want string
	}{
		"all": {func(*Options) {}, begin + " delete/managed-cluster " + rest +
			" delete/secrets delete/not-imported-again delete/namespace"},
		"no wait": {noWait, begin + " delete/managed-cluster delete/hosted-cluster"},
		"keep ManagedCluster": {func(o *Options) { o.KeepManagedCluster = true }, begin + " " + rest +
			" delete/secrets delete/namespace"},
		"keep Secrets": {func(o *Options) { o.KeepSecrets = true }, begin + " delete/managed-cluster " +
			"delete/secrets-kept " + rest + " delete/not-imported-again"},
		"keep namespace": {func(o *Options) { o.KeepNamespace = true }, begin + " delete/managed-cluster " + rest +
			" delete/secrets delete/not-imported-again"},
	} {
		d := prepared(t, world(t), tc.edit)
		var ids []string
		for _, s := range d.Steps() {
			ids = append(ids, string(s.ID))
		}
		if got := strings.Join(ids, " "); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
		if _, err := step.New(d.Steps()...); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
