package addresses

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"strings"
)

// Range is a run of addresses of one family, both ends included.
type Range struct {
	First, Last netip.Addr
	// Text is how it was written.
	Text string
}

// Parse reads a CIDR or first-last, the two forms MetalLB takes for IPAddressPool spec.addresses.
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
	return Range{First: prefix.Masked().Addr(), Last: lastOf(prefix), Text: text}, nil
}

// Of is the range of one address.
func Of(a netip.Addr) Range { return Range{First: a, Last: a, Text: a.String()} }

// OfPrefix is the range of a whole network.
func OfPrefix(p netip.Prefix) Range {
	p = p.Masked()
	return Range{First: p.Addr(), Last: lastOf(p), Text: p.String()}
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
	return Range{First: first, Last: last, Text: text}, nil
}

// lastOf is the highest address of the prefix.
func lastOf(p netip.Prefix) netip.Addr {
	raw := p.Masked().Addr().AsSlice()
	for bit := p.Bits(); bit < 8*len(raw); bit++ {
		raw[bit/8] |= 1 << (7 - bit%8)
	}
	last, _ := netip.AddrFromSlice(raw)
	return last
}

// ParseAll leaves out what cannot be read: pools of others may hold forms of later MetalLB versions.
func ParseAll(texts []string) []Range {
	var out []Range
	for _, text := range texts {
		if r, err := Parse(text); err == nil {
			out = append(out, r)
		}
	}
	return out
}

// Overlaps tells whether both have an address in common.
func (r Range) Overlaps(o Range) bool {
	return r.First.Is4() == o.First.Is4() && !r.Last.Less(o.First) && !o.Last.Less(r.First)
}

// CoveredBy tells whether every address of r is in one of the others, which may touch each other.
func (r Range) CoveredBy(others []Range) bool {
	next := r.First
	for grew := true; grew; {
		grew = false
		for _, o := range others {
			if o.First.Is4() != next.Is4() || next.Less(o.First) || o.Last.Less(next) {
				continue
			}
			if !o.Last.Less(r.Last) {
				return true
			}
			next, grew = o.Last.Next(), true
		}
	}
	return false
}

func (r Range) has(a netip.Addr) bool {
	return r.First.Is4() == a.Is4() && !a.Less(r.First) && !r.Last.Less(a)
}

// size is the number of addresses, or the highest number there is where they are more.
func (r Range) size() uint64 {
	first, last := new(big.Int).SetBytes(r.First.AsSlice()), new(big.Int).SetBytes(r.Last.AsSlice())
	n := last.Sub(last, first)
	if n.Add(n, big.NewInt(1)); !n.IsUint64() {
		return math.MaxUint64
	}
	return n.Uint64()
}

// Loopback tells whether an end of the range can be reached on its own machine only.
func (r Range) Loopback() bool { return r.First.IsLoopback() || r.Last.IsLoopback() }
