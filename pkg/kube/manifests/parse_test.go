package manifests

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

// plugIn is a network plug-in that an operator brings, in the worst order.
const plugIn = `
apiVersion: example.net/v1
kind: Fabric
metadata: {name: default}
---
apiVersion: other.example.net/v1
kind: Peer
metadata: {name: brought-by-the-operator}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: operator, namespace: cni}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: operator}
---
apiVersion: v1
kind: Namespace
metadata: {name: cni}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: fabrics.example.net}
spec:
  group: example.net
  names: {kind: Fabric, plural: fabrics}
  versions:
  - name: v1
    subresources: {status: {}}
    schema: {openAPIV3Schema: {properties: {status: {properties: {conditions: {type: array}}}}}}
`

func TestParseOrdersForAHostedCluster(t *testing.T) {
	all, err := Parse(File{Name: "cni.yaml", Data: []byte(plugIn)})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, m := range all {
		kinds = append(kinds, m.GetKind())
	}
	if got := strings.Join(kinds, " "); got != "Namespace CustomResourceDefinition ClusterRole ConfigMap Deployment Peer "+
		"Fabric" {
		t.Errorf("got %s", got)
	}
	if !all[6].conditions || all[5].conditions {
		t.Error("only the kind whose CRD is there and has conditions is waited for without any")
	}
	if got := all.Common(all[3:4]); got != "ConfigMap settings" {
		t.Errorf("common to both: %q", got)
	}
	if got := all[:3].Common(all[3:]); got != "" {
		t.Errorf("common to both: %q", got)
	}
	for text, want := range map[string]string{"": "there is no object in it", "a: b\n": "a.yaml, line 1"} {
		if _, err := Parse(File{Name: "a.yaml", Data: []byte(text)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

// TestApplyInAHostedCluster goes on from where the server does not serve the operator's kind yet.
func TestApplyInAHostedCluster(t *testing.T) {
	all, err := Parse(File{Name: "cni.yaml", Data: []byte(plugIn)})
	if err != nil {
		t.Fatal(err)
	}
	role := kube.Kind{Plural: "clusterroles"}
	role.Group, role.Version, role.Kind = "rbac.authorization.k8s.io", "v1", "ClusterRole"
	api := kubetest.Serve(t)
	api.Register(t, role)
	_, err = all.Apply(t.Context(), api.Client)
	if !kube.IsTransient(err) {
		t.Fatalf("a kind that may come up is not tried again: %v", err)
	}
	planning, _ := api.Client.Planning(nil)
	if change, err := all.Apply(t.Context(), planning); change != step.Created || err != nil {
		t.Errorf("a plan of kinds that are only planned: %s, %v", change, err)
	}
	peer, fabric := kube.Kind{Plural: "peers"}, kube.Kind{Plural: "fabrics"}
	peer.Group, peer.Version, peer.Kind = "other.example.net", "v1", "Peer"
	fabric.Group, fabric.Version, fabric.Kind = "example.net", "v1", "Fabric"
	api.Register(t, peer, fabric)
	if f := all.CheckApplied(t.Context(), api.Client); f == nil || f.State != step.StateMissing {
		t.Fatalf("got %+v", f)
	}
	if change, err := all.Apply(t.Context(), api.Client); err != nil || change != step.Created {
		t.Fatalf("got %s, %v", change, err)
	}
	config := kube.Kind{Plural: "configmaps", Namespaced: true}
	config.Version, config.Kind = "v1", "ConfigMap"
	if api.Object(t, config, "default", "settings") == nil {
		t.Error("an object without a namespace is not in default")
	}
	if f := all.CheckApplied(t.Context(), api.Client); f != nil {
		t.Errorf("got %+v", f)
	}
	api.Take()
	if f := all.CheckUp(t.Context(), api.Client); f == nil || f.State != step.StatePending {
		t.Errorf("got %+v", f)
	}
	if n := len(api.Take()); n != 4 {
		t.Errorf("%d requests, want those of the CRD, the Deployment and both resources", n)
	}
}

func TestCustomResourcesAreJudgedByTheirConditions(t *testing.T) {
	for name, tc := range map[string]struct {
		status  string
		reports bool
		want    step.State
		says    string
		trouble bool
	}{
		"nothing, and nothing is to come":  {"", false, step.StateOK, "", false},
		"nothing yet":                      {"", true, step.StatePending, "has not reported its status yet", false},
		"good":                             {"conditions: [{type: Ready, status: 'True'}]", true, step.StateOK, "", false},
		"of others that nobody knows":      {"conditions: [{type: Odd, status: 'False'}]", true, step.StateOK, "", false},
		"not ready":                        {"conditions: [{type: Ready, status: 'False', reason: Why}]", true, step.StatePending, "Ready False (Why)", false},
		"not available":                    {"conditions: [{type: Available, status: 'Unknown'}]", true, step.StatePending, "Available Unknown", false},
		"under way":                        {"conditions: [{type: Progressing, status: 'True'}, {type: Ready, status: 'True'}]", true, step.StatePending, "Progressing True", false},
		"reconciling":                      {"conditions: [{type: Reconciling, status: 'True'}]", true, step.StatePending, "Reconciling True", false},
		"degraded":                         {"conditions: [{type: Progressing, status: 'True'}, {type: Degraded, status: 'True', message: m}]", true, step.StatePending, "Degraded True: m", true},
		"stalled":                          {"conditions: [{type: Stalled, status: 'True'}]", true, step.StatePending, "Stalled True", true},
		"good, but of an earlier document": {"{observedGeneration: 1, conditions: [{type: Ready, status: 'True'}]}", true, step.StatePending, "has not processed its latest change", false},
	} {
		t.Run(name, func(t *testing.T) {
			u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.net/v1", "kind": "Fabric"}}
			u.SetGeneration(2)
			status := map[string]any{}
			if err := yaml.Unmarshal([]byte(tc.status), &status); err != nil {
				t.Fatal(err)
			}
			if n, ok := status["observedGeneration"].(float64); ok {
				status["observedGeneration"] = int64(n)
			}
			u.Object["status"] = status
			f := Manifest{reportsReady: true, conditions: tc.reports}.judgeReady(u, time.Time{})
			if f == nil {
				f = &step.Finding{State: step.StateOK}
			}
			steptest.Expect(t, *f, tc.want, tc.says)
			if f.Trouble != tc.trouble {
				t.Errorf("trouble: %t", f.Trouble)
			}
		})
	}
}
