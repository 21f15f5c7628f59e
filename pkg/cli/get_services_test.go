package cli

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/kube/health/healthtest"
)

// TestGetServices: the services of a cluster by what is there, however it got there; nothing in a namespace that is not
// this cluster's.
func TestGetServices(t *testing.T) {
	const public = "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTY="
	mark := object{"labels": object{"app.kubernetes.io/managed-by": "hcctl", "hcctl.dev/service": "jump-host"},
		"annotations":   object{"hcctl.dev/hosted-cluster": "clusters/kv-00", "hcctl.dev/hosted-cluster-uid": "clusters-kv-00"},
		"managedFields": []any{object{"manager": "hcctl", "operation": "Apply"}},
		"name":          "jump-host", "namespace": "clusters-kv-00-services"}
	rolledOut := maps.Clone(mark)
	rolledOut["generation"] = 1
	ns := object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": "clusters-kv-00-services",
		"labels": mark["labels"], "annotations": mark["annotations"], "managedFields": mark["managedFields"]}}
	const within = "/namespaces/clusters-kv-00-services/"
	answers := map[string]any{
		clustersPath + "/kv-00": hosted("clusters", "kv-00", "1", nil), clustersPath + "/kv-01": hosted("clusters", "kv-01",
			"1", nil),
		"/api/v1/namespaces/clusters-kv-00-services": ns, "/api/v1/namespaces/clusters-kv-01-services": ns,
		"/apis/apps/v1" + within + "deployments/jump-host": object{"apiVersion": "apps/v1", "kind": "Deployment",
			"metadata": rolledOut, "status": json.RawMessage(healthtest.RolledOut(1, 1, 1))},
		"/api/v1" + within + "services/jump-host": object{"apiVersion": "v1", "kind": "Service", "metadata": mark,
			"spec":   object{"ports": []any{object{"port": 22}}},
			"status": object{"loadBalancer": object{"ingress": []any{object{"ip": "192.168.216.40"}}}}},
		"/api/v1" + within + "configmaps/jump-host": object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": mark,
			"data": object{"ssh_host_ecdsa_key.pub": public}},
	}
	url := server(t, answers, nil)
	code, out, stderr := runOn(t, url, "get", "services", "kv-00")
	if code != 0 || !strings.Contains(out, "ssh -J jump@192.168.216.40 core@NODE-ADDRESS") ||
		!strings.Contains(out, "192.168.216.40 "+public) {
		t.Errorf("%d\n%s%s", code, out, stderr)
	}
	_, out, _ = runOn(t, url, "get", "services", "kv-00", "-o", "json")
	conforms(t, "services", []byte(out))
	if code, out, _ = runOn(t, url, "get", "services", "kv-01"); code != 0 || !strings.Contains(out, "has no services") {
		t.Errorf("the namespace of another cluster: %d\n%s", code, out)
	}
	for args, want := range map[string]string{"get services": "takes one name", "get services a b": "takes one",
		"get services kv-00 -o yaml": "it takes json"} {
		if code, _, stderr := runOn(t, url, strings.Fields(args)...); code != cmdutil.ExitUsage ||
			!strings.Contains(stderr, want) {
			t.Errorf("%s: %d, %s", args, code, stderr)
		}
	}
}
