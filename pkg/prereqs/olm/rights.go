package olm

import (
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// versions is the resource of ClusterServiceVersions: an installed version of an operator.
const versions = "clusterserviceversions.operators.coreos.com"

const webhookConfigurations = "mutatingwebhookconfigurations.admissionregistration.k8s.io"

// CheckRights returns the rights of Installer.Check. An operator may be in any namespace, under any name.
func CheckRights() []access.Rule {
	return append(prereq.ReadWorkloads(),
		prereq.ReadVersion(), prereq.ReadCatalogs(), prereq.ReadNamespaces(),
		listOperators(),
		access.Rule{Verbs: "get list", Resources: versions, Why: "whether operators are installed, and in which version"},
		access.Rule{Verbs: "get", Resources: "installplans.operators.coreos.com",
			Why: "why an operator is not installed yet"},
		ListCatalogs(),
		access.Rule{Verbs: "list", Resources: "deployments.apps", Why: "whether an operator is scaled to 0"})
}

// ListCatalogs returns the right of NotServing, besides that to list pods.
func ListCatalogs() access.Rule {
	return access.Rule{Verbs: "list", Resources: "catalogsources.operators.coreos.com",
		Why: "why a package is not offered"}
}

// listOperators returns the right to find operators.
func listOperators() access.Rule {
	return access.Rule{Verbs: "list", Why: "the operators there are, and those that are offered",
		Resources: "operatorgroups.operators.coreos.com packagemanifests.packages.operators.coreos.com " +
			"subscriptions.operators.coreos.com"}
}

// ApplyRights returns the rights of Installer.Apply, and of waiting for the kinds of the operator. A create request
// cannot be limited by name, because its URL has none.
func ApplyRights() []access.Rule {
	return []access.Rule{
		{Verbs: "list watch", Resources: "customresourcedefinitions.apiextensions.k8s.io",
			Why: "waits until the kinds of an operator are there"},
		{Verbs: "create", Resources: "namespaces operatorgroups.operators.coreos.com subscriptions.operators.coreos.com",
			Why: "installs operators"},
		{Verbs: "patch", Resources: "installplans.operators.coreos.com", Why: "approves the one plan of a pinned operator, " +
			"or of one whose approval is manual"},
	}
}

// RemoveRights returns the rights of Removal for these operators. Only the namespaces that they suggest may be deleted.
func RemoveRights(operators ...Operator) []access.Rule {
	var rules []access.Rule
	for _, op := range operators {
		rules = append(rules, access.Rule{Verbs: "get delete", Resources: "namespaces", Names: op.Namespace,
			Why: "those that bootstrap made: operators say in which they want to be"})
		if op.webhook != "" {
			rules = append(rules, access.Rule{Verbs: "get delete", Resources: webhookConfigurations, Names: op.webhook,
				Features: []access.Feature{access.DataFoundation}, Why: "a webhook that nothing answers any more"})
		}
	}
	return append(rules,
		access.Rule{Verbs: "get delete", Resources: "operatorgroups.operators.coreos.com " +
			"subscriptions.operators.coreos.com " + versions, Why: "operators; their names are OLM's"},
		access.Rule{Verbs: "patch", Resources: versions, Why: "labels what goes with a Subscription, so that an uninstall " +
			"that is killed still knows it"})
}
