package design

import (
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// Resource profiles, which set the requests of the daemons. The operator's default is Balanced.
const (
	Lean        = "lean"
	Balanced    = "balanced"
	Performance = "performance"
)

// Object gateways to create.
const (
	BothGateways = "both"
	RADOS        = "rados"
	Multicloud   = "multicloud"
	NoGateways   = "none"
)

// Failure domains for the replicas.
const (
	// AutoSpread means over zones if three have disks, else over nodes.
	AutoSpread  = "auto"
	OverZones   = "zones"
	OverNodes   = "nodes"
	minReplicas = 3
)

// Settings of the default mark of the class for virtual machines.
const (
	// AutoClass marks it unless another class is marked.
	AutoClass  = "auto"
	MarkClass  = "mark"
	LeaveClass = "leave"
)

// Settings of the operator's console plugin.
const (
	EnablePlugin = "enable"
	LeavePlugin  = "leave"
)

// Options are a user's settings. The zero value means the operator's defaults, as the console uses them.
type Options struct {
	// Profile is Lean, Balanced or Performance; empty means the operator's default.
	Profile string
	// Encryption means encryption of the disks at rest.
	Encryption bool
	// Gateways is BothGateways by default.
	Gateways string
	// Spread is AutoSpread by default.
	Spread string
	// DeviceSets is the count of the device set: the number of disks, or of disks per zone. Zero means all.
	DeviceSets int
	// VirtualizationClass is AutoClass by default.
	VirtualizationClass string
	// ConsolePlugin is EnablePlugin by default.
	ConsolePlugin string
}

// Profiles lists the resource profiles, the operator's default first.
func Profiles() []string { return []string{Balanced, Lean, Performance} }

// Gateways lists the values of Options.Gateways, the default first.
func Gateways() []string { return []string{BothGateways, RADOS, Multicloud, NoGateways} }

// Spreads lists the values of Options.Spread, the default first.
func Spreads() []string { return []string{AutoSpread, OverZones, OverNodes} }

// VirtualizationClasses lists the values of Options.VirtualizationClass, the default first.
func VirtualizationClasses() []string { return []string{AutoClass, MarkClass, LeaveClass} }

// ConsolePlugins lists the values of Options.ConsolePlugin, the default first.
func ConsolePlugins() []string { return []string{EnablePlugin, LeavePlugin} }

// Validate checks the settings. The error is an *option.Error.
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
	case o.Spread == OverNodes && o.DeviceSets > 0 && o.DeviceSets < minReplicas:
		return option.Errorf(sets, o.DeviceSets, "over nodes it takes at least %d disks", minReplicas)
	}
	return nil
}

// rados and multicloud report which gateways are created.
func (o Options) rados() bool { return o.Gateways != Multicloud && o.Gateways != NoGateways }

func (o Options) multicloud() bool { return o.Gateways != RADOS && o.Gateways != NoGateways }
