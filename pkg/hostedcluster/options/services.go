package options

import (
	"cmp"
	"errors"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/option"
)

// Services are services for the users of a hosted cluster that run outside it; see pkg/hostedcluster/services.
type Services struct {
	// JumpHost is an SSH server from which the nodes can be reached.
	JumpHost JumpHost `yaml:"jumpHost"`
	// Dex and OIDC are the identity provider; at most one may be set. Identity configures how the cluster uses it.
	Dex      Dex          `yaml:"dex"`
	OIDC     OIDCProvider `yaml:"oidc"`
	Identity Identity     `yaml:"identity"`
	// Listed is set if a document has the field services: existing services that it does not list are removed. Otherwise
	// existing services stay.
	Listed bool `yaml:"-"`
}

// ValidatedServices are validated services. A nil service is not requested.
type ValidatedServices struct {
	JumpHost *ValidatedJumpHost
	Dex      *ValidatedDex
	Identity *ValidatedIdentity
	Listed   bool
}

// serviceRows completes the rows of options whose objects are separate from the cluster. create and apply write and
// change them.
func serviceRows(fields []Field) []Field {
	for i := range fields {
		f := &fields[i]
		f.Group, f.Beside = option.Services, true
		f.Why, f.Way = "it belongs to a service, which create and apply bring and change", byApply
	}
	return fields
}

// byApply is the hint for changing objects that are separate from the cluster.
var byApply = hint.New("%s, or the command that created the cluster, with the new value",
	hint.Run("apply").Flag("f", "FILE"))

// ServiceHeadings describes the sections of a document that hold the fields of services.
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

// defaultServices returns the default settings: no service.
func defaultServices() Services {
	return Services{JumpHost: defaultJumpHost(), Dex: defaultDex(), Identity: defaultIdentity()}
}

// parseTenantServices validates each requested service, and refuses settings of a service that is not requested.
func (o Cluster) parseTenantServices(v *validated) error {
	v.TenantServices.Listed = o.Services.Listed
	parsed := errors.Join(o.parseJumpHost(v), o.parseIdentity(v), o.parseManaged(v))
	return errors.Join(parsed, o.placeServices(v.TenantServices))
}

// placeServices refuses addresses that no load balancer can assign: one that two services share, and one outside the
// cluster's own addresses, if it has any.
func (o Cluster) placeServices(s ValidatedServices) error {
	const jumpHost, dexAt = "services.jumpHost.address", "services.dex.address"
	var errs []error
	place := func(field, given string, at netip.Addr) {
		inside := func(pool string) bool { return InAddresses(pool, at) }
		if at.IsValid() && len(o.MetalLBAddresses) > 0 && !slices.ContainsFunc(o.MetalLBAddresses, inside) {
			errs = append(errs, Errorf(field, cmp.Or(given, at.String()), "is not among the cluster's own addresses, "+
				"--metallb-addresses %s", strings.Join(o.MetalLBAddresses, ",")))
		}
	}
	if s.JumpHost != nil {
		place(jumpHost, o.Services.JumpHost.Address, s.JumpHost.Address)
	}
	if s.Dex != nil {
		place(dexAt, o.Services.Dex.Address, s.Dex.Address)
	}
	if s.JumpHost != nil && s.Dex != nil && s.Dex.Address.IsValid() && s.Dex.Address == s.JumpHost.Address {
		errs = append(errs, Errorf(dexAt, s.Dex.Address.String(), "is that of the jump host, too: each needs its own"))
	}
	return errors.Join(errs...)
}

// serviceFields lists the options that take effect once the hosted API server answers (directory services).
func serviceFields() []Field {
	return []Field{
		{Name: "cni", Flag: "cni", Group: option.Network, Directory: true, Beside: true,
			Why: "the manifests are files, which create and apply bring and change", Way: byApply,
			Writes: "objects in the file, in the hosted cluster", Example: "cni.yaml", With: "--network-type Other",
			Text: "file or directory with the manifests of the network plug-in, applied in the hosted cluster as soon as " +
				"its API server answers; only with --network-type Other"},
		{Name: "guestManifests", Flag: "guest-manifests", Group: option.Cluster, Directory: true, Beside: true,
			Why: "the manifests are files, which create and apply bring and change", Way: byApply,
			Writes: "objects in the file, in the hosted cluster", Example: "guest.yaml",
			Text: "file or directory with manifests for the hosted cluster itself, applied as soon as its API server answers"},
	}
}

// managedFields lists the options of the cluster's ManagedCluster at its hub.
func managedFields() []Field {
	const object = "ManagedCluster <name> "
	return []Field{
		{Name: "managedCluster", Flag: "managed-cluster", Group: option.Cluster, Beside: true,
			Why: "the ManagedCluster is no part of the HostedCluster", Way: byApply,
			Writes: object + "metadata, where the hypershift addon does not import it", Example: "true",
			Text: "wait until the cluster is joined and available as a ManagedCluster, and import it where " +
				"multicluster engine's auto-import is off"},
		{Name: "clusterSet", Flag: "cluster-set", Group: option.Cluster, Beside: true,
			Why: "the set is a label of the ManagedCluster", Way: byApply,
			Writes:  object + "metadata.labels[" + clusterSetLabel + "], and the same label of the HostedCluster",
			Example: "dev", Text: "existing ManagedClusterSet that the cluster joins; implies --managed-cluster"},
		{Name: "addons", Flag: "addons", Group: option.Cluster, Beside: true,
			Check: objectName("the name of a ManagedClusterAddOn"), Why: "addons stand beside the ManagedCluster", Way: byApply,
			Writes: "ManagedClusterAddOn in namespace <name>", Example: "work-manager,config-policy-controller",
			Text: "addons of Open Cluster Management that the cluster has to have, available; implies --managed-cluster"},
	}
}

// clusterSetLabel is the label that names the ManagedClusterSet of a cluster.
const clusterSetLabel = "cluster.open-cluster-management.io/clusterset"

// globalSet contains all clusters. It selects them by labels, so no cluster can join it.
const globalSet = "global"

// parseManaged checks the options of the ManagedCluster. The HostedCluster also gets the label of the set: from
// multicluster engine 2.7 on, the hypershift addon imports it directly into that set.
func (o Cluster) parseManaged(v *validated) error {
	var errs []error
	set := o.ClusterSet
	switch {
	case set == "":
	case len(validation.IsDNS1123Label(set)) > 0:
		errs = append(errs, Errorf("clusterSet", set, "not the name of a ManagedClusterSet"))
	case set == globalSet:
		errs = append(errs, Errorf("clusterSet", set, "every cluster is in this set, and none can join it"))
	case o.Labels[clusterSetLabel] != "" && o.Labels[clusterSetLabel] != set:
		errs = append(errs, Errorf("clusterSet", set, "the labels name another set, %s", o.Labels[clusterSetLabel]))
	default:
		v.Labels = maps.Clone(o.Labels)
		if v.Labels == nil {
			v.Labels = map[string]string{}
		}
		v.Labels[clusterSetLabel] = set
	}
	v.ManagedCluster = o.ManagedCluster || set != "" || len(o.Addons) > 0
	return errors.Join(errs...)
}
