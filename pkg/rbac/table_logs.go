package rbac

import "github.com/hcctl/hcctl/pkg/kube/access"

// logsRules returns the rules for logs. Viewers do not read logs, because they may contain secrets.
func logsRules() []Rule {
	return rulesFor(Logs, []Rule{
		{Verbs: "list", Resources: "pods", At: ControlPlane, Why: "which components there are"},
		{Verbs: "get", Resources: "pods/log", At: ControlPlane,
			Why: "the logs of a control plane and of its worker VMs' pods"},
		{Verbs: "list", Resources: "pods", At: access.In(operatorNamespace), Why: "the pods of HyperShift's operator"},
		{Verbs: "get", Resources: "pods/log", At: access.In(operatorNamespace), Why: "the logs of HyperShift's operator"},
	})
}
