package prereqs

import "fmt"

// LoadBalancerMode is who gives Services of type LoadBalancer their addresses.
type LoadBalancerMode string

// The load balancer modes; the zero value is LoadBalancerMetalLB.
const (
	// LoadBalancerMetalLB installs MetalLB.
	LoadBalancerMetalLB LoadBalancerMode = "metallb"
	// LoadBalancerExisting means another load balancer that is there.
	LoadBalancerExisting LoadBalancerMode = "existing"
	// LoadBalancerNone means none: hosted API servers are published by NodePort or Route.
	LoadBalancerNone LoadBalancerMode = "none"
)

// LoadBalancerModes lists them, the default first.
func LoadBalancerModes() []LoadBalancerMode {
	return []LoadBalancerMode{LoadBalancerMetalLB, LoadBalancerExisting, LoadBalancerNone}
}

// LoadBalancerOptions is what a person can say about load balancing.
type LoadBalancerOptions struct {
	// Mode is LoadBalancerMetalLB unless said otherwise.
	Mode LoadBalancerMode
	// MetalLBRanges are the addresses hosted clusters get for their API servers: CIDRs or ranges first-last, both ends
	// included. Empty means the pools that are there.
	MetalLBRanges []string
}

func (o LoadBalancerOptions) validate() error {
	if err := oneOf("--load-balancer", o.Mode, LoadBalancerModes()); err != nil {
		return err
	}
	if len(o.MetalLBRanges) > 0 && o.Mode != "" && o.Mode != LoadBalancerMetalLB {
		return fmt.Errorf("--metallb-range is of no use with --load-balancer %s: MetalLB is neither installed nor asked for addresses then", o.Mode)
	}
	var all []addressRange
	for _, text := range o.MetalLBRanges {
		r, err := parseRange(text)
		if err != nil {
			return fmt.Errorf("--metallb-range %q: %w", text, err)
		}
		for _, other := range all {
			if r.overlaps(other) {
				return fmt.Errorf("--metallb-range %q: shares addresses with %q; MetalLB refuses that, give each address once", text, other.text)
			}
		}
		all = append(all, r)
	}
	return nil
}

// ranges are the parsed MetalLBRanges of valid options.
func (o LoadBalancerOptions) ranges() []addressRange { return parseRanges(o.MetalLBRanges) }
