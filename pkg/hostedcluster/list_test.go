package hostedcluster

import (
	"errors"
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/fakeapi"
)

func TestClusters(t *testing.T) {
	clusters, err := Clusters(
		t.Context(),
		fakeapi.FakeAPI(
			t,
			map[string]any{
				fakeapi.AllPath: fakeapi.Items(fakeapi.Live(nil), fakeapi.Object{"metadata": fakeapi.MetaOf("dev", "new", nil)}),
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
	if _, err := Clusters(t.Context(), fakeapi.FakeAPI(t, nil), "clusters"); !errors.As(err, &missing) {
		t.Errorf("without HyperShift: %v", err)
	}
}
