package controlplane

import (
	"slices"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/workload"
)

func TestObjectsTable(t *testing.T) {
	rows := tableObjects()
	if len(rows) < 190 {
		t.Fatalf("the table has %d rows", len(rows))
	}
	hcp := &hyperv1.HostedControlPlane{}
	hcp.Namespace, hcp.Name, hcp.Spec.InfraID = "clusters-a", "a", "a-x1"
	hcp.Annotations = map[string]string{"hypershift.openshift.io/cluster": "clusters/a"}
	stages := map[string]bool{stageOperator: true, stageInfrastructure: true, stageAddress: true}
	for minor := 12; minor <= 23; minor++ {
		for _, c := range workload.Components(reconciler.Features{HyperShift: minor}) {
			stages[c.Name] = true
		}
	}
	seen := map[string]bool{}
	for _, row := range rows {
		if !stages[row.stage] {
			t.Errorf("%s %s is made at stage %q, which there is not", row.kind, row.name, row.stage)
		}
		o := row.render(hcp, map[string]string{"tls.crt": "pem"})
		id := o.GetKind() + "/" + o.GetName()
		if seen[id] {
			t.Errorf("%s is there twice", id)
		}
		seen[id] = true
		if o.GetAPIVersion() == "" || o.GetNamespace() != "clusters-a" {
			t.Errorf("%s: %s in %q", id, o.GetAPIVersion(), o.GetNamespace())
		}
		if row.owner != "control-plane" && row.owner != "cluster" && row.owner != "-" {
			t.Errorf("%s is owned by %q", id, row.owner)
		}
		if row.owner == "cluster" && o.GetAnnotations()["hypershift.openshift.io/cluster"] != "clusters/a" {
			t.Errorf("%s has annotations %v", id, o.GetAnnotations())
		}
		if row.kind == "Service" {
			ports, _, err := unstructured.NestedSlice(o.Object, "spec", "ports")
			if err != nil || len(ports) != 1 || ports[0].(map[string]any)["port"] == int64(0) {
				t.Errorf("%s has ports %v, %v", id, ports, err)
			}
		}
	}
	for _, id := range []string{"Secret/a-x1-kubeconfig", "Role/capi-provider", "NetworkPolicy/virt-launcher"} {
		if !seen[id] {
			t.Errorf("no %s", id)
		}
	}
	for name := range published {
		if !seen["Service/"+name] {
			t.Errorf("a lean sandbox needs Service %s", name)
		}
	}
}

// The vendor's operators make almost nothing before the API server has an address.
func TestStagesOfObjects(t *testing.T) {
	count := map[string]int{}
	stage := map[string]string{}
	for _, row := range tableObjects() {
		count[row.stage]++
		stage[row.kind+"/"+row.name] = row.stage
	}
	if count[stageOperator] != 16 || count[stageInfrastructure] != 5 {
		t.Errorf("by stage there are %v", count)
	}
	for id, want := range map[string]string{
		"NetworkPolicy/same-namespace": stageOperator, "Service/oauth-openshift": stageInfrastructure,
		"Secret/root-ca": stageAddress, "ConfigMap/kas-config": "kube-apiserver",
		"Service/ignition-server-proxy": "ignition-server-proxy", "Secret/<infra>-kubeconfig": "kube-apiserver",
	} {
		if stage[id] != want {
			t.Errorf("%s is made at stage %q, want %q", id, stage[id], want)
		}
	}
}

func TestContentOfAnObject(t *testing.T) {
	row := object{kind: "Secret", content: []string{"kubernetes.io/tls:", "tls.crt", "tls.key"}}
	body := row.data(map[string]string{"tls.crt": "pem"})
	if body["type"] != "kubernetes.io/tls" || body["stringData"].(map[string]any)["tls.crt"] != "pem" {
		t.Errorf("a Secret is %v", body)
	}
	service := object{content: []string{"2379", "headless", "app=etcd"}}.service(nil)["spec"].(map[string]any)
	if service["clusterIP"] != "None" || service["selector"].(map[string]any)["app"] != "etcd" {
		t.Errorf("a Service is %v", service)
	}
	how := hyperv1.ServicePublishingStrategyMapping{Service: hyperv1.OAuthServer}
	how.Type, how.NodePort = hyperv1.NodePort, &hyperv1.NodePortPublishingStrategy{Port: 30443}
	published := object{name: "oauth-openshift", content: []string{"6443", "app=oauth-openshift"}}
	service = published.service([]hyperv1.ServicePublishingStrategyMapping{how})["spec"].(map[string]any)
	port := service["ports"].([]any)[0].(map[string]any)
	if service["type"] != "NodePort" || port["nodePort"] != int64(30443) {
		t.Errorf("a Service with a node port is %v", service)
	}
}

func TestDegraded(t *testing.T) {
	if c := degraded(nil); c.Status != "False" || c.Reason != "AsExpected" || c.Message != "" {
		t.Errorf("without unavailable replicas: %+v", c)
	}
	c := degraded([]error{errUnavailable("a", 1)})
	if c.Status != "True" || c.Reason != "UnavailableReplicas" || c.Message != "a deployment has 1 unavailable replicas" {
		t.Errorf("with one: %+v", c)
	}
	c = degraded([]error{errUnavailable("a", 1), errUnavailable("b", 2)})
	if want := "[a deployment has 1 unavailable replicas, b deployment has 2 unavailable replicas]"; c.Message != want {
		t.Errorf("with two: %q, want %q", c.Message, want)
	}
}

func TestOlderOperatorsDoNotAwaitComponents(t *testing.T) {
	v := observation{kubeconfig: true, components: []componentState{{name: "b"}, {name: "a"}}}
	if c := hcpAvailable(&v, false, false); c.Status != "True" {
		t.Errorf("before 4.20: %+v", c)
	}
	if c := hcpAvailable(&v, false, true); c.Message != "Waiting for components to be available: a, b" {
		t.Errorf("since 4.20: %+v", c)
	}
	if kinds := slices.Sorted(slices.Values([]string{guestConditions(0, false)[1].Reason})); kinds[0] != reasonNoWorkers {
		t.Errorf("without nodes: %v", kinds)
	}
}
