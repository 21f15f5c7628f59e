package prereqs

import (
	"slices"

	"github.com/hcctl/hcctl/pkg/prereqs/gitops"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/design"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/disk"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
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
	// DiskOptions is what a person can say about the disks that Data Foundation may take.
	DiskOptions = disk.Options
	// DesignOptions is what a person can say about how a new StorageCluster is laid out.
	DesignOptions = design.Options
	// DiskPlan is which disks are taken and which are left.
	DiskPlan = disk.Plan
	// SavedDisks is a plan of disks that a person kept.
	SavedDisks = disk.Saved
	// DiskRow is one disk of a plan.
	DiskRow = disk.Row
	// DiskConsent is how a run gets a user's consent to the disks that it is about to take.
	DiskConsent = storage.Consent
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

// DiskTypes lists the types of disks, the default first.
func DiskTypes() []string { return disk.Types() }

// DiskMedia lists the media of disks, the default first.
func DiskMedia() []string { return disk.AllMedia() }

// ResourceProfiles lists the resource profiles of Data Foundation, its default first.
func ResourceProfiles() []string { return design.Profiles() }

// ObjectGateways lists which object gateways Data Foundation can make, the default first.
func ObjectGateways() []string { return design.Gateways() }

// StorageSpreads lists what Data Foundation's copies can be spread over, the default first.
func StorageSpreads() []string { return design.Spreads() }

// VirtualizationClasses lists what can be done with Data Foundation's class for virtual machines, the default first.
func VirtualizationClasses() []string { return design.VirtualizationClasses() }

// ConsolePlugins lists what can be done with Data Foundation's plugin of the console, the default first.
func ConsolePlugins() []string { return design.ConsolePlugins() }

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
	// Approval is who approves updates of operators that hcctl installs and that are not pinned: automatic (the default)
	// or manual.
	Approval string
	// TakeOver are the IDs of steps for which decisions of others may be replaced.
	TakeOver []string
	// With are the optional groups of prerequisites that are wanted, see OptionalGroups.
	With []string
}

// Validated are Options that can work, each parsed once. Validate makes them; the pointer inside cannot be made
// elsewhere.
type Validated struct{ *validated }

type validated struct {
	Storage        storage.Validated
	Virtualization virtualization.Options
	LoadBalancer   loadbalancer.Validated
	Multicluster   multicluster.Options
	Operators      olm.Pins
	TakeOver       prereq.TakeOver
	With           []string
}

// OptionalGroups lists the groups of prerequisites that are left out unless Options.With has them.
func OptionalGroups() []string { return []string{gitops.Group} }

// wants tells whether an optional group is asked for.
func (v *validated) wants(group string) bool { return slices.Contains(v.With, group) }

// withOptional are the options of a person who wants every optional group.
func withOptional() Validated { return valid(Options{With: OptionalGroups()}) }

// Validate parses the options. The error is an *option.Error about the first one that is wrong.
func (o Options) Validate() (Validated, error) {
	v := &validated{Virtualization: o.Virtualization, Multicluster: o.Multicluster, With: o.With}
	for _, group := range o.With {
		if err := prereq.OneOf("with", group, OptionalGroups()); err != nil {
			return Validated{}, err
		}
	}
	var err error
	if v.TakeOver, err = takeOver(o.TakeOver); err != nil {
		return Validated{}, err
	}
	if v.Operators, err = pins(o, v.TakeOver); err != nil {
		return Validated{}, err
	}
	if v.Storage, err = o.Storage.Validate(); err != nil {
		return Validated{}, err
	}
	if err := o.Virtualization.Validate(); err != nil {
		return Validated{}, err
	}
	if err := o.Multicluster.Validate(); err != nil {
		return Validated{}, err
	}
	if v.LoadBalancer, err = o.LoadBalancer.Validate(); err != nil {
		return Validated{}, err
	}
	v.Storage.TakeOver = v.TakeOver
	return Validated{v}, nil
}

// ShowingDisks are the options of a run that shows the disks before it takes them.
func (v Validated) ShowingDisks(c DiskConsent) Validated {
	shown := *v.validated
	shown.Storage = shown.Storage.Showing(c)
	return Validated{&shown}
}

// CalledWith are the options of a call with these further flags, which hints repeat.
func (v Validated) CalledWith(flags []string) Validated {
	called := *v.validated
	called.Storage = called.Storage.CalledWith(flags)
	return Validated{&called}
}

// ReadDiskPlan parses a saved plan of disks: what hcctl disks -o json has printed.
func ReadDiskPlan(data []byte) (SavedDisks, error) { return disk.ReadSaved(data) }

// AgreeingTo are the options of a person who agrees to a saved plan of disks.
func (v Validated) AgreeingTo(saved SavedDisks) Validated {
	agreed := *v.validated
	agreed.Storage = agreed.Storage.Agreeing(saved)
	return Validated{&agreed}
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
