package convert

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
			clusters, rest, findings := Clusters(read(t, file), Release{})
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
	base = "  release: {image: \"registry.example/ocp-release:4.20.3-multi\"}\n  pullSecret: {name: kv-00-pull-secret}\n" + services
	// services are on one line.
	services = "  services: [{service: APIServer, servicePublishingStrategy: {type: LoadBalancer}}, {service: OAuthServer, " +
		"servicePublishingStrategy: {type: Route}}, {service: Konnectivity, servicePublishingStrategy: {type: Route}}, " +
		"{service: Ignition, servicePublishingStrategy: {type: Route}}]\n"
	vms  = "  platform: {type: KubeVirt, kubevirt: {baseDomainPassthrough: true}}\n"
	pool = "---\napiVersion: hypershift.openshift.io/v1beta1\nkind: NodePool\nmetadata: {name: kv-00, namespace: clusters}\n" +
		"spec:\n  clusterName: kv-00\n  release: {image: \"registry.example/ocp-release:4.20.3-multi\"}\n" +
		"  management: {upgradeType: Replace}\n"
	onVMs = "  platform: {type: KubeVirt, kubevirt: {compute: {memory: 8Gi}}}\n"
)

// TestFindings: what cannot be said is told with its line, and nothing is dropped without a word.
func TestFindings(t *testing.T) {
	for name, tc := range map[string]struct {
		content, want string
	}{
		"another platform": {head + base + "  platform: {type: None}\n", `8 spec.platform.type "None": hcctl has hosted ` +
			"clusters on KubeVirt only"},
		"a platform that is misspelled": {head + base + "  plattform: {type: KubeVirt}\n", "8 spec.plattform no HyperShift up to " +
			"5.1 has such a field; did you mean platform?"},
		"unknown field": {head + base + vms + "  fipz: true\n", "9 spec.fipz no HyperShift up to 5.1 has such a field; did " +
			"you mean fips?"},
		"unknown field of a pool": {head + base + vms + pool + onVMs + "  replica: 3\n",
			"18 spec.replica no HyperShift up to 5.1 has such a field; did you mean replicas?"},
		"credentials without their Secret": {head + base + "  platform:\n    type: KubeVirt\n    kubevirt:\n" +
			"      baseDomainPassthrough: true\n      credentials:\n        infraNamespace: guests\n" +
			"        infraKubeConfigSecret: {name: infra, key: kubeconfig}\n",
			`13 spec.platform.kubevirt.credentials.infraNamespace "guests": needs --infra-kubeconfig-file, the cluster that it is ` +
				"a namespace of"},
		"a volume that is no whole Gi": {head + base + vms + pool + "  platform: {type: KubeVirt, kubevirt: {rootVolume: {type: " +
			"Persistent, persistent: {size: 33000Mi}}}}\n", "17 spec.platform.kubevirt.rootVolume.persistent.size " +
			`"spec.platform.kubevirt.rootVolume.persistent.size": --root-volume-size writes ` +
			"spec.platform.kubevirt.rootVolume.persistent.size; use it instead"},
		"a pool of none": {pool + onVMs, "6 spec.clusterName the HostedCluster clusters/kv-00 is not among the files"},
		"a service of another platform": {head + strings.Replace(base, "Ignition, servicePublishingStrategy: {type: Route}",
			"Ignition, servicePublishingStrategy: {type: S3}", 1) + vms, `7 spec.services "Ignition=S3": Ignition cannot be published by "S3"; ` +
			"there are Route, NodePort"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f.yaml")
			if err := os.WriteFile(path, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			clusters, _, findings := Clusters(read(t, path), Release{})
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

// TestReleases: a field, a value or a rule of another release is told with its line, and with what to do.
func TestReleases(t *testing.T) {
	of := func(version, more string) string {
		return strings.ReplaceAll(head+base+vms+more, "4.20.3", version)
	}
	const metrics, mtu = "  monitoring: {metricsSet: All}\n", "  operatorConfiguration:\n    clusterNetworkOperator: " +
		"{ovnKubernetesConfig: {mtu: 1400}}\n"
	const caps = "  capabilities: {disabled: [Ingress]}\n"
	arch := func(version string) string { return of(version, pool+"  arch: s390x\n"+onVMs) }
	for name, tc := range map[string]struct {
		content string
		given   int
		want    string
	}{
		"one of 4.22 in 4.21": {of("4.21.3", metrics), 0, "9 spec.monitoring HyperShift 4.21 has no such field; 4.22 is the first " +
			"that has it → leave it out, or take a release of 4.22 or later; if the HyperShift operator is newer than the " +
			"release, say so: --release 4.22"},
		"in 4.22":                    {of("4.22.1", metrics), 0, ""},
		"in 4.23":                    {of("4.23.1", metrics), 0, ""},
		"in 5.0":                     {of("5.0.0-rc.1", metrics), 0, ""},
		"in 5.1":                     {of("5.1.0", metrics), 0, ""},
		"one that is newer than all": {of("5.7.0", metrics), 0, ""},
		"within another field": {of("4.21.3", mtu), 0, "10 spec.operatorConfiguration.clusterNetworkOperator.ovnKubernetesConfig." +
			"mtu HyperShift 4.21 has no such field; 4.22 is the first that has it → leave it out, or take a release of 4.22 or " +
			"later; if the HyperShift operator is newer than the release, say so: --release 4.22"},
		"an operator that is newer": {of("4.21.3", metrics), 22, ""},
		"an operator that is older": {of("4.22.3", metrics), 21, "9 spec.monitoring HyperShift 4.21 has no such field; 4.22 is the " +
			"first that has it → leave it out, or take a release of 4.22 or later; if the HyperShift operator is newer than the " +
			"release, say so: --release 4.22"},
		"a digest is as the newest": {strings.Replace(of("4.21.3", metrics), "ocp-release:4.21.3-multi", "ocp-release@sha256:"+
			strings.Repeat("a", 64), 1), 0, ""},
		"of 4.23 in 4.22": {of("4.22.0", "  networking: {clusterNetwork: [{cidr: 10.132.0.0/14}], networkType: OVNKubernetes}\n  "+
			"operatorConfiguration: {clusterNetworkOperator: {ovnKubernetesConfig: {v4InternalSubnet: 100.70.0.0/16}}}\n"), 0,
			"10 spec.operatorConfiguration.clusterNetworkOperator.ovnKubernetesConfig.v4InternalSubnet HyperShift 4.22 has no " +
				"such field; 4.23 (5.0) is the first that has it → leave it out, or take a release of 4.23 (5.0) or later; if the " +
				"HyperShift operator is newer than the release, say so: --release 4.23"},
		"what says nothing": {of("4.17.9", "  sshKey: {}\n  capabilities: {}\n"), 0, ""},
		"stored by a server": {strings.Replace(of("4.21.3", metrics), "namespace: clusters}", "namespace: clusters, uid: a-b}", 1),
			0, ""},
		"a value of 4.21 in 4.20": {arch("4.20.3"), 0, `17 spec.arch "s390x": use one of arm64, amd64, ppc64le`},
		"a value of 4.21 in 4.21": {arch("4.21.0"), 0, ""},
		"a rule": {of("4.20.1", "  autoscaling: {scaling: ScaleUpOnly, scaleDown: {}}\n"), 0, "9 spec.autoscaling breaks a rule of " +
			"the API: self.scaling == 'ScaleUpAndScaleDown' ? true : !has(self.scaleDown)"},
		"a rule, with what the API server fills in": {of("4.20.1", "  autoscaling: {scaleDown: {}}\n"), 0, ""},
		"a value that 4.19 lacks":                   {of("4.19.1", caps), 0, `9 spec.capabilities.disabled[0] "Ingress": use one of ImageRegistry`},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f.yaml")
			if err := os.WriteFile(path, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			given := Release{}
			if tc.given > 0 {
				given = Release{Minor: tc.given, From: "--release"}
			}
			clusters, _, findings := Clusters(read(t, path), given)
			got := ""
			for _, f := range append(findings, clusters[0].Findings...) {
				if !f.Note && got == "" {
					got = fmt.Sprintf("%d %s %s", f.Line, f.Field, f.Message)
					if next := f.Next.String(); next != "" {
						got += " → " + next
					}
				}
			}
			if got != tc.want {
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
	clusters, rest, findings := Clusters(read(t, path), Release{})
	if len(clusters) != 1 || len(rest) != 2 || len(findings) != 0 {
		t.Fatalf("%d clusters, %d objects, %v", len(clusters), len(rest), findings)
	}
	if rest[0].name() != "Namespace clusters" || rest[1].name() != "ManagedCluster kv-00" || rest[1].Fields["status"] != nil {
		t.Errorf("got %s and %v", rest[0].name(), rest[1].Fields)
	}
}

// TestListsWithDefaults: what a list leaves to the API server's defaults is no difference.
func TestListsWithDefaults(t *testing.T) {
	for object, said := range map[string]bool{
		`[{"deviceName": "a"}]`: true, `[{"deviceName": "a", "count": 1}]`: true, `[{"deviceName": "a", "count": 2}]`: false,
		`[{"deviceName": "b"}]`: false, `[{"deviceName": "a"}, {"deviceName": "a"}]`: false, `[]`: false,
		`[{"deviceName": "a", "other": true}]`: false,
	} {
		var list []any
		if err := json.Unmarshal([]byte(object), &list); err != nil {
			t.Fatal(err)
		}
		written := []any{map[string]any{"deviceName": "a", "count": 1.0}}
		if got := equivalent("hostDevices", written, list); got != said {
			t.Errorf("%s: %v", object, got)
		}
	}
}
