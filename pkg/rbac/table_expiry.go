package rbac

import (
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/gitops/names"
)

// expiryRules returns the rules for reading the expiry of certificates and tokens of hosted clusters.
func expiryRules() []Rule {
	return rulesFor(Expiry, []Rule{
		{Verbs: "get list", Resources: "hostedclusters.hypershift.openshift.io", At: Clusters, Unwatched: true,
			Why: "the hosted clusters, and which certificates are theirs"},
		{Verbs: "get", Resources: "secrets", Names: cluster + "-admin-kubeconfig", At: Clusters,
			Why: "the certificates of the administrators' kubeconfigs"},
		{Verbs: "get", Resources: "secrets", At: Clusters, Unless: ByName,
			Why: "certificates that HostedClusters name for their API servers"},
		{Verbs: "list", Resources: "secrets", At: ControlPlane, Unwatched: true, Why: "the certificates of a control plane"},
		{Verbs: "list", Resources: "deployments.apps", At: Services, Unwatched: true,
			Why: "when the certificates of Dex end"},
		{Verbs: "get", Resources: "secrets", Names: "hosted-cluster-" + access.Namespace + "." + cluster,
			At: access.In(names.Namespace), Features: []Feature{GitOps}, Why: "when Argo CD's tokens end"},
		{Verbs: "get", Resources: "namespaces", Why: "whether a cluster has services, and whether there is Argo CD"},
	})
}
