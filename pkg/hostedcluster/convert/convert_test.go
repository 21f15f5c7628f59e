package convert

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/hcctl/hcctl/internal/document"
)

// read are the objects of a file.
func read(t *testing.T, path string) []Object {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	docs, err := document.Read(data)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	var all []Object
	for _, d := range docs {
		objects, err := d.Objects()
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, o := range objects {
			all = append(all, Object{Object: o, File: filepath.Base(path)})
		}
	}
	return all
}

// TestShapes: each public shape becomes one cluster, without anything that cannot be said.
func TestShapes(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d shapes, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			clusters, rest, findings := Clusters(read(t, file))
			if len(clusters) != 1 || len(rest) > 0 || len(findings) > 0 {
				t.Fatalf("%d clusters, %d other objects, %v", len(clusters), len(rest), findings)
			}
			for _, f := range clusters[0].Findings {
				if !f.Note {
					t.Errorf("%+v", f)
				}
			}
		})
	}
}

const (
	head = "apiVersion: hypershift.openshift.io/v1beta1\nkind: HostedCluster\nmetadata: {name: kv-00, namespace: clusters}\nspec:\n"
	base = "  release: {image: \"registry.example/ocp-release:4.20.3-multi\"}\n  pullSecret: {name: kv-00-pull-secret}\n"
	vms  = "  platform: {type: KubeVirt, kubevirt: {baseDomainPassthrough: true}}\n"
	pool = "---\napiVersion: hypershift.openshift.io/v1beta1\nkind: NodePool\nmetadata: {name: kv-00, namespace: clusters}\n" +
		"spec:\n  clusterName: kv-00\n  release: {image: \"registry.example/ocp-release:4.20.3-multi\"}\n"
	onVMs = "  platform: {type: KubeVirt, kubevirt: {compute: {memory: 8Gi}}}\n"
)

// TestFindings: what cannot be said is told with its line, and nothing is dropped without a word.
func TestFindings(t *testing.T) {
	for name, tc := range map[string]struct {
		content, want string
	}{
		"another platform": {head + base + "  platform: {type: None}\n", `7 spec.platform.type "None": hcctl has hosted ` +
			"clusters on KubeVirt only"},
		"a platform that is misspelled": {head + base + "  plattform: {type: KubeVirt}\n", "7 spec.plattform HyperShift's API has " +
			"no such field, as far as this hcctl knows; an API server refuses it or drops it"},
		"unknown field": {head + base + vms + "  fipz: true\n", "8 spec.fipz HyperShift's API has no such field, as far as " +
			"this hcctl knows; an API server refuses it or drops it"},
		"unknown field of a pool": {head + base + vms + pool + onVMs + "  replica: 3\n",
			"16 spec.replica HyperShift's API has no such field, as far as this hcctl knows; an API server refuses it or drops it"},
		"credentials without their Secret": {head + base + "  platform:\n    type: KubeVirt\n    kubevirt:\n" +
			"      baseDomainPassthrough: true\n      credentials:\n        infraNamespace: guests\n" +
			"        infraKubeConfigSecret: {name: infra, key: kubeconfig}\n",
			`12 spec.platform.kubevirt.credentials.infraNamespace "guests": needs --infra-kubeconfig-file, the cluster that it is ` +
				"a namespace of"},
		"a volume that is no whole Gi": {head + base + vms + pool + "  platform: {type: KubeVirt, kubevirt: {rootVolume: {type: " +
			"Persistent, persistent: {size: 33000Mi}}}}\n", "15 spec.platform.kubevirt.rootVolume.persistent.size " +
			`"spec.platform.kubevirt.rootVolume.persistent.size": --root-volume-size writes ` +
			"spec.platform.kubevirt.rootVolume.persistent.size; use it instead"},
		"a pool of none": {pool + onVMs, "6 spec.clusterName the HostedCluster clusters/kv-00 is not among the files"},
		"a service of another platform": {head + base + vms + "  services:\n  - service: Ignition\n" +
			"    servicePublishingStrategy: {type: S3}\n", `8 spec.services "Ignition=S3": Ignition cannot be published by "S3"; ` +
			"there are Route, NodePort"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f.yaml")
			if err := os.WriteFile(path, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			clusters, _, findings := Clusters(read(t, path))
			for _, c := range clusters {
				findings = append(findings, c.Findings...)
			}
			var got []string
			for _, f := range findings {
				if !f.Note {
					got = append(got, fmt.Sprintf("%d %s %s", f.Line, f.Field, f.Message))
				}
			}
			if len(got) == 0 || got[0] != tc.want {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}

// TestObjectsBeside: those of no hosted cluster are given back, and a Namespace that hcctl makes is not.
func TestObjectsBeside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.yaml")
	content := head + base + vms + pool + onVMs + "---\n{apiVersion: v1, kind: Namespace, metadata: {name: clusters}}\n---\n" +
		"{apiVersion: v1, kind: Namespace, metadata: {name: clusters, labels: {team: lab}}}\n---\n" +
		"{apiVersion: cluster.open-cluster-management.io/v1, kind: ManagedCluster, metadata: {name: kv-00}, status: {a: b}}\n"
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	clusters, rest, findings := Clusters(read(t, path))
	if len(clusters) != 1 || len(rest) != 2 || len(findings) != 0 {
		t.Fatalf("%d clusters, %d objects, %v", len(clusters), len(rest), findings)
	}
	if rest[0].name() != "Namespace clusters" || rest[1].name() != "ManagedCluster kv-00" || rest[1].Fields["status"] != nil {
		t.Errorf("got %s and %v", rest[0].name(), rest[1].Fields)
	}
}
