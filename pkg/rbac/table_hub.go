package rbac

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/management/score"
)

// ownNamespaces returns the namespaces of the assignments and of the published capacity. They are printed with the
// roles, because a role needs its namespace, and permission to create namespaces would be too much for these purposes.
func (r Roles) ownNamespaces() []any {
	var all []any
	for _, one := range []struct {
		purpose Purpose
		name    string
	}{{Hub, hostedcluster.AssignmentsNamespace}, {Publish, score.Namespace}} {
		if slices.Contains(r.Purposes, one.purpose) {
			all = append(all, &corev1.Namespace{
				TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
				ObjectMeta: metav1.ObjectMeta{Name: one.name,
					Labels: map[string]string{kube.ManagedByLabel: kube.FieldOwner}},
			})
		}
	}
	return all
}

// hubRules returns the rules for commands with --hub, at the hub. The agents on the management clusters do the rest.
func hubRules() []Rule {
	return rulesFor(Hub, []Rule{
		{Verbs: "list get watch", Resources: "managedclusters.cluster.open-cluster-management.io",
			Why: "the management clusters, and whether they are available"},
		{Verbs: "list", Resources: "hostedclusters.hypershift.openshift.io", Unwatched: true,
			Why: "hosted clusters of the hub itself, which get no other hosted clusters"},
		{Verbs: "list", Resources: "leases.coordination.k8s.io", Unwatched: true,
			Why: "when each management cluster was last heard of"},
		{Verbs: "list", Resources: "placementdecisions.cluster.open-cluster-management.io", Unwatched: true,
			Why: "the management clusters that a Placement has chosen"},
		{Verbs: "get", Resources: "placements.cluster.open-cluster-management.io", Unwatched: true,
			Why: "why a Placement has chosen none"},
		{Verbs: "list get watch create", Resources: "addonplacementscores.cluster.open-cluster-management.io",
			Why: "how much room each management cluster has"},
		{Verbs: "patch", Resources: "addonplacementscores/status.cluster.open-cluster-management.io", Unwatched: true,
			Why: "what a management cluster has counted becomes its score"},
		{Verbs: "get list watch create patch delete", Resources: "manifestworkreplicasets.work.open-cluster-management.io",
			Why: "what every management cluster gets"},
		{Verbs: "get list watch create patch delete", Resources: "manifestworks.work.open-cluster-management.io",
			Why: "the hosted clusters of all management clusters"},
		{Verbs: "get list watch create patch delete", Resources: "configmaps",
			At:  access.In(hostedcluster.AssignmentsNamespace),
			Why: "which management cluster each hosted cluster is assigned to"},
		{Verbs: "get", Resources: "namespaces", Names: hostedcluster.AssignmentsNamespace, Unwatched: true,
			Why: "whether the namespace of the assignments is there; it is printed with the roles"},
		{Verbs: "list", Resources: "clusterimagesets.hive.openshift.io", Unwatched: true,
			Why: fmt.Sprintf("the release image of upgrade %s %s", hint.Flag("hub"), hint.Flag("version"))},
		{Verbs: "get", Resources: "clusterversions.config.openshift.io", Names: "version", Unwatched: true,
			Why: "names the hub before anything is changed"},
	})
}

// publishRules returns the rules for hcctl check --publish on a management cluster.
func publishRules() []Rule {
	return rulesFor(Publish, []Rule{
		{Verbs: "get", Resources: "namespaces", Names: score.Namespace, Unwatched: true,
			Why: "whether the namespace of the count is there; it is printed with the roles"},
		{Verbs: "get patch", Resources: "configmaps", Names: score.ConfigMap, At: access.In(score.Namespace), Unwatched: true,
			Why: "the room for hosted clusters, where the hub reads it"},
		{Verbs: "create", Resources: "configmaps", Only: score.ConfigMap, At: access.In(score.Namespace), Unwatched: true,
			Why: "the first count"},
	})
}
