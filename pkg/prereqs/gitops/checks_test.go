package gitops

import (
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// A bundle that suggests no namespace, as those up to 1.9, goes to the one for all operators.
func TestOperator(t *testing.T) {
	offered := func(namespace string) string {
		return prereqtest.Offered("openshift-gitops-operator", namespace, "latest", "openshift-gitops-operator.v1.18.0")
	}
	version := prereqtest.ClusterVersion("4.20.3")
	run(t, map[string]prereqtest.Case{
		"not there": {Objects: []string{version, offered("openshift-gitops-operator")}, ID: Operator,
			Kinds: []kube.Kind{subscriptions()}, State: step.StateMissing},
		"there": {Objects: []string{version, installed()}, ID: Operator, State: step.StateOK, Says: []string{"1.18.0"}},
		"installed": {Objects: []string{version, offered("openshift-gitops-operator")}, ID: Operator,
			Kinds: []kube.Kind{subscriptions()}, Change: step.Created,
			Writes: []string{"create namespaces", "create operatorgroups.operators.coreos.com openshift-gitops-operator/",
				"create subscriptions.operators.coreos.com openshift-gitops-operator/"},
			Sends: []string{`"channel":"latest"`}},
		"installed where no namespace is suggested": {Objects: []string{version, offered(`""`)}, ID: Operator,
			Kinds: []kube.Kind{subscriptions()}, Change: step.Created,
			Writes: []string{"create namespaces", "create operatorgroups.operators.coreos.com openshift-operators/",
				"create subscriptions.operators.coreos.com openshift-operators/"}},
	})
}

func subscriptions() kube.Kind {
	kind := kube.ClusterServiceVersion
	kind.Kind, kind.Plural = "Subscription", "subscriptions"
	return kind
}

func TestArgoCD(t *testing.T) {
	off := `
---
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: x, namespace: openshift-gitops-operator},
  spec: {name: openshift-gitops-operator, config: {env: [{name: DISABLE_DEFAULT_ARGOCD_INSTANCE, value: "true"}]}}}
`
	run(t, map[string]prereqtest.Case{
		"not there":         {ID: ArgoCD, State: step.StatePending, Says: []string{"makes it"}},
		"not made yet":      {Objects: []string{installed()}, Kinds: []kube.Kind{kube.ArgoCD}, ID: ArgoCD, State: step.StatePending},
		"switched off":      {Objects: []string{off}, ID: ArgoCD, State: step.StateBroken, Says: []string{"Subscription", offSwitch}},
		"available":         {Objects: []string{argo("status: {phase: Available}")}, ID: ArgoCD, State: step.StateOK},
		"not processed yet": {Objects: []string{argo("spec: {}")}, ID: ArgoCD, State: step.StatePending},
		"of OpenShift GitOps 1.9": {Objects: []string{of("argoproj.io/v1alpha1", "ArgoCD", "openshift-gitops",
			"status: {phase: Available}")}, ID: ArgoCD, State: step.StateOK},
		"starting": {Objects: []string{argo("status: {phase: Pending, redis: Running, repo: Pending}")}, ID: ArgoCD,
			State: step.StatePending, Says: []string{"Pending: repo Pending"}},
		"failed": {Objects: []string{argo("status: {phase: Failed, server: Failed}")}, ID: ArgoCD,
			State: step.StatePending, Trouble: true, Says: []string{"Failed: server Failed"}},
		"with an error": {Objects: []string{argo("status: {phase: Pending, " + condition("Reconciled", "False", "ErrorOccurred",
			"no image") + "}")}, ID: ArgoCD, State: step.StatePending, Trouble: true, Says: []string{"no image"}},
		"Available, and its operator fails": {Objects: []string{argo("status: {phase: Available, " + condition("Reconciled", "False",
			"ErrorOccurred", "no dex") + "}")}, ID: ArgoCD, State: step.StatePending, Trouble: true,
			Says: []string{"Available: Reconciled False (ErrorOccurred): no dex"}},
		"being deleted": {Objects: []string{prereqtest.Deleted(argo("status: {phase: Available}"))}, ID: ArgoCD,
			State: step.StatePending, Says: []string{"being deleted"}},
		"forbidden": {Refused: prereqtest.Forbidden("argocds.argoproj.io"), Kinds: []kube.Kind{kube.ArgoCD}, ID: ArgoCD,
			State: step.StateUnknown},
	})
}

func TestClustersOfArgoCD(t *testing.T) {
	run(t, map[string]prereqtest.Case{
		"no set": {ID: ClusterSet, State: step.StateMissing, Says: []string{"ManagedClusterSet managed"}},
		"set":    {Objects: []string{set}, ID: ClusterSet, State: step.StateOK, Says: []string{"--cluster-set managed"}},
		"set is made": {Kinds: []kube.Kind{kube.ManagedClusterSet}, ID: ClusterSet, Change: step.Created,
			Writes: []string{"patch managedclustersets.cluster.open-cluster-management.io managed"}},
		"no binding": {ID: Binding, State: step.StateMissing},
		"binding is not bound yet": {Objects: []string{binding("status: {}")}, ID: Binding, State: step.StatePending,
			Says: []string{"not processed"}},
		"binding without its set": {Objects: []string{binding("status: {" + condition("Bound", "False", "ClusterSetNotFound",
			"no such set") + "}")}, ID: Binding, State: step.StatePending, Trouble: true, Says: []string{"no such set"}},
		"bound": {Objects: []string{binding("status: {" + condition("Bound", "True", "ClusterSetBound", "") + "}")},
			ID: Binding, State: step.StateOK},
		"binding is made": {Kinds: []kube.Kind{kube.ManagedClusterSetBinding}, ID: Binding, Change: step.Created,
			Writes: []string{"patch managedclustersetbindings.cluster.open-cluster-management.io openshift-gitops/managed"}},
		"no placement": {ID: Placement, State: step.StateMissing},
		"placement without clusters": {Objects: []string{placed("status: {" + condition("PlacementSatisfied", "False",
			"AllManagedClusterSetsEmpty", "empty") + "}")}, ID: Placement, State: step.StateOK, Says: []string{"the first hosted cluster"}},
		"placement without a binding": {Objects: []string{placed("status: {" + condition("PlacementSatisfied", "False",
			"NoManagedClusterSetBindings", "none") + "}")}, ID: Placement, State: step.StatePending, Trouble: true},
		"placement that is wrong": {Objects: []string{placed("status: {" + condition("PlacementMisconfigured", "True",
			"Misconfigured", "bad selector") + "}")}, ID: Placement, State: step.StateBroken, Says: []string{"bad selector"}},
		"placement with clusters": {Objects: []string{placed("status: {numberOfSelectedClusters: 3, " + condition(
			"PlacementSatisfied", "True", "AllDecisionsScheduled", "") + "}")}, ID: Placement, State: step.StateOK,
			Says: []string{"3 clusters"}},
		"placement is made": {Kinds: []kube.Kind{kube.Placement}, ID: Placement, Change: step.Created,
			Writes: []string{"patch placements.cluster.open-cluster-management.io openshift-gitops/hosted-clusters"},
			Sends:  []string{"cluster.open-cluster-management.io/unreachable"}},
		"without Advanced Cluster Management": {ID: GitOpsCluster, State: step.StateSkipped,
			Says: []string{"hcctl gitops register", "--clusters-from labels"}},
		"not known yet": {Objects: []string{hub}, ID: GitOpsCluster, State: step.StateMissing},
		"known": {Objects: []string{known("openshift-gitops", "phase: successful, message: Added")}, ID: GitOpsCluster,
			State: step.StateOK, Says: []string{"Added"}},
		"phase successful, and not ready": {Objects: []string{known("openshift-gitops", "phase: successful, message: Added, "+
			condition("Ready", "False", "ClusterRegistrationFailed", "no secret"))}, ID: GitOpsCluster, State: step.StatePending,
			Says: []string{"Added"}},
		"nothing to know": {Objects: []string{known("openshift-gitops", "phase: failed, message: \""+noDecision+": x\"")},
			ID: GitOpsCluster, State: step.StateOK, Says: []string{"the first hosted cluster"}},
		"failed": {Objects: []string{known("openshift-gitops", "phase: failed, message: no server pod")}, ID: GitOpsCluster,
			State: step.StatePending, Trouble: true, Says: []string{"no server pod"}},
		"failed by a condition": {Objects: []string{known("openshift-gitops", condition("ClustersRegistered", "False",
			"ClusterRegistrationFailed", "no token"))}, ID: GitOpsCluster, State: step.StatePending, Trouble: true,
			Says: []string{"ClustersRegistered", "no token"}},
		"for another": {Objects: []string{known("other", "phase: successful")}, ID: GitOpsCluster, State: step.StateBroken,
			Says: []string{`"other"`}},
		"is made known": {Objects: []string{hub}, Kinds: []kube.Kind{kube.GitOpsCluster}, ID: GitOpsCluster,
			Change: step.Created, Writes: []string{
				"patch gitopsclusters.apps.open-cluster-management.io openshift-gitops/hosted-clusters"},
			Sends: []string{`"argoNamespace":"openshift-gitops"`, `"kind":"Placement"`}},
	})
}

func TestDecisions(t *testing.T) {
	const role = "openshift-gitops/openshift-gitops-applicationset-controller-placement"
	run(t, map[string]prereqtest.Case{
		"none":  {ID: Decisions, State: step.StateMissing, Says: []string{"ConfigMap"}},
		"there": {Objects: []string{decided("clusterName")}, ID: Decisions, State: step.StateOK},
		"wrong": {Objects: []string{decided("name")}, ID: Decisions, State: step.StateBroken,
			Says: []string{`matchKey is "name"`, "oc delete configmap acm-placement"}},
		"made": {ID: Decisions, Change: step.Created, Writes: []string{"patch configmaps openshift-gitops/acm-placement",
			"patch roles.rbac.authorization.k8s.io " + role, "patch rolebindings.rbac.authorization.k8s.io " + role},
			Sends: []string{`"placementdecisions"`, `"verbs":["list"]`, `"openshift-gitops-applicationset-controller"`}},
		"what is there stays": {Objects: []string{of("v1", "ConfigMap", "acm-placement", "data: {kind: other}")},
			ID: Decisions, Change: step.Created, Writes: []string{
				"patch roles.rbac.authorization.k8s.io " + role, "patch rolebindings.rbac.authorization.k8s.io " + role}},
	})
}

func TestRemoval(t *testing.T) {
	service := "\n---\n{apiVersion: pipelines.openshift.io/v1alpha1, kind: GitopsService, metadata: {name: cluster}}\n"
	application := of("argoproj.io/v1alpha1", "Application", "shop", "spec: {}")
	member := "\n---\n{apiVersion: cluster.open-cluster-management.io/v1, kind: ManagedCluster, metadata: {name: kv-00, " +
		"labels: {cluster.open-cluster-management.io/clusterset: managed}}}\n"
	run(t, map[string]prereqtest.Case{
		"nothing": {ID: removePlacement, State: step.StateOK, Says: []string{"there is none"}},
		"another's": {Objects: []string{placed("spec: {}")}, ID: removePlacement, State: step.StateOK,
			Says: []string{"hcctl did not create it"}},
		"another's is not removed": {Objects: []string{placed("spec: {}")}, ID: removePlacement, Change: step.Unchanged},
		"own":                      {Objects: []string{made(placed("spec: {}"))}, ID: removePlacement, State: step.StateMissing},
		"own is removed": {Objects: []string{made(placed("spec: {}"))}, ID: removePlacement, Change: step.Deleted,
			Writes: []string{"delete placements.cluster.open-cluster-management.io openshift-gitops/hosted-clusters"}},
		"set that is used": {Objects: []string{made(set), member}, ID: prereq.RemoveClusterSet, State: step.StateOK,
			Says: []string{"ManagedCluster kv-00 is in it"}},
		"set":               {Objects: []string{made(set)}, ID: prereq.RemoveClusterSet, State: step.StateMissing},
		"decisions in part": {Objects: []string{decided("clusterName")}, ID: removeDecisions, State: step.StateOK},
		"own decisions": {Objects: []string{made(decided("clusterName"))}, ID: removeDecisions, Change: step.Deleted,
			Writes: []string{"delete configmaps openshift-gitops/acm-placement"}},
		"Argo CD of others": {Objects: []string{argo("spec: {}"), service}, ID: removeArgoCD, State: step.StateOK,
			Says: []string{"nothing of it that hcctl installed"}},
		"Argo CD of others is not removed": {Objects: []string{argo("spec: {}"), service}, ID: removeArgoCD,
			Change: step.Unchanged},
		"Argo CD that is used": {Objects: []string{installed(), argo("spec: {}"), service, application}, ID: removeArgoCD,
			State: step.StateOK, Says: []string{"Application openshift-gitops/shop", "needs it"}},
		"Argo CD": {Objects: []string{installed(), argo("spec: {}"), service}, ID: removeArgoCD, State: step.StateMissing},
		"Argo CD is removed": {Objects: []string{installed(), argo("spec: {}"), service}, ID: removeArgoCD,
			Change: step.Deleted, Writes: []string{"delete gitopsservices.pipelines.openshift.io cluster"}},
		"Argo CD is going": {Objects: []string{installed(), argo("spec: {}")}, ID: removeArgoCD, State: step.StatePending},
		"operator with an instance": {Objects: []string{installed(), argo("spec: {}")}, ID: removeGitOpsOperator,
			State: step.StateOK, Says: []string{"left as it is: ArgoCD"}},
		"operator": {Objects: []string{installed()}, ID: removeGitOpsOperator, State: step.StateMissing},
	})
}
