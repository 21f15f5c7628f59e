package addresses

import (
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
)

// pools reads the pools of a cluster with one pool of this spec and status, as YAML.
func pools(t *testing.T, spec, status string) []Pool {
	t.Helper()
	api := prereqtest.Serve(t, fmt.Sprintf(`
{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: p, namespace: ns, labels: {zone: a}},
  spec: {%s}, status: {%s}}
`, spec, status))
	all, err := Pools(t.Context(), api.Client)
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	return all
}

func TestPools(t *testing.T) {
	p := pools(t, "addresses: [192.0.2.0/30, nonsense, 2001:db8::/126]", "")[0]
	if p.Namespace != "ns" || p.Name != "p" || p.Labels["zone"] != "a" || len(p.Texts) != 3 || len(p.Ranges) != 2 ||
		p.Closed != "" || p.Counted {
		t.Errorf("got %+v", p)
	}
	api := prereqtest.Serve(t)
	if _, err := Pools(t.Context(), api.Client); !kube.IsKindMissing(err) {
		t.Errorf("got %v", err)
	}
}

func TestClosedPools(t *testing.T) {
	for spec, want := range map[string]string{
		"autoAssign: false":                                            "spec.autoAssign is false",
		"autoAssign: true":                                             "",
		"serviceAllocation: {priority: 50}":                            "",
		"serviceAllocation: {namespaces: [a, b]}":                      "it is reserved for namespaces a, b",
		"serviceAllocation: {namespaceSelectors: [{matchLabels: {}}]}": "spec.serviceAllocation.namespaceSelectors chooses",
		"serviceAllocation: {serviceSelectors: [{matchLabels: {}}]}":   "spec.serviceAllocation.serviceSelectors chooses",
	} {
		if got := pools(t, spec, "")[0].Closed; !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: got %q", spec, got)
		}
	}
}

func TestCount(t *testing.T) {
	const both = "addresses: [192.0.2.0/30, 192.0.2.16/31, 2001:db8::/126]"
	address := func(texts ...string) []netip.Addr {
		var out []netip.Addr
		for _, text := range texts {
			out = append(out, netip.MustParseAddr(text))
		}
		return out
	}
	for name, tc := range map[string]struct {
		spec, status string
		taken        []netip.Addr
		family       int
		free, all    uint64
	}{
		"IPv4":                  {both, "", address("192.0.2.1", "192.0.2.17", "192.0.2.8", "2001:db8::1"), 0, 4, 6},
		"IPv6":                  {both, "", address("192.0.2.1", "2001:db8::1"), 1, 3, 4},
		"MetalLB's count":       {both, "assignedIPv4: 2, availableIPv4: 5, assignedIPv6: 1", address("192.0.2.1"), 0, 5, 7},
		"MetalLB's IPv6":        {both, "assignedIPv4: 2, assignedIPv6: 1, availableIPv6: 3", nil, 1, 3, 4},
		"assigned alone counts": {both, "assignedIPv4: 2", nil, 0, 0, 2},
		"available alone does":  {both, "availableIPv6: 2", nil, 0, 0, 0},
		"not counted yet":       {both, "assignedIPv4: 0, availableIPv4: 0", nil, 0, 6, 6},
		"a wrong count":         {both, "assignedIPv4: -3, availableIPv4: 2", nil, 0, 2, 2},
		"taken twice over":      {"addresses: [192.0.2.0/31, 192.0.2.0/31]", "", address("192.0.2.0", "192.0.2.1"), 0, 0, 4},
	} {
		t.Run(name, func(t *testing.T) {
			if free, all := pools(t, tc.spec, tc.status)[0].Count(tc.taken, tc.family); free != tc.free || all != tc.all {
				t.Errorf("%d of %d, want %d of %d", free, all, tc.free, tc.all)
			}
		})
	}
}

func TestSum(t *testing.T) {
	for _, tc := range [][3]uint64{{1, 2, 3}, {math.MaxUint64 - 1, 1, math.MaxUint64}, {math.MaxUint64, 1, math.MaxUint64},
		{2, math.MaxUint64 - 1, math.MaxUint64}, {0, 0, 0}} {
		if got := Sum(tc[0], tc[1]); got != tc[2] {
			t.Errorf("%d and %d: got %d", tc[0], tc[1], got)
		}
	}
}

func TestUncoveredAndServing(t *testing.T) {
	open := pools(t, "addresses: [192.0.2.0/28]", "")
	closed := pools(t, "addresses: [198.51.100.0/28], autoAssign: false", "")
	all := slices.Concat(open, closed)
	names := func(pools []Pool) string {
		var out []string
		for _, p := range pools {
			out = append(out, p.Texts...)
		}
		return strings.Join(out, " ")
	}
	for given, want := range map[string]struct{ uncovered, serving string }{
		"":                          {"", "192.0.2.0/28"},
		"192.0.2.4/30":              {"", "192.0.2.0/28"},
		"192.0.2.8-192.0.2.20":      {"192.0.2.8-192.0.2.20", "192.0.2.0/28"},
		"198.51.100.0/30":           {"", "198.51.100.0/28"},
		"203.0.113.0/30":            {"203.0.113.0/30", ""},
		"192.0.2.4/30 198.51.100.1": {"", "192.0.2.0/28"},
	} {
		ranges := ParseAll(strings.Fields(given))
		var uncovered []string
		for _, r := range Uncovered(ranges, all) {
			uncovered = append(uncovered, r.Text)
		}
		if got := strings.Join(uncovered, " "); got != want.uncovered {
			t.Errorf("%q: uncovered %q, want %q", given, got, want.uncovered)
		}
		if got := names(Serving(ranges, all)); got != want.serving {
			t.Errorf("%q: serving %q, want %q", given, got, want.serving)
		}
	}
}
