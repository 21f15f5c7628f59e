package gitops

import (
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
)

func run(t *testing.T, cases map[string]prereqtest.Case) {
	t.Helper()
	prereqtest.Run(t, Prerequisites(olm.Pins{}), cases)
}

// installed is OpenShift GitOps, by hcctl.
func installed() string {
	return prereqtest.Installed("openshift-gitops-operator", "openshift-gitops-operator", "openshift-gitops-operator.v1.18.0")
}

// of is an object in Argo CD's namespace, rest such as "status: {phase: Available}".
func of(apiVersion, kind, name, rest string) string {
	return "\n---\n{apiVersion: " + apiVersion + ", kind: " + kind + ", metadata: {name: " + name +
		", namespace: openshift-gitops}, " + rest + "}\n"
}

// made is an object as hcctl has made it.
func made(document string) string {
	return strings.Replace(document, "metadata: {", "metadata: {labels: {app.kubernetes.io/managed-by: hcctl}, ", 1)
}

func argo(rest string) string { return of("argoproj.io/v1beta1", "ArgoCD", "openshift-gitops", rest) }

func binding(rest string) string {
	return of("cluster.open-cluster-management.io/v1beta2", "ManagedClusterSetBinding", "managed",
		"spec: {clusterSet: managed}, "+rest)
}

func placed(rest string) string {
	return of("cluster.open-cluster-management.io/v1beta1", "Placement", "hosted-clusters", rest)
}

// known is the GitOpsCluster, status such as "phase: successful".
func known(namespace, status string) string {
	return of("apps.open-cluster-management.io/v1beta1", "GitOpsCluster", "hosted-clusters",
		"spec: {argoServer: {argoNamespace: "+namespace+"}}, status: {"+status+"}")
}

// condition is the status of an object with one condition.
func condition(kind, status, reason, message string) string {
	return "conditions: [{type: " + kind + ", status: \"" + status + "\", reason: " + reason + ", message: \"" + message +
		"\"}]"
}

const hub = `
---
{apiVersion: operator.open-cluster-management.io/v1, kind: MultiClusterHub,
  metadata: {name: multiclusterhub, namespace: open-cluster-management}, status: {phase: Running}}
`

const set = `
---
{apiVersion: cluster.open-cluster-management.io/v1beta2, kind: ManagedClusterSet, metadata: {name: managed}}
`

// decided is the config map with this matchKey, and the right that goes with it.
func decided(matchKey string) string {
	return of("v1", "ConfigMap", "acm-placement", "data: {apiVersion: cluster.open-cluster-management.io/v1beta1, "+
		"kind: placementdecisions, statusListKey: decisions, matchKey: "+matchKey+"}") +
		of("rbac.authorization.k8s.io/v1", "Role", "openshift-gitops-applicationset-controller-placement", "rules: []") +
		of("rbac.authorization.k8s.io/v1", "RoleBinding", "openshift-gitops-applicationset-controller-placement", "subjects: []")
}
