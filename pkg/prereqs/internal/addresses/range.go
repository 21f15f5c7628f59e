package addresses

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"strings"

	"go4.org/netipx"
)

// Range is a range of addresses of one family, including both ends.
type Range struct {
	netipx.IPRange
	// Text is the notation in which it was given.
	Text string
}

// Parse parses a CIDR or first-last, the two notations in MetalLB's IPAddressPool spec.addresses.
func Parse(text string) (Range, error) {
	if text == "" {
		return Range{}, errors.New("is empty; give a CIDR such as 192.0.2.32/28 or a range such as 192.0.2.32-192.0.2.47")
	}
	if from, to, ok := strings.Cut(text, "-"); ok {
		return parseSpan(text, from, to)
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return Range{}, errors.New("is neither a CIDR such as 192.0.2.32/28 nor a range such as 192.0.2.32-192.0.2.47")
	}
	if prefix.Addr().Is4In6() {
		return Range{}, errors.New("is an IPv4 address written as IPv6; write it as IPv4")
	}
	return Range{IPRange: netipx.RangeOfPrefix(prefix), Text: text}, nil
}

// Of returns the range of one address.
func Of(a netip.Addr) Range { return Range{IPRange: netipx.IPRangeFrom(a, a), Text: a.String()} }

// OfPrefix returns the range of a network.
func OfPrefix(p netip.Prefix) Range {
	return Range{IPRange: netipx.RangeOfPrefix(p), Text: p.Masked().String()}
}

func parseSpan(text, from, to string) (Range, error) {
	first, err := netip.ParseAddr(strings.TrimSpace(from))
	if err != nil {
		return Range{}, fmt.Errorf("%q is not an IP address", strings.TrimSpace(from))
	}
	last, err := netip.ParseAddr(strings.TrimSpace(to))
	if err != nil {
		return Range{}, fmt.Errorf("%q is not an IP address", strings.TrimSpace(to))
	}
	switch {
	case first.Zone() != "" || last.Zone() != "":
		return Range{}, errors.New("has an address with a zone, which MetalLB does not take")
	case first.Is4In6() || last.Is4In6():
		return Range{}, errors.New("has an IPv4 address written as IPv6; write it as IPv4")
	case first.Is4() != last.Is4():
		return Range{}, errors.New("mixes IPv4 and IPv6; give two ranges")
	case last.Less(first):
		return Range{}, fmt.Errorf("ends before it begins: %s is above %s", first, last)
	}
	return Range{IPRange: netipx.IPRangeFrom(first, last), Text: text}, nil
}

// ParseAll parses ranges and skips what it cannot parse: foreign pools may use notations of later MetalLB versions.
func ParseAll(texts []string) []Range {
	var out []Range
	for _, text := range texts {
		if r, err := Parse(text); err == nil {
			out = append(out, r)
		}
	}
	return out
}

// Overlaps reports whether both have an address in common.
func (r Range) Overlaps(o Range) bool { return r.IPRange.Overlaps(o.IPRange) }

// CoveredBy reports whether the others together contain every address of r.
func (r Range) CoveredBy(others []Range) bool {
	var all netipx.IPSetBuilder
	for _, o := range others {
		all.AddRange(o.IPRange)
	}
	set, err := all.IPSet()
	return err == nil && set.ContainsRange(r.IPRange)
}

// size returns the number of addresses, at most the maximum of uint64.
func (r Range) size() uint64 {
	first, last := new(big.Int).SetBytes(r.From().AsSlice()), new(big.Int).SetBytes(r.To().AsSlice())
	n := last.Sub(last, first)
	if n.Add(n, big.NewInt(1)); !n.IsUint64() {
		return math.MaxUint64
	}
	return n.Uint64()
}

// Loopback reports whether an end of the range is a loopback address.
func (r Range) Loopback() bool { return r.From().IsLoopback() || r.To().IsLoopback() }
