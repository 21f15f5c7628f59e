package design

import (
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// The resource profiles: how much its daemons request. Without one, the operator takes Balanced.
const (
	Lean        = "lean"
	Balanced    = "balanced"
	Performance = "performance"
)

// The object gateways that are made.
const (
	// BothGateways are the RADOS gateway and the Multicloud Object Gateway: the operator's default on bare metal.
	BothGateways = "both"
	RADOS        = "rados"
	Multicloud   = "multicloud"
	NoGateways   = "none"
)

// What the copies of everything are spread over.
const (
	// AutoSpread is over zones where there are three with disks, else over nodes.
	AutoSpread = "auto"
	OverZones  = "zones"
	OverNodes  = "nodes"
	minCopies  = 3
)

// Whether the class for virtual machines is marked as their default.
const (
	// AutoClass marks it unless another class is marked.
	AutoClass  = "auto"
	MarkClass  = "mark"
	LeaveClass = "leave"
)

// Whether the operator's plugin is enabled in the console.
const (
	EnablePlugin = "enable"
	LeavePlugin  = "leave"
)

// Options is what a user can say. The zero value is the operator's defaults, as the console has them.
type Options struct {
	// Profile is Lean, Balanced or Performance; empty leaves it to the operator.
	Profile string
	// Encryption is of the disks, at rest.
	Encryption bool
	// Gateways is BothGateways unless said otherwise.
	Gateways string
	// Spread is AutoSpread unless said otherwise.
	Spread string
	// DeviceSets is the count of the device set: how many disks are used, or how many of each zone. Zero means all.
	DeviceSets int
	// VirtualizationClass is AutoClass unless said otherwise.
	VirtualizationClass string
	// ConsolePlugin is EnablePlugin unless said otherwise.
	ConsolePlugin string
}

// Profiles lists the resource profiles, the operator's default first.
func Profiles() []string { return []string{Balanced, Lean, Performance} }

// Gateways lists what Options.Gateways can be, the default first.
func Gateways() []string { return []string{BothGateways, RADOS, Multicloud, NoGateways} }

// Spreads lists what Options.Spread can be, the default first.
func Spreads() []string { return []string{AutoSpread, OverZones, OverNodes} }

// VirtualizationClasses lists what Options.VirtualizationClass can be, the default first.
func VirtualizationClasses() []string { return []string{AutoClass, MarkClass, LeaveClass} }

// ConsolePlugins lists what Options.ConsolePlugin can be, the default first.
func ConsolePlugins() []string { return []string{EnablePlugin, LeavePlugin} }

// Validate says which setting is wrong. The error is an *option.Error.
func (o Options) Validate() error {
	for _, s := range []struct {
		name, value string
		known       []string
	}{
		{"resourceProfile", o.Profile, Profiles()},
		{"objectGateways", o.Gateways, Gateways()},
		{"spread", o.Spread, Spreads()},
		{"virtualizationClass", o.VirtualizationClass, VirtualizationClasses()},
		{"consolePlugin", o.ConsolePlugin, ConsolePlugins()},
	} {
		if err := prereq.OneOf("storage.dataFoundation."+s.name, s.value, s.known); err != nil {
			return err
		}
	}
	const sets = "storage.dataFoundation.deviceSets"
	switch {
	case o.DeviceSets < 0:
		return option.Errorf(sets, o.DeviceSets, "give a number of 1 or more, or 0 for all")
	case o.Spread == OverNodes && o.DeviceSets > 0 && o.DeviceSets < minCopies:
		return option.Errorf(sets, o.DeviceSets, "over nodes it takes at least %d disks", minCopies)
	}
	return nil
}

// rados and multicloud tell which gateways are made.
func (o Options) rados() bool { return o.Gateways != Multicloud && o.Gateways != NoGateways }

func (o Options) multicloud() bool { return o.Gateways != RADOS && o.Gateways != NoGateways }
