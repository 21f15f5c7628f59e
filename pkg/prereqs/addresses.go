package prereqs

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"strings"
)

// addressRange is a run of addresses of one family, both ends included.
type addressRange struct {
	first, last netip.Addr
	// text is how it was written.
	text string
}

// parseRange reads a CIDR or first-last, the two forms MetalLB takes for IPAddressPool spec.addresses.
func parseRange(text string) (addressRange, error) {
	if text == "" {
		return addressRange{}, errors.New("is empty; give a CIDR such as 192.0.2.32/28 or a range such as 192.0.2.32-192.0.2.47")
	}
	if from, to, ok := strings.Cut(text, "-"); ok {
		return parseSpan(text, from, to)
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return addressRange{}, errors.New("is neither a CIDR such as 192.0.2.32/28 nor a range such as 192.0.2.32-192.0.2.47")
	}
	if prefix.Addr().Is4In6() {
		return addressRange{}, errors.New("is an IPv4 address written as IPv6; write it as IPv4")
	}
	return addressRange{first: prefix.Masked().Addr(), last: lastOf(prefix), text: text}, nil
}

func parseSpan(text, from, to string) (addressRange, error) {
	first, err := netip.ParseAddr(strings.TrimSpace(from))
	if err != nil {
		return addressRange{}, fmt.Errorf("%q is not an IP address", strings.TrimSpace(from))
	}
	last, err := netip.ParseAddr(strings.TrimSpace(to))
	if err != nil {
		return addressRange{}, fmt.Errorf("%q is not an IP address", strings.TrimSpace(to))
	}
	switch {
	case first.Zone() != "" || last.Zone() != "":
		return addressRange{}, errors.New("has an address with a zone, which MetalLB does not take")
	case first.Is4In6() || last.Is4In6():
		return addressRange{}, errors.New("has an IPv4 address written as IPv6; write it as IPv4")
	case first.Is4() != last.Is4():
		return addressRange{}, errors.New("mixes IPv4 and IPv6; give two ranges")
	case last.Less(first):
		return addressRange{}, fmt.Errorf("ends before it begins: %s is above %s", first, last)
	}
	return addressRange{first: first, last: last, text: text}, nil
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

// parseRanges leaves out what cannot be read: pools of others may hold forms of later MetalLB versions.
func parseRanges(texts []string) []addressRange {
	var out []addressRange
	for _, text := range texts {
		if r, err := parseRange(text); err == nil {
			out = append(out, r)
		}
	}
	return out
}

func (r addressRange) overlaps(o addressRange) bool {
	return r.first.Is4() == o.first.Is4() && !r.last.Less(o.first) && !o.last.Less(r.first)
}

// coveredBy tells whether every address of r is in one of the others, which may touch each other.
func (r addressRange) coveredBy(others []addressRange) bool {
	next := r.first
	for grew := true; grew; {
		grew = false
		for _, o := range others {
			if o.first.Is4() != next.Is4() || next.Less(o.first) || o.last.Less(next) {
				continue
			}
			if !o.last.Less(r.last) {
				return true
			}
			next, grew = o.last.Next(), true
		}
	}
	return false
}

func (r addressRange) has(a netip.Addr) bool {
	return r.first.Is4() == a.Is4() && !a.Less(r.first) && !r.last.Less(a)
}

// size is the number of addresses, or the highest number there is where they are more.
func (r addressRange) size() uint64 {
	first, last := new(big.Int).SetBytes(r.first.AsSlice()), new(big.Int).SetBytes(r.last.AsSlice())
	n := last.Sub(last, first)
	if n.Add(n, big.NewInt(1)); !n.IsUint64() {
		return math.MaxUint64
	}
	return n.Uint64()
}

func (r addressRange) loopback() bool { return r.first.IsLoopback() || r.last.IsLoopback() }
