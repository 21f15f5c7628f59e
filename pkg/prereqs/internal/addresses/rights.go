package addresses

import "github.com/hcctl/hcctl/pkg/kube/access"

// ListPools returns the rights of Pools.
func ListPools() []access.Rule {
	return []access.Rule{List("ipaddresspools.metallb.io"), List("metallbs.metallb.io")}
}

// ListControllers returns the right of WithoutOperator.
func ListControllers() access.Rule {
	return access.Rule{Verbs: "list", Resources: "deployments.apps", Why: "MetalLB that runs without its operator"}
}

// List returns the right to list kinds that provide load balancer addresses.
func List(resource string) access.Rule {
	return access.Rule{Verbs: "list", Resources: resource, Why: "what gives addresses to hosted API servers, and which"}
}
