package options

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/placement"
	"github.com/hcctl/hcctl/pkg/kube/manifests"
)

// Validated are validated options of a hosted cluster, each parsed once. Only Validate creates them: the embedded
// pointer is unexported, so no other package can hold options that were not validated.
type Validated struct{ *validated }

// plain holds the options that need no parsing. The type drops the methods of Cluster.
type plain Cluster

// validated has a field for each parsed option. It hides the text of the same name in plain.
type validated struct {
	plain
	// Version, Channel and ReleaseStream are zero if the option was not given.
	Version       hostedcluster.Version
	Channel       Channel
	ReleaseStream Stream

	ImageContentSources []hyperv1.ImageContentSource
	IdentityProviders   []configv1.IdentityProvider
	OIDC                []configv1.OIDCProvider
	// Manifests are the objects of all files, in the cluster's namespace.
	Manifests   []*unstructured.Unstructured
	ServingCert []configv1.APIServerNamedServingCert
	// Patches is the patch of the HostedCluster, including the operator configuration.
	Patches Patch
	// CNI and GuestManifests are the objects for the hosted cluster itself, in the order in which they are applied.
	CNI, GuestManifests manifests.List
	// TenantServices are the services for the cluster's users, outside the cluster.
	TenantServices ValidatedServices

	Ingress                               IngressMode
	ClusterCIDR, ServiceCIDR, MachineCIDR []netip.Prefix
	AllowedCIDRBlocks                     []hyperv1.CIDRBlock
	Toleration                            []corev1.Toleration
	EtcdStorageSize                       resource.Quantity

	// Spread counts the VMs of all pools. Avoid lists other hosted clusters.
	Spread []placement.Spread
	Avoid  []types.NamespacedName
	// NodeTopology are the labels that hosts pass on to the hosted cluster's nodes.
	NodeTopology []TopologyKey

	InfraStorageClassMapping        []hyperv1.KubevirtStorageClassMapping
	InfraVolumeSnapshotClassMapping []hyperv1.KubevirtVolumeSnapshotClassMapping

	// Publish are the services that --publish names.
	Publish   []hyperv1.ServicePublishingStrategyMapping
	NodePools []ValidatedPool

	// services are all published services. A node port may not have its address yet.
	services []hyperv1.ServicePublishingStrategyMapping
	given    Cluster
}

// ValidatedPool are validated options of a node pool, each parsed once. NodePool.Validate creates them.
type ValidatedPool struct{ *validatedPool }

// plainPool holds the options that need no parsing. The type drops the methods of NodePool.
type plainPool NodePool

// validatedPool has a field for each parsed option. It hides the text of the same name in plainPool.
type validatedPool struct {
	plainPool
	// Name is the pool's own name, or the hosted cluster's.
	Name              string
	Memory            resource.Quantity
	AdditionalNetwork []types.NamespacedName
	HostDeviceName    []hyperv1.KubevirtHostDevice
	VMToleration      []corev1.Toleration
	VMAffinity        *corev1.Affinity
	// VMJSONPatch is the user's patch; VMPatch returns the whole patch.
	VMJSONPatch []placement.Operation
	// Spread counts only the VMs of this pool.
	Spread []placement.Spread
	Taints []hyperv1.Taint
	// Patches is the patch of the NodePool.
	Patches Patch
}

// Validate parses the options and reports every problem that can be found without a cluster. Each problem is an *Error;
// several are joined, one per line.
func (o Cluster) Validate() (Validated, error) {
	v, err := o.parse()
	if err != nil {
		return Validated{}, err
	}
	return Validated{v}, nil
}

// Unchecked parses options that Validate may refuse, for tests that send them to an API server. Values that cannot be
// parsed are left out.
func Unchecked(o Cluster) Validated {
	v, _ := o.parse() // the API server of the test reports the errors
	return Validated{v}
}

// ValidatedDefaults returns the default options of a cluster with the given name, namespace and base domain; the base
// domain may be empty. It panics if they are not valid.
func ValidatedDefaults(name, namespace, baseDomain string) Validated {
	o := Defaults()
	o.Name, o.Namespace, o.BaseDomain = name, namespace, baseDomain
	v, err := o.Validate()
	if err != nil {
		panic(fmt.Sprintf("the default options are refused: %v", err))
	}
	return v
}

