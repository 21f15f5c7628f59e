// Package names has the names that hcctl's bootstrap gives to the objects for Argo CD, and by which the repositories of
// hcctl gitops init and the commands refer to them.
package names

import "github.com/hcctl/hcctl/pkg/kube"

const (
	// Namespace is the namespace of the instance of Argo CD that OpenShift GitOps makes by itself.
	Namespace = kube.GitOpsNamespace
	// Instance is the name of that instance.
	Instance = "openshift-gitops"
	// ControllerAccount is the ServiceAccount of the instance's application controller: the operator puts the instance's
	// name before it (argocd-operator, controllers/argocd/util.go, nameWithSuffix).
	ControllerAccount = Instance + "-argocd-application-controller"
	// ApplicationSetAccount is the ServiceAccount of its ApplicationSet controller.
	ApplicationSetAccount = Instance + "-applicationset-controller"

	// ClusterSet is the ManagedClusterSet whose hosted clusters Argo CD gets: hcctl create cluster --cluster-set managed.
	ClusterSet = "managed"
	// Placement takes all clusters of the sets that are bound in Namespace. The GitOpsCluster has its name, too.
	Placement = "hosted-clusters"

	// DecisionConfigMap tells the generator clusterDecisionResource what a decision of a Placement looks like.
	DecisionConfigMap = "acm-placement"
	// DecisionRole allows the ApplicationSet controller to list decisions.
	DecisionRole = Namespace + "-applicationset-controller-placement"
	// PlacementLabel is on every PlacementDecision, with the name of its Placement (contracts/ocm.yaml).
	PlacementLabel = "cluster.open-cluster-management.io/placement"
)

// PlacementOf is the Placement of one environment.
func PlacementOf(env string) string { return Placement + "-" + env }

// Decisions is the content of DecisionConfigMap.
func Decisions() map[string]string {
	return map[string]string{"apiVersion": "cluster.open-cluster-management.io/v1beta1", "kind": "placementdecisions",
		"statusListKey": "decisions", "matchKey": "clusterName"}
}

// Tolerations keep the Applications of a cluster that is out of reach for a while.
func Tolerations() []any {
	var all []any
	for _, key := range []string{"cluster.open-cluster-management.io/unreachable",
		"cluster.open-cluster-management.io/unavailable"} {
		all = append(all, map[string]any{"key": key, "operator": "Exists"})
	}
	return all
}
