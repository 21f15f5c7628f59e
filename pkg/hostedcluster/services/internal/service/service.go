package service

import (
	"context"
	"time"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/step"
)

// Group is the heading of all services in reports.
const Group = "services"

// Service is all there is to know of one service of a hosted cluster. Its steps and its rights are derived from it.
// Each function can be called again at any time, after any interruption.
type Service struct {
	// ID has the form "services/name". It is a contract with scripts and documentation.
	ID step.ID
	// Title says in a few words what the cluster has, such as "network plug-in".
	Title string
	// For reports whether the options ask for it.
	For func(options.Validated) bool
	// Early has it begin as soon as the HostedCluster is there, because the API server needs it. The hosted cluster cannot
	// be asked then.
	Early bool
	// Needs are milestones beyond the API server's answer that have to be reached before. After are services whose end it
	// waits for, if they are asked for.
	Needs, After []step.ID
	// Before are the milestones that cannot be reached without it, such as "hosted/nodes".
	Before []step.ID
	// Check reports whether the service is as the options say: missing if something has to be written. Where
	// Tenant.WriteOnly is set it does not wait for what is written to work.
	Check func(context.Context, Tenant, kube.Reader) step.Finding
	// Apply writes what is missing.
	Apply func(context.Context, Tenant) (step.Change, error)
	// Removed and Remove undo what the service has outside of the hosted cluster, where a document with a list of services
	// no longer has it: Removed is missing as long as something is there. The deletion of the cluster removes the
	// namespace of ServicesNamespace with all that is in it, and does not call them. Both are nil for a service that lives
	// in the hosted cluster alone.
	Removed func(context.Context, Tenant, kube.Reader) step.Finding
	Remove  func(context.Context, Tenant) (step.Change, error)
	// Refuse is why the service could not be brought, for what is told before anything of the cluster is written: an
	// *option.Error with the field. Tenant.Cluster is what the HostedCluster is to be where there is none yet, without a
	// UID. Nil where only the options can be wrong.
	Refuse func(context.Context, Tenant, kube.Reader) error
	// Wires is what the service will write into spec.configuration of the HostedCluster, as a merge patch, so that the API
	// server can be asked whether it would take that; Field is the option to blame. Nil for a service that writes none.
	Wires func(Tenant) (Wiring, error)
	// Describe says how to use it, for hcctl get services; nil where there is nothing to say. It goes by what is there:
	// Tenant.Options are not set. Without such a service it returns nil.
	Describe func(context.Context, Tenant, kube.Reader) (*Description, error)
	// Timeout bounds the step, including the waiting. Zero means only the run's own bound.
	Timeout time.Duration
	// Rights are what its functions need of the management cluster. In the hosted cluster they act as its administrator.
	Rights Rights
	// Page is its documentation, relative to the repository.
	Page string
}

// Wiring is what a service writes into spec.configuration of a HostedCluster.
type Wiring struct {
	// Configuration is a merge patch of that field; nil if it is as it has to be.
	Configuration map[string]any
	// Field and Value are the option that asks for it, Instead what else could be given.
	Field, Value, Instead string
}

// Rights are the rules that hcctl rbac prints.
type Rights struct {
	// Check is what Check and Describe read, Apply what Apply needs beyond that, and Remove what Remove and the deletion
	// of the cluster need beyond that.
	Check, Apply, Remove []access.Rule
}

// Description says how to use a service that a cluster has. It is a contract with scripts: hcctl get services -o json.
type Description struct {
	// Name is that of the ID, such as "jump-host".
	Name string `json:"name"`
	// Title is that of the service.
	Title string `json:"title"`
	// State reports whether it works, and Message why not.
	State   step.State `json:"state"`
	Message string     `json:"message,omitempty"`
	// Facts are what a user needs to know of it, such as its address.
	Facts []Fact `json:"facts"`
	// Commands are examples of its use.
	Commands []string `json:"commands,omitempty"`
}

// Fact is one thing to know of a service.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}
