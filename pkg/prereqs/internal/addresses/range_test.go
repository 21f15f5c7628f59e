package addresses

import (
	"math"
	"net/netip"
	"strings"
	"testing"
)

func TestParseRange(t *testing.T) {
	for text, want := range map[string]struct{ first, last, err string }{
		"192.0.2.32-192.0.2.47":     {first: "192.0.2.32", last: "192.0.2.47"},
		"192.0.2.32 - 192.0.2.47":   {first: "192.0.2.32", last: "192.0.2.47"},
		"192.0.2.7-192.0.2.7":       {first: "192.0.2.7", last: "192.0.2.7"},
		"192.0.2.32/28":             {first: "192.0.2.32", last: "192.0.2.47"},
		"192.0.2.33/28":             {first: "192.0.2.32", last: "192.0.2.47"},
		"192.0.2.1/32":              {first: "192.0.2.1", last: "192.0.2.1"},
		"192.0.2.0/23":              {first: "192.0.2.0", last: "192.0.3.255"},
		"2001:db8::/126":            {first: "2001:db8::", last: "2001:db8::3"},
		"2001:db8::1-2001:db8::f":   {first: "2001:db8::1", last: "2001:db8::f"},
		"":                          {err: "is empty"},
		"192.0.2.32":                {err: "neither a CIDR"},
		"192.0.2.0/33":              {err: "neither a CIDR"},
		"192.0.2.32-":               {err: `"" is not an IP address`},
		"192.0.2.300-192.0.2.1":     {err: `"192.0.2.300" is not an IP address`},
		"192.0.2.9-192.0.2.1":       {err: "ends before it begins"},
		"192.0.2.9-2001:db8::1":     {err: "mixes IPv4 and IPv6"},
		"fe80::1%eth0-fe80::2%eth0": {err: "zone"},
		"::ffff:192.0.2.0/120":      {err: "write it as IPv4"},
	} {
		t.Run(text, func(t *testing.T) {
			r, err := Parse(text)
			switch {
			case want.err != "":
				if err == nil || !strings.Contains(err.Error(), want.err) {
					t.Errorf("got %v, want an error with %q", err, want.err)
				}
			case err != nil:
				t.Error(err)
			case r.From().String() != want.first || r.To().String() != want.last:
				t.Errorf("got %s to %s, want %s to %s", r.From(), r.To(), want.first, want.last)
			}
		})
	}
}

func TestCoveredBy(t *testing.T) {
	for name, tc := range map[string]struct {
		in     string
		others []string
		want   bool
	}{
		"wholly":                {"192.0.2.10-192.0.2.20", []string{"192.0.2.0/24"}, true},
		"by two that touch":     {"192.0.2.10-192.0.2.20", []string{"192.0.2.15-192.0.2.30", "192.0.2.1-192.0.2.14"}, true},
		"with a hole":           {"192.0.2.10-192.0.2.20", []string{"192.0.2.16-192.0.2.30", "192.0.2.1-192.0.2.14"}, false},
		"only its begin":        {"192.0.2.10-192.0.2.20", []string{"192.0.2.0-192.0.2.19"}, false},
		"none":                  {"192.0.2.10-192.0.2.20", nil, false},
		"the other family":      {"192.0.2.10-192.0.2.20", []string{"2001:db8::/32"}, false},
		"to the highest of all": {"255.255.255.254-255.255.255.255", []string{"255.255.255.0/24"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := mustRange(t, tc.in).CoveredBy(ParseAll(tc.others)); got != tc.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

func mustRange(t *testing.T, text string) Range {
	t.Helper()
	r, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRangeSize(t *testing.T) {
	for text, want := range map[string]uint64{
		"192.0.2.0/28": 16, "192.0.2.7-192.0.2.7": 1, "0.0.0.0/0": 1 << 32, "2001:db8::/64": math.MaxUint64,
		"2001:db8::/65": 1 << 63, "::/0": math.MaxUint64,
	} {
		if got := mustRange(t, text).size(); got != want {
			t.Errorf("%s: got %d, want %d", text, got, want)
		}
	}
}

// maxCounted bounds the ranges whose addresses are counted one by one.
const maxCounted = 1 << 10

// counted are a range's addresses one by one: what the arithmetic has to agree with. False if there are too many.
func counted(r Range) (map[netip.Addr]bool, bool) {
	all := map[netip.Addr]bool{}
	for a := r.From(); ; a = a.Next() {
		all[a] = true
		if a == r.To() {
			return all, true
		}
		if len(all) > maxCounted || !a.IsValid() {
			return nil, false
		}
	}
}

// FuzzRanges compares the arithmetic of ranges with counting.
func FuzzRanges(f *testing.F) {
	f.Add("192.0.2.32/28", "192.0.2.40-192.0.2.50", "192.0.2.47-192.0.2.60")
	f.Add("fd00::1-fd00::9", "fd00::/125", "fd00::8-fd00::8")
	f.Add("255.255.255.250-255.255.255.255", "255.255.255.252/30", "0.0.0.0/32")
	f.Add("::ffff:192.0.2.1-::ffff:192.0.2.9", "192.0.2.1-192.0.2.9", "192.0.2.0/24")
	f.Add("1.1.1.1-1.1.1.2", "1.1.1.2-1.1.1.3", "1.1.1.1-1.1.1.3")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		var ranges []Range
		var sets []map[netip.Addr]bool
		for _, text := range []string{a, b, c} {
			r, err := Parse(text)
			if err != nil {
				if strings.ContainsAny(err.Error(), "\n\r\x1b") {
					t.Fatalf("want one line: %q", err)
				}
				return
			}
			if r.From().Is4In6() || r.To().Is4In6() || r.From().Is4() != r.To().Is4() || r.To().Less(r.From()) ||
				r.Text != text {
				t.Fatalf("%q was taken as %+v", text, r)
			}
			set, ok := counted(r)
			if !ok {
				return
			}
			if uint64(len(set)) != r.size() {
				t.Fatalf("%s has %d addresses, not %d", text, len(set), r.size())
			}
			ranges, sets = append(ranges, r), append(sets, set)
		}
		shared, covered := false, true
		for address := range sets[0] {
			shared = shared || sets[1][address]
			covered = covered && (sets[1][address] || sets[2][address])
			if ranges[1].Contains(address) != sets[1][address] {
				t.Fatalf("%s has %s: %v", b, address, ranges[1].Contains(address))
			}
		}
		if ranges[0].Overlaps(ranges[1]) != shared || ranges[1].Overlaps(ranges[0]) != shared {
			t.Fatalf("%s and %s share addresses: %v", a, b, shared)
		}
		if ranges[0].CoveredBy(ranges[1:]) != covered {
			t.Fatalf("%s is covered by %s and %s: %v", a, b, c, covered)
		}
	})
}
