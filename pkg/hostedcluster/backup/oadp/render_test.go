package oadp

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

const (
	applicationsPath = "/apis/oadp.openshift.io/v1alpha1/dataprotectionapplications"
	clustersPath     = "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/hostedclusters"
)

func dpa(velero kubetest.Object) kubetest.Object {
	return kubetest.Object{"apiVersion": "oadp.openshift.io/v1alpha1", "kind": "DataProtectionApplication",
		"metadata": kubetest.Object{"namespace": "openshift-adp", "name": "dpa"},
		"spec": kubetest.Object{"configuration": kubetest.Object{"velero": velero,
			"nodeAgent": kubetest.Object{"enable": true}}}}
}

func cluster(name string) kubetest.Object {
	return kubetest.Object{"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "HostedCluster",
		"metadata": kubetest.Object{"namespace": "clusters", "name": name}}
}

func hosted() *hyperv1.HostedCluster {
	hc := &hyperv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: "kv.00"}}
	hc.Spec.Platform.Type = hyperv1.KubevirtPlatform
	return hc
}

func render(t *testing.T, answers map[string]any) (*Objects, error) {
	t.Helper()
	api := kubetest.ServePaths(t, answers)
	defer func() {
		if writes := api.Writes(); len(writes) > 0 {
			t.Errorf("%v: only reads are expected", writes)
		}
	}()
	return Render(t.Context(), api.Client, hosted(), time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC))
}

func TestRender(t *testing.T) {
	plugin := kubetest.Object{"defaultPlugins": []any{"openshift", "csi", "hypershift"}}
	custom := kubetest.Object{"defaultPlugins": []any{"openshift"}, "customPlugins": []any{
		kubetest.Object{"name": "hypershift-oadp-plugin", "image": "quay.io/x/y:latest"}}}
	without := dpa(plugin)
	without["spec"].(kubetest.Object)["configuration"].(kubetest.Object)["nodeAgent"] = kubetest.Object{}
	for name, tc := range map[string]struct {
		answers map[string]any
		refused string
		notes   string
		policy  string
	}{
		"no OADP":        {refused: "OADP is not installed"},
		"no application": {answers: map[string]any{applicationsPath: []any{}}, refused: "no DataProtectionApplication"},
		"no plugin": {answers: map[string]any{applicationsPath: []any{dpa(kubetest.Object{"defaultPlugins": []any{"csi"}})}},
			refused: "DataProtectionApplication openshift-adp/dpa has no HyperShift plugin"},
		"its own plugin": {answers: map[string]any{applicationsPath: []any{dpa(plugin)}, clustersPath: []any{cluster("kv.00")}},
			policy: "update"},
		"a custom plugin": {answers: map[string]any{applicationsPath: []any{dpa(custom)}, clustersPath: []any{cluster("kv.00")}},
			policy: "update", notes: "lacks the plugin csi"},
		"no node agent": {answers: map[string]any{applicationsPath: []any{without}, clustersPath: []any{cluster("kv.00")}},
			policy: "update", notes: "has no node agent (spec.configuration.nodeAgent.enable)"},
		"a shared namespace": {answers: map[string]any{applicationsPath: []any{dpa(plugin)},
			clustersPath: []any{cluster("kv.00"), cluster("kv-02"), cluster("kv-01")}}, policy: "none",
			notes: "namespace clusters has other hosted clusters, too (kv-01, kv-02)"},
		"applications not to be read": {answers: map[string]any{applicationsPath: 403}, refused: "list DataProtectionApplications"},
		"clusters not to be read": {answers: map[string]any{applicationsPath: []any{dpa(plugin)}, clustersPath: 403},
			refused: "list HostedClusters"},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := render(t, tc.answers)
			if tc.refused != "" {
				if err == nil || !strings.Contains(err.Error(), tc.refused) {
					t.Errorf("got %v, want %q", err, tc.refused)
				}
				var notReady *NotReadyError
				if errors.As(err, &notReady) && (notReady.Hint().String() == "" || notReady.Failure() != failure.Final) {
					t.Errorf("%+v", notReady)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if notes := strings.Join(o.Notes, "\n"); !strings.Contains(notes, tc.notes) || tc.notes == "" && notes != "" {
				t.Errorf("notes %q, want %q", notes, tc.notes)
			}
			if got := o.Restore.Object["spec"].(map[string]any)["existingResourcePolicy"]; got != tc.policy {
				t.Errorf("policy %v, want %s", got, tc.policy)
			}
			for _, u := range []map[string]any{o.Backup.Object, o.Restore.Object} {
				spec := u["spec"].(map[string]any)
				if got := fmt.Sprint(spec["includedNamespaces"]); got != "[clusters clusters-kv-00]" {
					t.Errorf("%s is of namespaces %s", u["kind"], got)
				}
				if meta := u["metadata"].(map[string]any); meta["name"] != "clusters-kv-00-20260301-100000" ||
					meta["namespace"] != "openshift-adp" {
					t.Errorf("%s is %v", u["kind"], meta)
				}
			}
			if got := o.Restore.Object["spec"].(map[string]any)["backupName"]; got != o.Backup.GetName() {
				t.Errorf("the restore is of %v", got)
			}
		})
	}
}

// TestFields holds the objects to the fields of their types, which the documents' example for Backup does not.
func TestFields(t *testing.T) {
	o, err := render(t, map[string]any{applicationsPath: []any{dpa(kubetest.Object{"defaultPlugins": []any{"hypershift"}})},
		clustersPath: []any{}})
	if err != nil {
		t.Fatal(err)
	}
	for kind, tc := range map[string]struct {
		spec any
		has  []string
	}{
		"Backup": {o.Backup.Object["spec"], []string{"includedNamespaces", "includedResources", "labelSelector", "ttl",
			"snapshotMoveData", "datamover", "defaultVolumesToFsBackup"}},
		"Restore": {o.Restore.Object["spec"], []string{"backupName", "includedNamespaces", "excludedResources", "restorePVs",
			"preserveNodePorts", "existingResourcePolicy"}},
	} {
		for field := range tc.spec.(map[string]any) {
			if !slices.Contains(tc.has, field) {
				t.Errorf("%s has spec.%s, which contracts/oadp.yaml does not list", kind, field)
			}
		}
	}
}

func TestAnotherPlatform(t *testing.T) {
	hc := hosted()
	hc.Spec.Platform.Type = hyperv1.AgentPlatform
	if _, err := Render(t.Context(), nil, hc, time.Now()); err == nil || !strings.Contains(err.Error(), "KubeVirt only") {
		t.Errorf("got %v", err)
	}
}
