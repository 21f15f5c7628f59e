package hostedcluster

import (
	"errors"
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
)

func TestClusters(t *testing.T) {
	clusters, err := Clusters(
		t.Context(),
		hostedtest.ReadOnly(
			t,
			map[string]any{
				hostedtest.AllPath: hostedtest.Items(hostedtest.Live(nil), hostedtest.Object{"metadata": hostedtest.MetaOf("dev", "new", nil)}),
			},
		),
		"",
	)
	if err != nil {
		t.Fatal(err)
	}
	if len(clusters) != 2 || clusters[0].Name != "kv-00" || clusters[1].Namespace != "dev" {
		t.Errorf("got %v", clusters)
	}
	var missing *NotInstalledError
	if _, err := Clusters(t.Context(), hostedtest.ReadOnly(t, nil), "clusters"); !errors.As(err, &missing) {
		t.Errorf("without HyperShift: %v", err)
	}
}
