package loadbalancer

import (
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/addresses"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// Mode is the source of addresses for Services of type LoadBalancer.
type Mode string

// The load balancer modes; the zero value is ModeMetalLB.
const (
	// ModeMetalLB installs MetalLB.
	ModeMetalLB Mode = "metallb"
	// ModeExisting means another load balancer that exists.
	ModeExisting Mode = "existing"
	// ModeNone means no load balancer: hosted API servers are published by NodePort or Route.
	ModeNone Mode = "none"
)

// Modes lists the load balancer modes, the default first.
func Modes() []Mode {
	return []Mode{ModeMetalLB, ModeExisting, ModeNone}
}

// Options are a user's settings for load balancing.
type Options struct {
	// Mode is ModeMetalLB by default.
	Mode Mode
	// MetalLBRanges are the addresses for API servers of hosted clusters: CIDRs or ranges first-last, including both ends.
	// If empty, existing pools are used.
	MetalLBRanges []string
	// MetalLBSpec are settings of the MetalLB.
	MetalLBSpec *prereq.Settings
}

// rangesField is the name of MetalLBRanges in hcctl.yaml.
const rangesField = "loadBalancer.metallbRanges"

// Validated are checked Options, each value parsed once. Validate makes them; the unexported pointer prevents other
// packages from doing so.
type Validated struct{ *validated }

type validated struct {
	Mode          Mode
	MetalLBRanges []addresses.Range
	MetalLBSpec   *prereq.Settings
}

// Validate parses the options. The error is an *option.Error.
func (o Options) Validate() (Validated, error) {
	if err := prereq.OneOf("loadBalancer.mode", o.Mode, Modes()); err != nil {
		return Validated{}, err
	}
	if len(o.MetalLBRanges) > 0 && o.Mode != "" && o.Mode != ModeMetalLB {
		return Validated{}, option.Errorf(rangesField, nil,
			"of no use with %s %s: MetalLB is neither installed nor asked for addresses then", hint.Flag("load-balancer"),
			o.Mode)
	}
	if o.MetalLBSpec != nil && o.Mode != "" && o.Mode != ModeMetalLB {
		return Validated{}, option.Errorf(o.MetalLBSpec.Path, nil, "of no use with %s %s", hint.Flag("load-balancer"), o.Mode)
	}
	v := &validated{Mode: o.Mode, MetalLBSpec: o.MetalLBSpec}
	for _, text := range o.MetalLBRanges {
		r, err := addresses.Parse(text)
		if err != nil {
			return Validated{}, option.Errorf(rangesField, text, "%v", err)
		}
		for _, other := range v.MetalLBRanges {
			if r.Overlaps(other) {
				return Validated{}, option.Errorf(rangesField, text,
					"shares addresses with %q; MetalLB refuses that, give each address once", other.Text)
			}
		}
		v.MetalLBRanges = append(v.MetalLBRanges, r)
	}
	return Validated{v}, nil
}

// Planned returns the settings of the MetalLB.
func (v Validated) Planned(pins olm.Pins) prereq.Planned {
	return prereq.Planned{Settings: v.MetalLBSpec, Kind: kube.MetalLB,
		Version: olm.NewInstaller(olm.MetalLB().Pinned(pins)).Foreseen}
}
