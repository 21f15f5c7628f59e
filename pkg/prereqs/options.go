package prereqs

import (
	"github.com/hcctl/hcctl/pkg/prereqs/internal/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
	"github.com/hcctl/hcctl/pkg/prereqs/multicluster"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
	"github.com/hcctl/hcctl/pkg/prereqs/virtualization"
)

// What callers know of the packages below: options by group, and the IDs that they look up.
type (
	// StorageOptions is what a person can say about storage.
	StorageOptions = storage.Options
	// StorageMode is where the default StorageClass is to come from.
	StorageMode = storage.Mode
	// VirtualizationOptions is what a person can say about OpenShift Virtualization.
	VirtualizationOptions = virtualization.Options
	// LoadBalancerOptions is what a person can say about load balancing.
	LoadBalancerOptions = loadbalancer.Options
	// MulticlusterOptions is what a person can say about multicluster engine.
	MulticlusterOptions = multicluster.Options
	// LoadBalancerMode is who gives Services of type LoadBalancer their addresses.
	LoadBalancerMode = loadbalancer.Mode
	// OperatorOptions pins one operator.
	OperatorOptions = olm.Pin
)

// The modes that callers name.
const (
	StorageLVM          = storage.ModeLVM
	LoadBalancerMetalLB = loadbalancer.ModeMetalLB
)

// StorageModes lists the modes of storage, the default first.
func StorageModes() []StorageMode { return storage.Modes() }

// LoadBalancerModes lists the modes of load balancing, the default first.
func LoadBalancerModes() []LoadBalancerMode { return loadbalancer.Modes() }

// Options is what a person can say about the prerequisites. The zero value keeps what is there and installs the rest in
// Red Hat's way; it works on a cluster that has address pools.
type Options struct {
	Storage        StorageOptions
	Virtualization VirtualizationOptions
	LoadBalancer   LoadBalancerOptions
	Multicluster   MulticlusterOptions
	// Operators pins operators, by OLM package, such as "multicluster-engine".
	Operators map[string]OperatorOptions
}

// Validated are Options that can work, each parsed once. Validate makes them; the pointer inside cannot be made
// elsewhere.
type Validated struct{ *validated }

type validated struct {
	Storage        storage.Options
	Virtualization virtualization.Options
	LoadBalancer   loadbalancer.Validated
	Multicluster   multicluster.Options
	Operators      olm.Pins
}

// Validate parses the options. The error is an *option.Error about the first one that is wrong.
func (o Options) Validate() (Validated, error) {
	v := &validated{Storage: o.Storage, Virtualization: o.Virtualization, Multicluster: o.Multicluster,
		Operators: o.Operators}
	if err := o.Storage.Validate(); err != nil {
		return Validated{}, err
	}
	if err := o.Virtualization.Validate(); err != nil {
		return Validated{}, err
	}
	if err := o.Multicluster.Validate(); err != nil {
		return Validated{}, err
	}
	var err error
	if v.LoadBalancer, err = o.LoadBalancer.Validate(); err != nil {
		return Validated{}, err
	}
	if err := v.Operators.Validate(); err != nil {
		return Validated{}, err
	}
	return Validated{v}, nil
}

// ValidatedDefaults are the options of a person who says nothing.
func ValidatedDefaults() Validated { return valid(Options{}) }

// valid takes options that this package itself makes.
func valid(o Options) Validated {
	v, err := o.Validate()
	if err != nil {
		panic("hcctl's own options are refused: " + err.Error())
	}
	return v
}