// ForExisting returns the known options of an existing hosted cluster that gets another pool. It returns an *Error if
// the pool's placement conflicts with that of the cluster, or if the annotations about placement cannot be parsed.
func ForExisting(name, namespace, arch string, annotations map[string]string, pool ValidatedPool) (Validated, error) {
	o := Cluster{Name: name, Namespace: namespace, Arch: arch, Annotations: annotations,
		Spread: strings.Fields(annotations[hostedcluster.SpreadAnnotation]),
		Avoid:  strings.Fields(annotations[hostedcluster.AvoidAnnotation])}
	v := &validated{plain: plain(o), given: o, NodePools: []ValidatedPool{pool}}
	err := o.parsePlacement(v)
	var wrong *Error
	if errors.As(err, &wrong) && wrong.Pool == nil && wrong.Field != "annotations" {
		err = fmt.Errorf("HostedCluster %s/%s, annotation hcctl.dev/%s: %w", namespace, name, wrong.Field, err)
	}
	return Validated{v}, err
}

// Given returns the options as the user gave them, for writing them to a file.
func (v Validated) Given() Cluster { return v.given }

// HasSSHKey reports whether the nodes get an SSH key.
func (v Validated) HasSSHKey() bool { return v.SSHKey.Given() || v.GenerateSSH }

// parse parses all options and returns every error. With an error, values that could not be parsed are missing.
func (o Cluster) parse() (*validated, error) {
	v := &validated{plain: plain(o), given: o, Ingress: IngressMode(o.Ingress)}
	return v, errors.Join(o.validateName(), o.validateNamespace(), o.validateNamespaceLength(),
		errors.Join(option.Validate(Fields(), o, Defaults())...), o.parsePools(v), o.validatePoolNames(), o.parseFiles(v),
		o.parseRelease(v), o.validateMetadata(), o.parseControlPlane(v), o.parsePublishing(v), o.parseNetworks(v),
		o.validatePlugIn(), o.parseGuestManifests(v), o.parseTenantServices(v), o.validateProxy(),
		o.validateConfiguration(), o.parseInfrastructure(v), o.parsePlacement(v), o.parsePatches(v), o.validateIngress(),
		o.validateWait())
}

// parsePools parses each pool. Its errors name the pool by its index in NodePools.
func (o Cluster) parsePools(v *validated) error {
	var errs []error
	for i, pool := range o.NodePools {
		p, err := pool.parse()
		p.Name = o.PoolName(pool)
		v.NodePools = append(v.NodePools, ValidatedPool{p})
		errs = append(errs, option.InPool(err, i))
	}
	return errors.Join(errs...)
}

// Validate parses the options of a pool and reports every problem that can be found without a cluster. Each is an
// *Error; several are joined.
func (p NodePool) Validate() (ValidatedPool, error) {
	v, err := p.parse()
	if err != nil {
		return ValidatedPool{}, err
	}
	return ValidatedPool{v}, nil
}

// parse parses all options of the pool, as the parse of Cluster does.
func (p NodePool) parse() (*validatedPool, error) {
	v := &validatedPool{plainPool: plainPool(p), Name: p.Name}
	return v, errors.Join(errors.Join(option.Validate(NodePoolFields(), p, DefaultNodePool())...),
		p.validateReplicas(), p.parseMemory(v), p.validateCores(), p.validateRootVolume(), p.validatePinning(),
		p.parseNetworks(v), p.parseDevices(v), p.parseScheduling(v), p.parseTaints(v), p.validateConfig(),
		p.parsePatches(v))
}

// parseEach parses each value of a list option, and returns an error for each that cannot be parsed.
func parseEach[T any](field string, given []string, parse func(string) (T, error)) ([]T, error) {
	var out []T
	var errs []error
	for _, s := range given {
		parsed, err := parse(s)
		if err != nil {
			errs = append(errs, Errorf(field, s, "%v", err))
			continue
		}
		out = append(out, parsed)
	}
	return out, errors.Join(errs...)
}
