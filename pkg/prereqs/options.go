package prereqs

import (
	"slices"

	"github.com/hcctl/hcctl/pkg/prereqs/cluster"
	"github.com/hcctl/hcctl/pkg/prereqs/disk"
	"github.com/hcctl/hcctl/pkg/prereqs/gitops"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
	"github.com/hcctl/hcctl/pkg/prereqs/multicluster"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
	"github.com/hcctl/hcctl/pkg/prereqs/virtualization"
)

// Options are a user's settings for the prerequisites. The zero value keeps what exists and installs the rest in Red
// Hat's way; it works on a cluster that has address pools.
type Options struct {
	Storage        storage.Options
	Virtualization virtualization.Options
	LoadBalancer   loadbalancer.Options
	Multicluster   multicluster.Options
	Mirrors        cluster.MirrorOptions
	// Operators maps OLM packages, such as "multicluster-engine", to pins.
	Operators map[string]olm.Pin
	// Approval is automatic (the default) or manual: it decides who approves updates of operators that hcctl installs and
	// that are not pinned.
	Approval string
	// TakeOver lists the IDs of steps that may replace decisions of other users and tools.
	TakeOver []string
	// With lists the optional groups of prerequisites to include, see OptionalGroups.
	With []string
}

// Validated are checked Options, each value parsed once. Validate makes them; the unexported pointer prevents other
// packages from doing so.
type Validated struct{ *validated }

type validated struct {
	Storage        storage.Validated
	Virtualization virtualization.Options
	LoadBalancer   loadbalancer.Validated
	Multicluster   multicluster.Options
	Mirrors        cluster.MirrorOptions
	Operators      olm.Pins
	TakeOver       prereq.TakeOver
	With           []string
}

// OptionalGroups lists the groups of prerequisites that are included only with Options.With.
func OptionalGroups() []string { return []string{gitops.Group} }

// wants reports whether an optional group is included.
func (v *validated) wants(group string) bool { return slices.Contains(v.With, group) }

// withOptional returns options with every optional group.
func withOptional() Validated { return valid(Options{With: OptionalGroups()}) }

// Validate parses the options. The error is an *option.Error about the first wrong value.
func (o Options) Validate() (Validated, error) {
	v := &validated{Virtualization: o.Virtualization, Multicluster: o.Multicluster, Mirrors: o.Mirrors,
		With: o.With}
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
	if err := o.Mirrors.Validate(); err != nil {
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

// ShowingDisks returns the options of a run that shows the disks before it takes them.
func (v Validated) ShowingDisks(c storage.Consent) Validated {
	shown := *v.validated
	shown.Storage = shown.Storage.Showing(c)
	return Validated{&shown}
}

// CalledWith returns the options of the same call with these further flags, which hints repeat.
func (v Validated) CalledWith(flags []string) Validated {
	called := *v.validated
	called.Storage = called.Storage.CalledWith(flags)
	return Validated{&called}
}

// AgreeingTo returns the options of a user who agrees to a saved plan of disks.
func (v Validated) AgreeingTo(saved disk.Saved) Validated {
	agreed := *v.validated
	agreed.Storage = agreed.Storage.Agreeing(saved)
	return Validated{&agreed}
}

// ValidatedDefaults returns the default options.
func ValidatedDefaults() Validated { return valid(Options{}) }

// valid validates options of this package itself. It panics if they are wrong.
func valid(o Options) Validated {
	v, err := o.Validate()
	if err != nil {
		panic("hcctl's own options are refused: " + err.Error())
	}
	return v
}
