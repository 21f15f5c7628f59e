package service

import (
	"context"
	"time"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/step"
)

// Group is the heading of all services in the output.
const Group = "services"

// Service defines one service of a hosted cluster. Its steps and its rights are derived from it. Each function is
// idempotent and may be interrupted at any time.
type Service struct {
	// ID has the form "services/name". Scripts and documentation rely on it.
	ID step.ID
	// Title is a short name, such as "network plug-in".
	Title string
	// For reports whether the options request the service.
	For func(options.Validated) bool
	// Early starts the service once the HostedCluster exists, because the hosted API server needs the service and cannot
	// be queried before.
	Early bool
	// Needs are milestones after the API server's answer that must be reached first. After are services that must have
	// ended first, if they are requested.
	Needs, After []step.ID
	// Before are the milestones that depend on the service, such as "hosted/nodes".
	Before []step.ID
	// Check reports whether the service is as the options request: Missing if something has to be written. If
	// Tenant.WriteOnly is set, it does not wait until the written objects work.
	Check func(context.Context, Tenant, kube.Reader) step.Finding
	// Apply writes the missing objects.
	Apply func(context.Context, Tenant) (step.Change, error)
	// Removed and Remove undo the part of the service outside the hosted cluster, if a document with a list of services no
	// longer lists it. Removed returns Missing while an object exists. Both are nil for a service inside the hosted
	// cluster only.
	// The deletion of the cluster does not call them: it removes the whole namespace of ServicesNamespace.
	Removed func(context.Context, Tenant, kube.Reader) step.Finding
	Remove  func(context.Context, Tenant) (step.Change, error)
	// Refuse returns why the service could not work, before anything of the cluster is written: an *option.Error with the
	// field. Tenant.Cluster may be a HostedCluster that does not exist yet, without a UID. Refuse is nil if only the
	// options can be wrong.
	Refuse func(context.Context, Tenant, kube.Reader) error
	// Wires returns what the service will write into spec.configuration of the HostedCluster, as a merge patch, so that a
	// dry run can test whether the API server accepts it. It is nil for a service that writes none.
	Wires func(Tenant) (Wiring, error)
	// Describe describes how to use the service, for hcctl get services. It only reads existing objects: Tenant.Options
	// are not set. It returns nil if the service does not exist. The field may be nil.
	Describe func(context.Context, Tenant, kube.Reader) (*Description, error)
	// Timeout limits the step, including the waiting. Zero means only the run's own limit.
	Timeout time.Duration
	// Rights are the rights on the management cluster that the functions need. In the hosted cluster they use its
	// administrator's kubeconfig.
	Rights Rights
	// Page is the path of the documentation in the repository.
	Page string
}

// Wiring is what a service writes into spec.configuration of a HostedCluster.
type Wiring struct {
	// Configuration is a merge patch of that field; nil if nothing has to change.
	Configuration map[string]any
	// Field and Value are the option that requests it. Instead names an alternative.
	Field, Value, Instead string
}

// Rights are the RBAC rules that hcctl rbac prints.
type Rights struct {
	// Check is what Check and Describe read. Apply is what Apply needs in addition, and Remove what Remove and the
	// deletion of the cluster need in addition.
	Check, Apply, Remove []access.Rule
}

// Description describes how to use an existing service. Scripts rely on it: hcctl get services -o json.
type Description struct {
	// Name is the last part of the ID, such as "jump-host".
	Name string `json:"name"`
	// Title of the service.
	Title string `json:"title"`
	// State reports whether it works, and Message why not.
	State   step.State `json:"state"`
	Message string     `json:"message,omitempty"`
	// Facts are the properties that a user needs, such as the address.
	Facts []Fact `json:"facts"`
	// Commands are examples of how to use it.
	Commands []string `json:"commands,omitempty"`
}

// Fact is one property of a service.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}
