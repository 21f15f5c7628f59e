package options

import (
	"errors"

	"github.com/hcctl/hcctl/internal/option"
)

// Services are what people get to use a hosted cluster with, outside of it: see pkg/services.
type Services struct {
	// JumpHost is an SSH server from which the nodes can be reached.
	JumpHost JumpHost `yaml:"jumpHost"`
	// Listed tells that a document has the field services: a service that is not in it is removed again. Without, what
	// exists stays.
	Listed bool `yaml:"-"`
}

// ValidatedServices are services that can work; what is nil is not wanted.
type ValidatedServices struct {
	JumpHost *ValidatedJumpHost
	Listed   bool
}

// ServiceHeadings describe the parts of a document that hold the fields of services.
func ServiceHeadings() []Field {
	return []Field{
		{Name: "services", Text: "what people use the cluster with; where a document has this field, a service that is " +
			"not in it is removed again"},
		{Name: "services.jumpHost", Text: "SSH server on the management cluster for people without rights there"},
	}
}

// defaultServices are those of which nothing is said: none.
func defaultServices() Services {
	return Services{JumpHost: defaultJumpHost()}
}

// parseTenantServices checks each service that is wanted, and refuses settings of one that is not.
func (o Cluster) parseTenantServices(v *validated) error {
	v.TenantServices.Listed = o.Services.Listed
	return errors.Join(o.parseJumpHost(v))
}

// serviceFields are the options of what the hosted cluster gets once its API server answers, see pkg/services.
func serviceFields() []Field {
	return []Field{
		{Name: "cni", Flag: "cni", Group: option.Network, Folder: true, Beside: true,
			Writes: "objects in the file, in the hosted cluster", Example: "cni.yaml", With: "--network-type Other",
			Text: "file or folder with the manifests of the network plug-in, applied in the hosted cluster as soon as its API " +
				"server answers; only with --network-type Other"},
		{Name: "guestManifests", Flag: "guest-manifests", Group: option.Cluster, Folder: true, Beside: true,
			Writes: "objects in the file, in the hosted cluster", Example: "guest.yaml",
			Text: "file or folder with manifests for the hosted cluster itself, applied as soon as its API server answers"},
	}
}
