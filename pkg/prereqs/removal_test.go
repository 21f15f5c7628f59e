package prereqs

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

// TestRemovalIsRehearsed has each step of several writes whose last one is refused, as by a webhook: none is made.
func TestRemovalIsRehearsed(t *testing.T) {
	const ours = `labels: {app.kubernetes.io/managed-by: hcctl}`
	for name, tc := range map[string]struct {
		id                step.ID
		objects           []string
		refused, complain string
		// writes are what is sent once nothing is refused.
		writes []string
	}{
		"a StorageCluster with its system": {
			id: "uninstall/storage-cluster",
			objects: []string{`
---
{apiVersion: ocs.openshift.io/v1, kind: StorageCluster,
  metadata: {namespace: openshift-storage, name: ocs-storagecluster, ` + ours + `}}
---
{apiVersion: odf.openshift.io/v1alpha1, kind: StorageSystem,
  metadata: {namespace: openshift-storage, name: ocs-storagecluster-storagesystem, ` + ours + `}}
`},
			refused: "dry run delete storageclusters.ocs.openshift.io", complain: "StorageCluster openshift-storage/",
			writes: []string{"patch storageclusters.ocs.openshift.io openshift-storage/ocs-storagecluster",
				"delete storagesystems.odf.openshift.io openshift-storage/ocs-storagecluster-storagesystem",
				"delete storageclusters.ocs.openshift.io openshift-storage/ocs-storagecluster"},
		},
		"an operator": {
			id: "uninstall/metallb-operator",
			objects: []string{prereqtest.Installed("metallb-operator", "metallb-system",
				"metallb-operator.v4.20.0")},
			refused:  "dry run delete clusterserviceversions.operators.coreos.com",
			complain: "ClusterServiceVersion metallb-system/metallb-operator.v4.20.0",
			writes: []string{
				"patch clusterserviceversions.operators.coreos.com metallb-system/metallb-operator.v4.20.0",
				"delete subscriptions.operators.coreos.com metallb-system/metallb-operator",
				"delete clusterserviceversions.operators.coreos.com metallb-system/metallb-operator.v4.20.0"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			api := prereqtest.Serve(t, tc.objects...)
			s := steptest.Find(t, Removal(api.Client, RemovalOptions{IncludeStorage: true}), tc.id)
			api.Refuse(tc.refused, http.StatusForbidden)
			if _, err := s.Apply(t.Context()); err == nil || !strings.Contains(err.Error(), tc.complain) {
				t.Errorf("got %v, want a complaint about %s", err, tc.complain)
			}
			if writes := api.Writes(); len(writes) > 0 {
				t.Errorf("written although the last write is refused: %v", writes)
			}
			api.Refuse(tc.refused, 0)
			if change, err := s.Apply(t.Context()); err != nil || change != step.Deleted {
				t.Errorf("%s, %v", change, err)
			}
			var writes []string
			for _, w := range api.Writes() {
				writes = append(writes, w.String())
			}
			if !slices.Equal(writes, tc.writes) {
				t.Errorf("wrote %v, want %v", writes, tc.writes)
			}
		})
	}
}

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
		has, gone := false, map[step.ID]bool{}
		for _, s := range graph.Steps() {
			for _, need := range s.Needs {
				if !gone[need] {
					t.Errorf("%s is shown before %s, which has to be gone first", s.ID, need)
				}
			}
			gone[s.ID] = true
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
