package prereqs

import (
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// The order is the promise: nothing goes before all that rests on it is gone, and storage only if asked.
func TestRemovalOrder(t *testing.T) {
	c, err := kube.New(&rest.Config{Host: "https://invalid."})
	if err != nil {
		t.Fatal(err)
	}
	for _, storage := range []bool{false, true} {
		graph, err := step.New(Removal(c, RemovalOptions{IncludeStorage: storage})...)
		if err != nil {
			t.Fatal(err)
		}
		has := false
		for _, s := range graph.Steps() {
			has = has || s.Group == "storage"
			if s.Timeout == 0 || s.Title == "" || s.Group == "" || !strings.HasPrefix(string(s.ID), "uninstall/") {
				t.Errorf("%+v", s)
			}
			if s.ID != "uninstall/hosted-clusters" && len(s.Needs) == 0 {
				t.Errorf("%s may begin while there are hosted clusters", s.ID)
			}
		}
		if has != storage {
			t.Errorf("include storage %t: storage is removed: %t", storage, has)
		}
		depth := graph.Depth()
		for _, order := range [][]step.ID{
			{"uninstall/hosted-clusters", "uninstall/hypershift-addon", "uninstall/local-cluster", "uninstall/engine",
				"uninstall/engine-operator"},
			{"uninstall/hosted-clusters", "uninstall/advertisement", "uninstall/pool", "uninstall/metallb",
				"uninstall/metallb-operator"},
			{"uninstall/hosted-clusters", "uninstall/hyperconverged", "uninstall/virtualization-operator"},
			{"uninstall/hosted-clusters", "uninstall/wildcard"},
		} {
			for i, id := range order {
				if depth[id] < i {
					t.Errorf("%s comes at depth %d, want %d", id, depth[id], i)
				}
			}
		}
		if storage && depth["uninstall/local-storage-operator"] <= depth["uninstall/storage-cluster"] {
			t.Error("the Local Storage Operator goes before what stands on its volumes")
		}
	}
}
