package addresses

import "github.com/hcctl/hcctl/pkg/rbac/rule"

// ListPools are the rights of Pools.
func ListPools() []rule.Rule {
	return []rule.Rule{List("ipaddresspools.metallb.io"), List("metallbs.metallb.io")}
}

// ListControllers is the right of WithoutOperator.
func ListControllers() rule.Rule {
	return rule.Rule{Verbs: "list", Resources: "deployments.apps", Why: "MetalLB that runs without its operator"}
}

// List is the right to list kinds that addresses of load balancers come from.
func List(resource string) rule.Rule {
	return rule.Rule{Verbs: "list", Resources: resource, Why: "what gives addresses to hosted API servers, and which"}
}
