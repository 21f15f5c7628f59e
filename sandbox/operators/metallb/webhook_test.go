package metallb

import (
	"strings"
	"testing"
)

func poolOf(name string, addresses ...string) pool {
	p := pool{}
	p.Metadata.Name = name
	p.Spec.Addresses = addresses
	return p
}

func TestPools(t *testing.T) {
	existing := poolOf("first", "127.0.216.32-127.0.216.122", "fc00::/120")
	for _, c := range []struct {
		name      string
		addresses []string
		refused   string
	}{
		{"beside", []string{"127.0.216.123-127.0.216.130"}, ""},
		{"other family", []string{"::ffff/120"}, ""},
		{"touching the end", []string{"127.0.216.122/32"}, `overlaps with already defined CIDR "127.0.216.32-127.0.216.122"`},
		{"around", []string{"127.0.0.0/8"}, "overlaps"},
		{"within itself", []string{"10.0.0.0/24", "10.0.0.5-10.0.0.6"}, `overlaps with already defined CIDR "10.0.0.0/24"`},
		{"v6", []string{"fc00::10-fc00::20"}, "overlaps"},
		{"backwards", []string{"10.0.0.9-10.0.0.2"}, `start IP "10.0.0.9" is after the end IP "10.0.0.2"`},
		{"bad start", []string{"10.0.0.x-10.0.0.2"}, `invalid start IP "10.0.0.x"`},
		{"bad end", []string{"10.0.0.1-2"}, `invalid end IP "2"`},
		{"no mask", []string{"10.0.0.1"}, `invalid CIDR "10.0.0.1"`},
		{"mixed families", []string{"10.0.0.1-fc00::1"}, "is after the end IP"},
		{"empty", nil, "pool has no prefixes defined"},
	} {
		err := validPool(poolOf("new", c.addresses...), []pool{existing})
		switch {
		case c.refused == "" && err != nil:
			t.Errorf("%s: refused: %v", c.name, err)
		case c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)):
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.refused)
		}
	}
}

func TestLastOf(t *testing.T) {
	for in, want := range map[string]string{
		"10.0.0.0/24": "10.0.0.255", "10.0.0.7/32": "10.0.0.7", "10.0.0.99/30": "10.0.0.99", "fc00::/120": "fc00::ff",
	} {
		s, err := parseRange(in)
		if err != nil || s.last.String() != want {
			t.Errorf("%s ends with %s (%v), want %s", in, s.last, err, want)
		}
	}
}
