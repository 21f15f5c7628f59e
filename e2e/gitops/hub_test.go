package gitops

import (
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/sandbox"
)

var managedClusters = kind{Group: "cluster.open-cluster-management.io", Version: "v1", Kind: "ManagedCluster"}

// TestGitOpsHub is the same with a hub: bootstrap makes cluster set, binding, Placement and GitOpsCluster, Argo CD
// finds the hosted clusters by the decisions of Placements, and a commit starts the VM in dev only. Open Cluster
// Management's registration and placement controllers are real; Advanced Cluster Management's GitOpsCluster is played.
func TestGitOpsHub(t *testing.T) {
	if os.Getenv("HCCTL_E2E_GITOPS") == "" {
		t.Skip("make test-gitops runs it: it needs the programs that make sandbox-gitops builds")
	}
	p := sandbox.Start(t, "--profile", "acm", "--argocd", "--speed", "20", "--lean", "--guests", "2", "--openapi=true",
		"--run", program(t, "HCCTL_BIN"))
	data, err := os.ReadFile(p.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	s := &story{t: t, hub: connect(t, config(t, data)), kubeconfig: p.Kubeconfig, repository: t.TempDir(),
		clusterPrefix: func(string) string { return "" }}
	s.must("bootstrap", "--yes", "--with", "gitops", "--metallb-range", "127.0.218.32-127.0.218.122")
	s.init("placement")

	guests := map[string]*cluster{}
	for _, env := range []string{"dev", "prod"} {
		s.hub.until(nodePools, env, "front-"+env, "front-"+env, "spec", "clusterName")
		s.must("wait", "cluster", "front-"+env, "-n", env, "--for", "api", "--timeout", "5m")
		guests[env] = connect(t, config(t, []byte(s.must("kubeconfig", "front-"+env, "-n", env))))
		// An administrator of the hub puts the cluster into the set that Argo CD gets.
		s.hub.until(managedClusters, "", "front-"+env, env, "metadata", "labels", "env")
		s.hub.label(managedClusters, "front-"+env, "cluster.open-cluster-management.io/clusterset", "managed")
	}
	for env, guest := range guests {
		s.virtualization(env, guest)
		guest.until(machines, "demo", "demo", "Stopped", "status", "printableStatus")
	}
	s.commit("demo-vm/overlays/dev/virtualmachine.yaml", "runStrategy: Halted", "runStrategy: Always")
	guests["dev"].until(machines, "demo", "demo", "Running", "status", "printableStatus")
	s.hub.until(applications, namespace, s.application("demo-vm", "dev"), "Healthy", "status", "health", "status")
	if got := guests["prod"].value(machines, "demo", "demo", "status", "printableStatus"); got != "Stopped" {
		t.Errorf("the VM of prod: %s", got)
	}
	for _, env := range []string{"dev", "prod"} {
		s.hooks(env)
	}
	if code, out, errs := s.hcctl("check", "--only", "gitops"); code != 0 {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
}

// label labels an object without a namespace.
func (c *cluster) label(gvk kind, name, key, value string) {
	c.t.Helper()
	u := &unstructured.Unstructured{Object: object{"metadata": object{"name": name, "labels": object{key: value}}}}
	u.SetGroupVersionKind(gvk)
	c.apply(u.Object)
}
