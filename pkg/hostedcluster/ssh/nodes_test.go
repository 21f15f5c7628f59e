package ssh

import (
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

const cluster = `
{apiVersion: hypershift.openshift.io/v1beta1, kind: HostedCluster, metadata: {name: kv-00, namespace: clusters},
  spec: {platform: {type: KubeVirt, kubevirt: {}}}}
---
{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstance, metadata: {name: kv-00-b, namespace: clusters-kv-00,
  labels: {hypershift.openshift.io/nodepool-name: kv-00}}, status: {phase: Running}}
---
{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstance, metadata: {name: kv-00-a, namespace: clusters-kv-00,
  labels: {hypershift.openshift.io/nodepool-name: kv-00}}, status: {phase: Scheduling}}
---
{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstance, metadata: {name: other, namespace: clusters-kv-00},
  status: {phase: Running}}
`

func TestNodes(t *testing.T) {
	api := kubetest.Serve(t)
	api.Register(t, kube.HostedCluster, kube.VirtualMachineInstance)
	api.Put(t, cluster)
	site, err := Site(t.Context(), api.Client, "clusters", "kv-00")
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := Nodes(t.Context(), site)
	if err != nil || len(nodes) != 2 {
		t.Fatalf("%v, %v", nodes, err)
	}
	for asked, want := range map[string]string{"": "kv-00-b", "kv-00-a": "kv-00-a"} {
		n, err := Choose(nodes, "clusters/kv-00", asked)
		if err != nil || n.Name != want {
			t.Errorf("%q: %v, %v", asked, n, err)
		}
		back, err := ParseHost(n.Host())
		if err != nil || back.Name != n.Name || back.Namespace != "clusters-kv-00" {
			t.Errorf("%q: %v, %v", n.Host(), back, err)
		}
	}
	for asked, want := range map[string]string{"other": "hosted cluster clusters/kv-00 has no node other",
		"kv-00-c": "hosted cluster clusters/kv-00 has no node kv-00-c"} {
		if _, err := Choose(nodes, "clusters/kv-00", asked); err == nil || err.Error() != want {
			t.Errorf("%q: %v", asked, err)
		}
	}
	if _, err := Choose(nodes[:1], "clusters/kv-00", ""); err == nil || !strings.Contains(err.Error(), "no worker VM") {
		t.Errorf("none runs: %v", err)
	}
	for _, host := range []string{"", "a", "a.b.c", "-x.clusters", "a;b.clusters", "../x.y"} {
		if n, err := ParseHost(host); err == nil {
			t.Errorf("%q is taken for %v", host, n)
		}
	}
	if _, err := Site(t.Context(), api.Client, "clusters", "kv-01"); err == nil {
		t.Error("a cluster that is not there has nodes")
	}
}

func TestGeneratedKey(t *testing.T) {
	api := kubetest.Serve(t)
	if key, keyless, err := GeneratedKey(t.Context(), api.Client, "clusters", "kv-00"); key != nil || !keyless || err != nil {
		t.Errorf("%q, %t, %v", key, keyless, err)
	}
	api.Put(t, "{apiVersion: v1, kind: Secret, metadata: {name: kv-00-ssh-key, namespace: clusters}, "+
		"data: {id_rsa: c2VjcmV0}}\n")
	if key, keyless, err := GeneratedKey(t.Context(), api.Client, "clusters", "kv-00"); string(key) != "secret" || keyless ||
		err != nil {
		t.Errorf("%q, %t, %v", key, keyless, err)
	}
	api.Refuse("secrets", 403)
	if key, keyless, err := GeneratedKey(t.Context(), api.Client, "clusters", "kv-00"); key != nil || keyless || err != nil {
		t.Errorf("%q, %t, %v", key, keyless, err)
	}
}
