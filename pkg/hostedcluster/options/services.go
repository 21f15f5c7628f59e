package options

import (
	"errors"

	"github.com/hcctl/hcctl/internal/option"
)

// Services are what people get to use a hosted cluster with, outside of it: see pkg/services.
type Services struct {
	// JumpHost is an SSH server from which the nodes can be reached.
	JumpHost JumpHost `yaml:"jumpHost"`
	// Dex and OIDC are the identity provider, at most one of the two, and Identity says how the cluster uses it.
	Dex      Dex          `yaml:"dex"`
	OIDC     OIDCProvider `yaml:"oidc"`
	Identity Identity     `yaml:"identity"`
	// Listed tells that a document has the field services: a service that is not in it is removed again. Without, what
	// exists stays.
	Listed bool `yaml:"-"`
}

// ValidatedServices are services that can work; what is nil is not wanted.
type ValidatedServices struct {
	JumpHost *ValidatedJumpHost
	Dex      *ValidatedDex
	Identity *ValidatedIdentity
	Listed   bool
}

// ServiceHeadings describe the parts of a document that hold the fields of services.
func ServiceHeadings() []Field {
	return []Field{
		{Name: "services", Text: "what people use the cluster with; where a document has this field, a service that is " +
			"not in it is removed again"},
		{Name: "services.jumpHost", Text: "SSH server on the management cluster for people without rights there"},
		{Name: "services.dex", Text: "OpenID Connect provider on the management cluster, with which people log in"},
		{Name: "services.oidc", Text: "OpenID Connect provider that runs elsewhere, instead of Dex"},
		{Name: "services.identity", Text: "how the cluster uses that provider"},
	}
}

// defaultServices are those of which nothing is said: none.
func defaultServices() Services {
	return Services{JumpHost: defaultJumpHost(), Dex: defaultDex(), Identity: defaultIdentity()}
}

// parseTenantServices checks each service that is wanted, and refuses settings of one that is not.
func (o Cluster) parseTenantServices(v *validated) error {
	v.TenantServices.Listed = o.Services.Listed
	return errors.Join(o.parseJumpHost(v), o.parseIdentity(v))
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
