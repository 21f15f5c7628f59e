package prereqs

import "fmt"

// Options is what a person can say about the prerequisites. The zero value works on a cluster that has address pools.
type Options struct {
	// MetalLBRanges are the addresses hosted clusters get for their API servers: CIDRs or ranges first-last, both ends
	// included. Empty means the pools that are there.
	MetalLBRanges []string
}

// Validate returns an error naming the flag and the value that is wrong.
func (o Options) Validate() error {
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
func (o Options) ranges() []addressRange {
	return parseRanges(o.MetalLBRanges)
}
