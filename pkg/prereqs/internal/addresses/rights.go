package addresses

import "github.com/hcctl/hcctl/pkg/rbac/rule"

// ListPools is the right of Pools.
func ListPools() rule.Rule { return List("ipaddresspools.metallb.io") }

// List is the right to list kinds that addresses of load balancers come from.
func List(resource string) rule.Rule {
	return rule.Rule{Verbs: "list", Resources: resource, Why: "who gives addresses to hosted API servers, and which"}
}
