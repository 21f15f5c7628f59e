package gitops_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/fleet/gitops"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

// application is one with a status.
func application(name, server string, status object) kubetest.Object {
	return kubetest.Object{"metadata": object{"namespace": "openshift-gitops", "name": name,
		"labels": object{gitops.EnvironmentLabel: "dev"}},
		"spec": object{"destination": object{"server": server}}, "status": status}
}

func state(sync, health string, more object) object {
	status := object{"sync": object{"status": sync, "revision": "abcdef0123456789"}, "health": object{"status": health}}
	for key, value := range more {
		status[key] = value
	}
	return status
}

// TestApplications: what is not well comes first, with the reason that a user can act on; what was stopped on purpose
// is well; the cluster is the hosted cluster's name where its API server is known.
func TestApplications(t *testing.T) {
	const management, guest = "https://kubernetes.default.svc", "https://192.0.2.7:6443"
	apps := kubetest.New("argoproj.io/v1alpha1", "Application", "applications")
	clusters := kubetest.New("hypershift.openshift.io/v1beta1", "HostedCluster", "hostedclusters")
	clusters.Set(kubetest.Object{"metadata": object{"namespace": "dev", "name": "front"},
		"status": object{"controlPlaneEndpoint": object{"host": "192.0.2.7", "port": 6443}}})
	resource := func(kind, status, health, message string) object {
		return object{"kind": kind, "namespace": "demo", "name": "x", "status": status,
			"health": object{"status": health, "message": message}}
	}
	for name, status := range map[string]object{
		"a-well":    state("Synced", "Healthy", nil),
		"a-stopped": state("Synced", "Suspended", nil),
		"b-young":   {},
		"c-compare": state("Unknown", "Healthy", object{"conditions": []any{object{"type": "ComparisonError",
			"message": "the server has asked for the client to provide credentials: Unauthorized"}}}),
		"d-hook": state("OutOfSync", "Healthy", object{"operationState": object{"phase": "Failed", "message": "one or more",
			"syncResult": object{"resources": []any{object{"kind": "Namespace", "name": "dev", "status": "Synced"},
				object{"kind": "Job", "namespace": "dev", "name": "hcctl-check", "hookType": "PreSync", "hookPhase": "Failed",
					"message": "Job has reached the specified backoff limit"}}}}}),
		"e-refused": state("OutOfSync", "Missing", object{"operationState": object{"phase": "Failed", "syncResult": object{
			"resources": []any{object{"kind": "VirtualMachine", "namespace": "demo", "name": "demo", "status": "SyncFailed",
				"message": "virtualmachines.kubevirt.io is forbidden"}}}}}),
		"f-ill":     state("Synced", "Degraded", object{"resources": []any{resource("Deployment", "Synced", "Degraded", "no image")}}),
		"g-differs": state("OutOfSync", "Healthy", object{"resources": []any{resource("VirtualMachine", "OutOfSync", "Healthy", "")}}),
		"h-running": state("OutOfSync", "Healthy", object{"operationState": object{"phase": "Running", "message": "waiting for healthy"}}),
		"i-waits": state("OutOfSync", "Healthy", object{"operationState": object{"phase": "Running", "message": "waiting for hook",
			"operation": object{"sync": object{"revision": "9876543210fedcba"}}}}),
		"j-kind": state("Unknown", "Healthy", object{"conditions": []any{object{"type": "ComparisonError",
			"message": "unable to resolve parseableType for GroupVersionKind: kubevirt.io/v1, Kind=VirtualMachine"}}}),
	} {
		server := guest
		if strings.HasPrefix(name, "a") {
			server = management
		}
		apps.Set(application(name, server, status))
	}
	c, err := kube.New(kubetest.Together(apps, clusters))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := gitops.Applications(t.Context(), c, "openshift-gitops")
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, r := range rows {
		order = append(order, r.Application[:1])
		want := map[string]string{
			"b-young": "has not said why", "c-compare": "ComparisonError: the server", "d-hook": "hook PreSync, Job dev/hcctl-check, failed",
			"e-refused": "VirtualMachine demo/demo was refused", "f-ill": "Deployment demo/x is Degraded: no image",
			"g-differs": "not as in Git: VirtualMachine demo/x", "h-running": "being synced: waiting",
			"i-waits": "being synced: waiting for hook", "j-kind": "ComparisonError: unable",
		}[r.Application]
		if (want == "") != (r.Reason == "") || !strings.Contains(r.Reason, want) || r.OK() != strings.HasPrefix(r.Application, "a") {
			t.Errorf("%s: %q, want %q", r.Application, r.Reason, want)
		}
		cluster := "dev/front"
		if r.OK() {
			cluster = gitops.ManagementCluster
		}
		if r.Cluster != cluster || r.Environment != "dev" {
			t.Errorf("%s: cluster %s, environment %s", r.Application, r.Cluster, r.Environment)
		}
	}
	if !slices.Equal(order, strings.Split("bcdefghijaa", "")) {
		t.Errorf("the order is %v", order)
	}
	for _, r := range rows {
		if want := map[string]string{"c-compare": "hcctl gitops register", "j-kind": "restart its application controller",
			"i-waits": "commit abcdef01 waits until the sync of 98765432 ends"}[r.Application]; !strings.Contains(r.Hint, want) ||
			r.Application == "h-running" && r.Hint != "" {
			t.Errorf("%s: advice %q, want %q", r.Application, r.Hint, want)
		}
	}
}

func TestWithoutArgoCD(t *testing.T) {
	c, err := kube.New(kubetest.Together(kubetest.New("v1", "Secret", "secrets")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gitops.Applications(t.Context(), c, "openshift-gitops"); !errors.Is(err, gitops.ErrNoArgo) {
		t.Errorf("%v", err)
	}
}
