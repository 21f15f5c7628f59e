package deletion

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/step"
)

// servicesNamespace is the namespace of the services of clusters/kv-00, as hcctl makes it.
func servicesNamespace(uid string) hostedtest.Object {
	meta := hostedtest.UnfinishedMeta("clusters-kv-00-services", "kv-00-abcde")
	delete(meta, "namespace")
	meta["uid"] = "services"
	meta["annotations"].(hostedtest.Object)["hcctl.dev/hosted-cluster-uid"] = uid
	return object(meta)
}

const servicesPath = hostedtest.NamespacesPath + "/clusters-kv-00-services"

// The namespace of the services goes once the HostedCluster is gone, and its place in the pool is given back.
func TestServicesGoWithTheCluster(t *testing.T) {
	w := world(t)
	w.Set("Namespace", planeNamespace(), servicesNamespace("uid-of-clusters-kv-00"))
	w.Set("IPAddressPool", hostedtest.AddressPool("tenants", []string{"clusters-kv-00", "clusters-kv-00-services"}, "other",
		"clusters-kv-00", "clusters-kv-00-services"))
	d := prepared(t, w)
	for _, want := range []string{"Namespace clusters-kv-00-services",
		"namespace clusters-kv-00 and clusters-kv-00-services in IPAddressPool metallb-system/tenants"} {
		if !slices.Contains(d.Outside, want) {
			t.Errorf("it does not find %s: %q", want, d.Outside)
		}
	}
	g, err := step.New(d.Steps()...)
	if err != nil {
		t.Fatal(err)
	}
	if r := g.Run(t.Context(), step.Options{Timeout: 20 * time.Second, PollInterval: time.Millisecond}); r.Err() != nil {
		t.Fatal(r.Err())
	}
	writes := w.Writes()
	cluster, services := strings.Index(writes, "delete "+hostedClusterPath), strings.Index(writes, "delete "+servicesPath)
	if cluster < 0 || services < cluster {
		t.Errorf("wrote\n%s", writes)
	}
	pool := unstructuredPool(w)
	if got := pool.GetAnnotations(); len(got) != 1 || got["mine"] == "" {
		t.Errorf("the pool still has %v", got)
	}
}

// A namespace of that name that is not proven to be this cluster's stays.
func TestForeignServicesStay(t *testing.T) {
	somebodys := object(hostedtest.Object{"name": "clusters-kv-00-services", "uid": "theirs"})
	for name, ns := range map[string]hostedtest.Object{"somebody's": somebodys, "of a cluster before": servicesNamespace("id-0")} {
		t.Run(name, func(t *testing.T) {
			w := world(t)
			w.Set("Namespace", planeNamespace(), ns)
			d := prepared(t, w)
			if d.hasServices {
				t.Errorf("it is taken for the cluster's: %q", d.Found)
			}
			if does := d.servicesGone(t.Context(), w.Client); does.State != step.StateOK {
				t.Errorf("got %+v", does)
			}
			if change, err := d.deleteServices(t.Context()); change != step.Unchanged || err != nil ||
				strings.Contains(w.Writes(), servicesPath) {
				t.Errorf("%s, %v: %s", change, err, w.Writes())
			}
		})
	}
}
