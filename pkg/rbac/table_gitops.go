package rbac

import (
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/gitops/names"
)

// gitopsStatusRules returns the rules for gitops status.
func gitopsStatusRules() []Rule {
	return rulesFor(GitOpsStatus, []Rule{
		{Verbs: "list", Resources: "applications.argoproj.io", At: access.In(names.Namespace), Unwatched: true,
			Why: "how far Argo CD is"},
		{Verbs: "list", Resources: "hostedclusters.hypershift.openshift.io", Unwatched: true,
			Why: "which hosted cluster an address is of"},
	})
}

// gitopsRegisterRules returns the rules for gitops register on the management cluster. In the hosted cluster it uses
// the administrator's kubeconfig.
func gitopsRegisterRules() []Rule {
	return rulesFor(GitOpsRegister, []Rule{
		{Verbs: "get", Resources: "clusterversions.config.openshift.io", Names: "version", Unwatched: true,
			Why: "names the cluster before anything is changed"},
		{Verbs: "get list", Resources: "hostedclusters.hypershift.openshift.io", At: Clusters, Unwatched: true,
			Why: "the hosted clusters, their addresses and labels"},
		{Verbs: "get list watch", Resources: "secrets", Names: cluster + "-admin-kubeconfig", At: Clusters,
			Why: "to enter the hosted cluster, and make or remove Argo CD's account there"},
		{Verbs: "get list watch create patch delete", Resources: "secrets",
			Names: "hosted-cluster-" + access.Namespace + "." + cluster, At: access.In(names.Namespace),
			Why: "Argo CD's Secrets of hosted clusters"},
	})
}

// gitopsApproveRules returns the rules for gitops approve. --namespace is the namespace of the Subscription.
func gitopsApproveRules() []Rule {
	return rulesFor(GitOpsApprove, []Rule{
		{Verbs: "get", Resources: "clusterversions.config.openshift.io", Names: "version", Unwatched: true,
			Why: "names the cluster before anything is changed"},
		{Verbs: "get list watch", Resources: "subscriptions.operators.coreos.com", At: Clusters,
			Why: "which version is pinned, and which is installed"},
		{Verbs: "list watch patch", Resources: "installplans.operators.coreos.com", At: Clusters,
			Why: "approves the plan of the pinned version"},
	})
}
