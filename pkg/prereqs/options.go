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

// Options is what a user can say about the prerequisites. The zero value keeps what is there and installs the rest in
// Red Hat's way; it works on a cluster that has address pools.
type Options struct {
	Storage        storage.Options
	Virtualization virtualization.Options
	LoadBalancer   loadbalancer.Options
	Multicluster   multicluster.Options
	Mirrors        cluster.MirrorOptions
	// Operators pins operators, by OLM package, such as "multicluster-engine".
	Operators map[string]olm.Pin
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
	Mirrors        cluster.MirrorOptions
	Operators      olm.Pins
	TakeOver       prereq.TakeOver
	With           []string
}

// OptionalGroups lists the groups of prerequisites that are left out unless Options.With has them.
func OptionalGroups() []string { return []string{gitops.Group} }

// wants reports whether an optional group is asked for.
func (v *validated) wants(group string) bool { return slices.Contains(v.With, group) }

// withOptional are the options of a user who wants every optional group.
func withOptional() Validated { return valid(Options{With: OptionalGroups()}) }

// Validate parses the options. The error is an *option.Error about the first one that is wrong.
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

// ShowingDisks are the options of a run that shows the disks before it takes them.
func (v Validated) ShowingDisks(c storage.Consent) Validated {
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

// AgreeingTo are the options of a user who agrees to a saved plan of disks.
func (v Validated) AgreeingTo(saved disk.Saved) Validated {
	agreed := *v.validated
	agreed.Storage = agreed.Storage.Agreeing(saved)
	return Validated{&agreed}
}

// ValidatedDefaults are the options of a user who says nothing.
func ValidatedDefaults() Validated { return valid(Options{}) }

// valid takes options that this package itself makes.
func valid(o Options) Validated {
	v, err := o.Validate()
	if err != nil {
		panic("hcctl's own options are refused: " + err.Error())
	}
	return v
}
