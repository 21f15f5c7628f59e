package rbac

import "github.com/hcctl/hcctl/pkg/rbac/rule"

// logsRules are what logs reads. A viewer does not read logs: they may hold secrets.
func logsRules() []Rule {
	return purposed(Logs, []Rule{
		{Verbs: "get", Resources: "clusterversions.config.openshift.io", Names: "version",
			Why: "read by every command that talks to the cluster"},
		{Verbs: "get", Resources: "hostedclusters.hypershift.openshift.io", At: Clusters,
			Why: "whether there is such a cluster"},
		{Verbs: "list", Resources: "pods", At: ControlPlane, Why: "which components there are"},
		{Verbs: "get", Resources: "pods/log", At: ControlPlane,
			Why: "the logs of a control plane and of its worker VMs' pods"},
		{Verbs: "list", Resources: "pods", At: rule.In(operatorNamespace), Why: "the pods of HyperShift's operator"},
		{Verbs: "get", Resources: "pods/log", At: rule.In(operatorNamespace), Why: "the logs of HyperShift's operator"},
	})
}
