package hostedcluster

import (
	"strings"
	"testing"
)

func TestReservedNamespaces(t *testing.T) {
	for _, name := range []string{"default", "kube-system", "kube-public", "kube-node-lease", "openshift", "openshift-config",
		"openshift-gitops", "hypershift", "open-cluster-management", "open-cluster-management-agent-addon",
		"open-cluster-management-hub", "multicluster-engine", "hive", "local-cluster", "metallb-system", "klusterlet-kv-00",
		AssignmentsNamespace, "hcctl-probe-1"} {
		if err := CheckNamespace(name); err == nil || !strings.Contains(err.Error(), " "+name+" belongs to the platform") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"", "clusters", "team", "defaults", "my-openshift", "openshifts", "kubes", "hcctl-e2e",
		"hyper", "hives", "team-default"} {
		if err := CheckNamespace(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
