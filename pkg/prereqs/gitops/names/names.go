// Package names holds the names of the objects that hcctl bootstrap creates for Argo CD. The repositories of hcctl
// gitops init and the commands use them.
package names

import "github.com/hcctl/hcctl/pkg/kube"

const (
	// Namespace is the namespace of the default Argo CD instance of OpenShift GitOps.
	Namespace = kube.GitOpsNamespace
	// Instance is the name of that instance.
	Instance = "openshift-gitops"
	// ControllerAccount is the ServiceAccount of the instance's application controller. The operator prefixes it with the
	// instance's name (argocd-operator, controllers/argocd/util.go, nameWithSuffix).
	ControllerAccount = Instance + "-argocd-application-controller"
	// ApplicationSetAccount is the ServiceAccount of its ApplicationSet controller.
	ApplicationSetAccount = Instance + "-applicationset-controller"

	// ClusterSet is the ManagedClusterSet of the hosted clusters for Argo CD: hcctl create cluster --cluster-set managed.
	ClusterSet = "managed"
	// Placement selects all clusters of the sets that are bound in Namespace. The GitOpsCluster has the same name.
	Placement = "hosted-clusters"

	// DecisionConfigMap describes a Placement's decision to the generator clusterDecisionResource.
	DecisionConfigMap = "acm-placement"
	// DecisionRole allows the ApplicationSet controller to list decisions.
	DecisionRole = Namespace + "-applicationset-controller-placement"
	// PlacementLabel is on every PlacementDecision, with the name of its Placement (contracts/ocm.yaml).
	PlacementLabel = "cluster.open-cluster-management.io/placement"
)

// PlacementOf returns the Placement of one environment.
func PlacementOf(env string) string { return Placement + "-" + env }

// Decisions returns the content of DecisionConfigMap.
func Decisions() map[string]string {
	return map[string]string{"apiVersion": "cluster.open-cluster-management.io/v1beta1", "kind": "placementdecisions",
		"statusListKey": "decisions", "matchKey": "clusterName"}
}

// Tolerations returns tolerations that keep the Applications of a temporarily unreachable cluster.
func Tolerations() []any {
	var all []any
	for _, key := range []string{"cluster.open-cluster-management.io/unreachable",
		"cluster.open-cluster-management.io/unavailable"} {
		all = append(all, map[string]any{"key": key, "operator": "Exists"})
	}
	return all
}
