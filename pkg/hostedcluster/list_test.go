package hostedcluster

import (
	"errors"
	"testing"
)

func TestClusters(t *testing.T) {
	clusters, err := Clusters(t.Context(), fakeAPI(t, map[string]any{allPath: items(live(nil), object{"metadata": metaOf("dev", "new", nil)})}), "")
	if err != nil {
		t.Fatal(err)
	}
	if len(clusters) != 2 || clusters[0].Name != "kv-00" || clusters[1].Namespace != "dev" {
		t.Errorf("got %v", clusters)
	}
	var missing *NotInstalledError
	if _, err := Clusters(t.Context(), fakeAPI(t, nil), "clusters"); !errors.As(err, &missing) {
		t.Errorf("without HyperShift: %v", err)
	}
}
