package loadbalancer

import (
	"net/netip"
	"strings"
	"testing"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/prereqs/internal/addresses"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/step"
)

func bareMetal(status *configv1.BareMetalPlatformStatus) *configv1.Infrastructure {
	infra := &configv1.Infrastructure{}
	infra.Status.PlatformStatus = &configv1.PlatformStatus{Type: configv1.BareMetalPlatformType, BareMetal: status}
	return infra
}

func TestVirtualIPs(t *testing.T) {
	//nolint:staticcheck // deprecated fields are read, too
	both := bareMetal(&configv1.BareMetalPlatformStatus{APIServerInternalIP: "192.0.2.5",
		APIServerInternalIPs: []string{"192.0.2.5", "2001:db8::5"}, IngressIPs: []string{"192.0.2.4"}})
	//nolint:staticcheck // as above
	old := bareMetal(&configv1.BareMetalPlatformStatus{APIServerInternalIP: "192.0.2.5", IngressIP: "192.0.2.4"})
	for name, tc := range map[string]struct {
		infra *configv1.Infrastructure
		want  string
	}{
		"lists, and the first beside them": {both, "192.0.2.5 the cluster's API, 2001:db8::5 the cluster's API, 192.0.2.4 " +
			"the cluster's ingress"},
		"single fields only": {old, "192.0.2.5 the cluster's API, 192.0.2.4 the cluster's ingress"},
		"none of its own":    {&configv1.Infrastructure{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, u := range virtualIPs(tc.infra) {
				got = append(got, u.Text+" "+u.owner)
			}
			if strings.Join(got, ", ") != tc.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestJudgeOverlap(t *testing.T) {
	network := &configv1.Network{}
	network.Status.ClusterNetwork = []configv1.ClusterNetworkEntry{{CIDR: "10.128.0.0/14"}}
	network.Status.ServiceNetwork = []string{"172.30.0.0/16"}
	used := append(networkRanges(network), single(netip.MustParseAddr("192.0.2.20"), "node worker-0"),
		single(netip.MustParseAddr("2001:db8::4"), "the cluster's ingress"))
	theirs := func(text string) []addresses.Pool { return []addresses.Pool{pool("theirs", poolSpec(text))} }
	for name, tc := range map[string]struct {
		given []string
		pools []addresses.Pool
		want  step.State
		on    string
		says  string
	}{
		"none": {nil, nil, step.StateOK, "", ""},
		"free": {[]string{"192.0.2.32/28"}, theirs("198.51.100.0/24"), step.StateOK, "", ""},
		"given, a node's": {[]string{"192.0.2.16-192.0.2.31"}, nil, step.StateBroken, "--metallb-range",
			"192.0.2.16-192.0.2.31 holds 192.0.2.20, the address of node worker-0"},
		"a pool's, a node's": {nil, theirs("192.0.2.0/24"), step.StateBroken, "IPAddressPool metallb-system/theirs",
			"the address of node worker-0"},
		"two of them": {[]string{"192.0.2.16-192.0.2.31", "2001:db8::/120"}, nil, step.StateBroken, "--metallb-range",
			"worker-0 (and 1 more)"},
		"its neighbours are free": {[]string{"192.0.2.21-192.0.2.31", "192.0.2.1-192.0.2.19"}, nil, step.StateOK, "", ""},
		"virtual IP, IPv6": {[]string{"2001:db8::/120"}, nil, step.StateBroken, "--metallb-range",
			"2001:db8::4, the address of the cluster's ingress"},
		"in the pod network": {[]string{"10.129.0.0/24"}, nil, step.StateBroken, "--metallb-range",
			"addresses of the pod network, 10.128.0.0/14"},
		"around a service network": {nil, theirs("172.16.0.0/12"), step.StateBroken, "theirs",
			"addresses of the service network"},
	} {
		t.Run(name, func(t *testing.T) {
			f := judgeOverlap(addresses.ParseAll(tc.given), tc.pools, used)
			if f.State != tc.want || !strings.Contains(f.Object, tc.on) || !strings.Contains(f.Message, tc.says) {
				t.Errorf("got %+v, want %s on %q with %q", f, tc.want, tc.on, tc.says)
			}
		})
	}
}

func TestNodeSubnetsAndReach(t *testing.T) {
	infra := bareMetal(&configv1.BareMetalPlatformStatus{MachineNetworks: []configv1.CIDR{"192.0.2.0/24"}})
	annotated := corev1.Node{}
	annotated.Annotations = map[string]string{
		"k8s.ovn.org/node-primary-ifaddr": `{"ipv4":"192.0.2.20/24","ipv6":"2001:db8::20/64"}`,
		hostAnnotation:                    `["192.0.2.20/24","198.51.100.20/25","192.0.2.5/32"]`,
	}
	odd := corev1.Node{}
	odd.Annotations = map[string]string{"k8s.ovn.org/node-primary-ifaddr": `?`, hostAnnotation: `["x"]`}
	subnets := nodeSubnets(infra, []corev1.Node{annotated, odd})
	if got := rangesText(subnets); got != "192.0.2.0/24, 2001:db8::/64, 198.51.100.0/25" {
		t.Fatalf("got %s", got)
	}
	v4 := nodeSubnets(infra, nil)
	for name, tc := range map[string]struct {
		ranges  []string
		subnets []addresses.Range
		want    step.State
		says    string
	}{
		"inside": {[]string{"192.0.2.32/28", "2001:db8::100/120"}, subnets, step.StateOK, "within"},
		"outside": {[]string{"192.0.2.32/28", "203.0.113.0/28"}, subnets, step.StateMissing,
			"203.0.113.0/28 is not within"},
		"in part": {[]string{"198.51.100.120-198.51.100.130"}, subnets, step.StateMissing,
			"198.51.100.120-198.51.100.130"},
		"of a family nobody tells of":  {[]string{"2001:db8::/120"}, v4, step.StateUnknown, "not known"},
		"another family and one known": {[]string{"2001:db8::/120", "192.0.2.32/28"}, v4, step.StateOK, "within"},
		"nothing known":                {[]string{"192.0.2.32/28"}, nil, step.StateUnknown, "not known"},
	} {
		t.Run(name, func(t *testing.T) {
			prereqtest.Expect(t, judgeReach([]origin{{"--metallb-range", addresses.ParseAll(tc.ranges)}}, tc.subnets), tc.want,
				tc.says)
		})
	}
}
