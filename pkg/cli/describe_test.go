package cli

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// described is a lab in which kv-00 has much to tell, some of it from a stranger.
func described() map[string]any {
	world := lab()
	hc := world[clustersPath+"/kv-00"].(object)
	hc["metadata"].(object)["labels"] = object{"env": "lab", "b": "2"}
	hc["spec"] = object{"infraID": "kv-00-x7k2p", "fips": true, "release": object{"image": "quay.example/ocp@sha256:1"},
		"networking":                   object{"clusterNetwork": []any{object{"cidr": "10.132.0.0/14"}}},
		"controllerAvailabilityPolicy": "HighlyAvailable", "kubeAPIServerDNSName": "api.kv-00.example",
		"configuration": object{"proxy": object{"httpProxy": "http://ann:hunter2@proxy.example:3128"}},
		"services": []any{object{"service": "OAuthServer", "servicePublishingStrategy": object{"type": "Route",
			"route": object{"hostname": "oauth.kv-00.example"}}}}}
	status := hc["status"].(object)
	status["version"] = object{"desired": object{"image": "quay.example/ocp@sha256:1"}, "history": []any{
		object{"state": "Completed", "version": "4.20.3", "image": "quay.example/ocp@sha256:1",
			"startedTime": "2026-01-01T00:00:00Z", "completionTime": "2026-01-01T00:20:00Z"}}}
	status["conditions"] = append(status["conditions"].([]any),
		object{"type": "Degraded", "status": "True", "reason": "UnavailableReplicas",
			"lastTransitionTime": "2026-01-01T00:00:00Z",
			"message":            "etcd is not ready\x1b[2J\nNext: forged"},
		object{"type": "Strange", "status": "True", "reason": "Made", "message": "up",
			"lastTransitionTime": "2026-01-01T00:00:00Z"})
	status["ignitionEndpoint"] = "ignition.example"
	world["/apis/kubevirt.io/v1/namespaces/clusters-kv-00/virtualmachineinstances"] = object{"items": []any{
		object{"metadata": object{"name": "kv-00-a"}, "status": object{"nodeName": "worker-1",
			"interfaces": []any{object{"ipAddress": "10.128.2.31"}}}}}}
	for _, vm := range world["/apis/kubevirt.io/v1/namespaces/clusters-kv-00/virtualmachines"].(object)["items"].([]any) {
		vm.(object)["metadata"].(object)["labels"] = object{"hypershift.openshift.io/nodepool-name": "kv-00"}
	}
	event := func(kind, name, message string) object {
		return object{"metadata": object{"name": name + message, "namespace": "clusters-kv-00"}, "type": "Warning",
			"reason": "FailedScheduling", "message": message, "lastTimestamp": "2026-01-01T01:00:00Z",
			"involvedObject": object{"kind": kind, "name": name}}
	}
	happened := []any{event("VirtualMachine", "kv-00-b", "no room"), event("Pod", "etcd-0", "password=hunter2")}
	for range 25 {
		happened = append(happened, event("Pod", "etcd-0", "again"))
	}
	world["/api/v1/namespaces/clusters-kv-00/events"] = object{"items": happened}
	world["/api/v1/namespaces/clusters/events"] = object{"items": []any{}}
	pool := world[poolsPath].(object)["items"].([]any)[0].(object)
	pool["spec"].(object)["platform"] = object{"type": "KubeVirt",
		"kubevirt": object{"compute": object{"memory": "8Gi", "cores": 2}}}
	world[poolsPath+"/kv-00"] = pool
	return world
}

func TestDescribe(t *testing.T) {
	url := server(t, described(), nil)
	code, out, errs := runOn(t, url, "describe", "cluster", "kv-00")
	if code != cmdutil.ExitDone || errs != "" {
		t.Fatalf("exit %d, %s%s", code, out, errs)
	}
	for _, want := range []string{
		"Hosted cluster clusters/kv-00 at ", "failing, ready, created ",
		"\nSettings: Cluster\n", "\n   --labels     b=2,env=lab\n", "--fips       true\n",
		"\n   --cluster-cidr   10.132.0.0/14\n",
		"--release-image   quay.example/ocp@sha256:1\n", "--control-plane-availability-policy   HighlyAvailable\n",
		"\nConditions\n✗ Degraded: True (UnavailableReplicas) for ", "? Strange: True (Made) for ",
		"✓ 2 as expected: ", "   API server                   https://192.168.216.40:6443\n",
		"published: OAuthServer       Route oauth.kv-00.example\n",
		"   4.20.3    Completed   ", " 20m    quay.example/ocp@sha256:1\n", "   kv-00   ok       2 of 2 nodes\n",
		"   kv-00-a   kv-00   Running              yes     worker-1   10.128.2.31   ",
		"   kv-00-b   kv-00   ErrorUnschedulable   no ",
		"\nEvents (the newest; hcctl events shows 7 more)\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	for _, never := range []string{"hunter2", "\x1b", "\nNext: forged"} {
		if strings.Contains(out, never) {
			t.Errorf("%q is in:\n%s", never, out)
		}
	}
	code, out, errs = runOn(t, url, "describe", "np", "kv-00")
	if code != cmdutil.ExitDone || errs != "" || !strings.Contains(out, "--memory     8Gi\n") ||
		!strings.Contains(out, "VirtualMachine/kv-00-b   no room\n") || strings.Contains(out, "etcd-0") ||
		!strings.Contains(out, "ok, of hosted cluster kv-00, created ") {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
	for _, thing := range []string{"cluster", "nodepool"} {
		_, document, _ := runOn(t, url, "describe", thing, "kv-00", "-o", "json")
		conforms(t, "describe", []byte(document))
		_, text, _ := runOn(t, url, "describe", thing, "kv-00", "-o", "yaml")
		fromYAML, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		conforms(t, "describe", fromYAML)
		if strings.Contains(document+text, "hunter2") {
			t.Errorf("a password is in %s%s", document, text)
		}
	}
}

// TestDescribeSaysWhatItCannotRead has a user who may read little.
func TestDescribeSaysWhatItCannotRead(t *testing.T) {
	world := described()
	for _, path := range []string{"/apis/kubevirt.io/v1/namespaces/clusters-kv-00/virtualmachineinstances",
		"/api/v1/namespaces/clusters-kv-00/events"} {
		world[path] = 403
	}
	url := server(t, world, nil)
	code, out, _ := runOn(t, url, "describe", "cluster", "kv-00")
	for _, want := range []string{"\nNot read\n", "nodes and addresses of worker VMs   not allowed", "events  "} {
		if code != cmdutil.ExitDone || !strings.Contains(out, want) {
			t.Errorf("exit %d, no %q in:\n%s", code, want, out)
		}
	}
	code, _, errs := runOn(t, url, "describe", "cluster", "none")
	if code != cmdutil.ExitError || !strings.Contains(errs, `no hosted cluster "none"`) {
		t.Errorf("exit %d, %s", code, errs)
	}
	world[poolsPath+"/none"] = 404
	code, _, errs = runOn(t, url, "describe", "nodepool", "none")
	if code != cmdutil.ExitError || !strings.Contains(errs, `no node pool "none"`) {
		t.Errorf("exit %d, %s", code, errs)
	}
}
