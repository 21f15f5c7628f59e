package addresses

import "github.com/hcctl/hcctl/pkg/kube/access"

// ListPools are the rights of Pools.
func ListPools() []access.Rule {
	return []access.Rule{List("ipaddresspools.metallb.io"), List("metallbs.metallb.io")}
}

// ListControllers is the right of WithoutOperator.
func ListControllers() access.Rule {
	return access.Rule{Verbs: "list", Resources: "deployments.apps", Why: "MetalLB that runs without its operator"}
}

// List is the right to list kinds that addresses of load balancers come from.
func List(resource string) access.Rule {
	return access.Rule{Verbs: "list", Resources: resource, Why: "what gives addresses to hosted API servers, and which"}
}
