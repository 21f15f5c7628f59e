package crd

import (
	"maps"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/contracts"
)

// An API server takes every schema of every release.
func TestEverySchemaIsStructural(t *testing.T) {
	tables, err := contracts.Tables()
	if err != nil {
		t.Fatal(err)
	}
	if len(tables) < 27 {
		t.Fatalf("%d tables", len(tables))
	}
	for _, table := range tables {
		releases, err := table.Releases.All()
		if err != nil {
			t.Fatal(err)
		}
		for _, release := range releases {
			schemas, err := Schemas(table, release)
			if err != nil {
				t.Error(err)
			}
			if len(schemas) == 0 {
				t.Errorf("%s %s has no schema", table.CRD, release)
			}
			for version, schema := range schemas {
				if _, err := Structural(schema); err != nil {
					t.Errorf("%s %s %s: %v", table.CRD, release, version, err)
				}
			}
		}
	}
}

func schemaOf(t *testing.T, group, kind, release, version string) *apiextensionsv1.JSONSchemaProps {
	t.Helper()
	table, err := contracts.TableOf(group, kind)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := contracts.ParseRelease(release)
	if err != nil {
		t.Fatal(err)
	}
	all, err := Schemas(table, parsed)
	if err != nil {
		t.Fatal(err)
	}
	schema := all[version]
	if schema == nil {
		t.Fatalf("%s %s has versions %v", kind, release, slices.Collect(maps.Keys(all)))
	}
	return schema
}

const lvmCluster = `
apiVersion: lvm.topolvm.io/v1alpha1
kind: LVMCluster
metadata: {name: a, namespace: b}
spec:
  tolerations: [{key: a, operator: Exists}]
  storage:
    deviceClasses:
    - name: vg1
      default: true
      fstype: xfs
      nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}
      thinPoolConfig: {name: p, sizePercent: 90, overprovisionRatio: 10, chunkSize: 128Ki}
`

func TestProblems(t *testing.T) {
	for name, tc := range map[string]struct{ release, old, new, want string }{
		"4.12":            {"4.12", "", "", `unknown field "spec.storage.deviceClasses[0].default"`},
		"4.13":            {"4.13", "", "", `unknown field "spec.storage.deviceClasses[0].fstype"`},
		"4.15":            {"4.15", "", "", `unknown field "spec.storage.deviceClasses[0].thinPoolConfig.chunkSize"`},
		"4.16":            {"4.16", "", "", ""},
		"enum":            {"4.20", "fstype: xfs", "fstype: btrfs", "fstype in body should be one of [xfs ext4 ]"},
		"pattern":         {"4.20", "name: vg1", "name: VG1", "should match"},
		"minimum":         {"4.20", "sizePercent: 90", "sizePercent: 9", "should be greater than or equal to 10"},
		"maximum by then": {"4.12", "sizePercent: 90", "sizePercent: 95", "should be less than or equal to 90"},
		"maximum later":   {"4.20", "sizePercent: 90", "sizePercent: 95", ""},
		"required":        {"4.20", "overprovisionRatio: 10, ", "", "overprovisionRatio in body is required"},
		"type":            {"4.20", "default: true", "default: 'yes'", "must be of type boolean"},
		"inside Kubernetes": {"4.20", "operator: Exists}]}]", "operater: Exists}]}]",
			`unknown field "spec.storage.deviceClasses[0].nodeSelector.nodeSelectorTerms[0].matchExpressions[0].operater"`},
		"required there": {"4.20", "nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]", "",
			"nodeSelectorTerms in body is required"},
		"metadata": {"4.20", "name: a, ", "name: a, labels: {x: y}, ", ""},
	} {
		t.Run(name, func(t *testing.T) {
			object := map[string]any{}
			if err := yaml.Unmarshal([]byte(strings.Replace(lvmCluster, tc.old, tc.new, 1)), &object); err != nil {
				t.Fatal(err)
			}
			got, err := Problems(schemaOf(t, "lvm.topolvm.io", "LVMCluster", tc.release, ""), object)
			if err != nil {
				t.Fatal(err)
			}
			if all := strings.Join(got, "\n"); tc.want == "" && all != "" || !strings.Contains(all, tc.want) {
				t.Errorf("got %q, want %q", all, tc.want)
			}
		})
	}
}

func TestShapes(t *testing.T) {
	for name, tc := range map[string]struct {
		schema *apiextensionsv1.JSONSchemaProps
		object map[string]any
		want   string
	}{
		"a status that keeps all": {schemaOf(t, "ceph.rook.io", "CephCluster", "4.18", ""),
			map[string]any{"status": map[string]any{"new": "kept"}}, ""},
		"a spec that is not in the table": {schemaOf(t, "ceph.rook.io", "CephCluster", "4.18", ""),
			map[string]any{"spec": map[string]any{"new": "kept"}}, ""},
		"a map's values": {schemaOf(t, "ceph.rook.io", "CephCluster", "4.18", ""), map[string]any{"status": map[string]any{
			"ceph": map[string]any{"details": map[string]any{"OSD_DOWN": map[string]any{"severity": "HEALTH_WARN"}}}}},
			"message in body is required"},
		"a field of another version": {schemaOf(t, "cluster.open-cluster-management.io", "ManagedClusterSet", "2.4",
			"v1beta2"),
			map[string]any{"spec": map[string]any{"clusterSelector": map[string]any{"selectorType": "LegacyClusterSetLabel"}}},
			"should be one of [ExclusiveClusterSetLabel LabelSelector]"},
		"an embedded object": {schemaOf(t, "work.open-cluster-management.io", "ManifestWork", "2.10", ""),
			map[string]any{"spec": map[string]any{"workload": map[string]any{"manifests": []any{map[string]any{
				"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"a": "b"}}}}}}, ""},
		"a value of an int-or-string": {schemaOf(t, "ocs.openshift.io", "StorageCluster", "5.0", ""),
			map[string]any{"spec": map[string]any{"managedResources": map[string]any{"cephBlockPools": map[string]any{
				"poolSpec": map[string]any{"erasureCoded": map[string]any{"codingChunks": int64(1), "dataChunks": int64(2),
					"stripeUnit": "5Ki"}}}}}}, "should be one of [4Ki 16Ki 64Ki 256Ki 1Mi]"},
		"lists in a map": {schemaOf(t, "ocs.openshift.io", "StorageCluster", "4.18", ""),
			map[string]any{"spec": map[string]any{
				"nodeTopologies": map[string]any{"labels": map[string]any{"zone": []any{"a", "b"}}}}}, ""},
	} {
		got, err := Problems(tc.schema, tc.object)
		if err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(got, "\n"); tc.want == "" && all != "" || !strings.Contains(all, tc.want) {
			t.Errorf("%s: got %q, want %q", name, all, tc.want)
		}
	}
}

func TestAnUnknownReleaseHasNoSchema(t *testing.T) {
	table, err := contracts.TableOf("lvm.topolvm.io", "LVMCluster")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Schemas(table, contracts.Release{Major: 5, Minor: 2}); err == nil {
		t.Error("5.2 has a schema")
	}
}
