package prereqs

import (
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
			r, err := parseRange(text)
			switch {
			case want.err != "":
				if err == nil || !strings.Contains(err.Error(), want.err) {
					t.Errorf("got %v, want an error with %q", err, want.err)
				}
			case err != nil:
				t.Error(err)
			case r.first.String() != want.first || r.last.String() != want.last:
				t.Errorf("got %s to %s, want %s to %s", r.first, r.last, want.first, want.last)
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
			if got := mustRange(t, tc.in).coveredBy(parseRanges(tc.others)); got != tc.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

func TestValidateNamesFlagAndValue(t *testing.T) {
	for name, tc := range map[string]struct {
		ranges []string
		want   string
	}{
		"none":    {nil, ""},
		"good":    {[]string{"192.0.2.0/28", "2001:db8::/120"}, ""},
		"bad":     {[]string{"192.0.2.0/28", "nonsense"}, `--metallb-range "nonsense": is neither`},
		"overlap": {[]string{"192.0.2.0/28", "192.0.2.15-192.0.2.20"}, `--metallb-range "192.0.2.15-192.0.2.20": shares addresses with "192.0.2.0/28"`},
	} {
		t.Run(name, func(t *testing.T) {
			err := Options{LoadBalancer: LoadBalancerOptions{MetalLBRanges: tc.ranges}}.Validate()
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func mustRange(t *testing.T, text string) addressRange {
	t.Helper()
	r, err := parseRange(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
