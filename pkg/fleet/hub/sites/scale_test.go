package sites_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/fleet/hub/sites"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/informer"
	"github.com/hcctl/hcctl/pkg/step"
)

// BenchmarkCheck measures a check of 50 sites through the hub (docs/scale.md).
func BenchmarkCheck(b *testing.B) {
	api := newHub(b, true)
	deliver(b, api, delivery(b, rendered(b)))
	spread(b, api)
	for _, kind := range []kube.Kind{kube.ManagedCluster, kube.ManifestWork} {
		for i := range 50 {
			name, site := sites.AlikeName, fmt.Sprintf("site-%02d", i)
			one := api.Object(b, kind, "east", name)
			if kind == kube.ManagedCluster {
				one = api.Object(b, kind, "", "east")
			}
			raw, err := one.MarshalJSON()
			if err != nil {
				b.Fatal(err)
			}
			api.Put(b, strings.NewReplacer(`"namespace":"east"`, `"namespace":"`+site+`"`, `"name":"east"`, `"name":"`+site+`"`).
				Replace(string(raw)))
		}
	}
	api.Take()
	for b.Loop() {
		looked, err := sites.Look(b.Context(), api.Client)
		if err != nil {
			b.Fatal(err)
		}
		graph, err := step.New(looked.Steps...)
		if err != nil {
			b.Fatal(err)
		}
		once := informer.NewCache(b.Context())
		r := graph.Check(b.Context(), step.Options{ReadCache: func(context.Context) step.Reads { return once }})
		if len(r.Results) < 50*4 {
			b.Fatalf("%d results", len(r.Results))
		}
	}
	b.ReportMetric(float64(len(api.Take()))/float64(b.N), "requests/op")
}
