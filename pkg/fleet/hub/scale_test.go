package hub_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/fleet/hub"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

// BenchmarkFleet measures hcctl with a hub of 50 sites and 5,000 hosted clusters, whose reports are made here: the
// requests, the time and the memory of a list, and of an apply that finds nothing to do (docs/scale.md).
func BenchmarkFleet(b *testing.B) {
	const sites, each = 50, 100
	api := largeHub(b, sites, each)
	b.Run("get", func(b *testing.B) {
		for b.Loop() {
			f, err := hub.Read(b.Context(), api.Client)
			if err != nil || len(f.Clusters) != sites*each {
				b.Fatalf("%v", err)
			}
		}
		measured(b, api)
	})
	wanted := make([]fleet.DesiredCluster, 0, sites*each)
	for i := range sites * each {
		wanted = append(wanted, desired(b, fmt.Sprintf("kv-%04d", i)))
	}
	b.Run("apply", func(b *testing.B) {
		for b.Loop() {
			apply, err := hub.PrepareApply(b.Context(), api.Client, wanted, hub.ApplyOptions{Wait: options.WaitNone, Parallel: 16})
			if err != nil || len(apply.Prepared()) != sites*each {
				b.Fatalf("%v", err)
			}
		}
		measured(b, api)
	})
}

// measured adds the requests, and the memory that is held at the end.
func measured(b *testing.B, api *kubetest.API) {
	b.Helper()
	b.ReportMetric(float64(len(api.Take()))/float64(b.N), "requests/op")
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapSys)/(1<<20), "MiB-heap")
}

// largeHub is a hub whose sites have reported of each hosted cluster.
func largeHub(b *testing.B, sites, each int) *kubetest.API {
	b.Helper()
	api := newHub(b, managed("site-00", true, 0), decision("site-00"))
	if _, report := run(b, api, written(), desired(b, "a")); report.Err() != nil {
		b.Fatal(report.Err())
	}
	reports(b, api, "site-00", "a", good("4.20.3", image)...)
	model := workOf(b, api, "site-00", "a")
	raw, err := model.MarshalJSON()
	if err != nil {
		b.Fatal(err)
	}
	var list strings.Builder
	for i := range sites {
		list.WriteString("---\n" + managed(fmt.Sprintf("site-%02d", i), true, time.Second))
	}
	api.Put(b, list.String())
	if err := api.Client.Delete(b.Context(), model); err != nil {
		b.Fatal(err)
	}
	if err := api.Client.Delete(b.Context(), api.Object(b, kube.ConfigMap, "hcctl-assignments", model.GetName())); err != nil {
		b.Fatal(err)
	}
	for i := range sites * each {
		name := fmt.Sprintf("kv-%04d", i)
		text := strings.NewReplacer(`"hcctl.clusters.a"`, `"hcctl.clusters.`+name+`"`, `"name":"a"`, `"name":"`+name+`"`,
			`"site-00"`, fmt.Sprintf(`"site-%02d"`, i%sites)).Replace(string(raw))
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON([]byte(text)); err != nil {
			b.Fatal(err)
		}
		api.Put(b, text, assignment(name, fmt.Sprintf("site-%02d", i%sites)))
	}
	api.Take()
	return api
}
