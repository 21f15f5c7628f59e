package cluster

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// networksOf is a management cluster with these pods, and these other addresses in use.
func networksOf(pods []string, used ...string) kube.Networks {
	n := kube.Networks{}
	for _, cidr := range pods {
		n.Pods = append(n.Pods, netip.MustParsePrefix(cidr))
	}
	for _, cidr := range append(pods, used...) {
		n.Used = append(n.Used, kube.SpanOf(netip.MustParsePrefix(cidr), "Network cluster", "the pods"))
	}
	return n
}

func TestJudgeGuestNetworks(t *testing.T) {
	prereqtest.Expect(t, judgeGuestNetworks(networksOf([]string{"10.128.0.0/14"}, "172.30.0.0/16", "100.64.0.0/16",
		"100.88.0.0/16", "192.168.111.0/24")), step.StateOK, "are free")
	prereqtest.Expect(t, judgeGuestNetworks(networksOf([]string{"10.0.0.0/8"})), step.StateMissing,
		"the pods of a hosted cluster (10.132.0.0/14) would share addresses with the pods (10.0.0.0/8)")
	prereqtest.Expect(t, judgeGuestNetworks(networksOf(nil, "172.31.0.0/20", "100.64.0.0/14")), step.StateMissing,
		"(and 2 more)")
	prereqtest.Expect(t, judgeGuestNetworks(networksOf([]string{"fd01::/48", "10.128.0.0/14"})), step.StateOK, "are free")
	prereqtest.Expect(t, judgeGuestNetworks(networksOf([]string{"fd01::/48"})), step.StateMissing,
		"the management cluster's pods have IPv6 only (fd01::/48)")
}

func TestJudgeWantedNetworks(t *testing.T) {
	v4, v6 := []string{"10.128.0.0/14"}, []string{"fd01::/48"}
	dual, turned := slices.Concat(v4, v6), slices.Concat(v6, v4)
	own := func(names ...string) (all []prereq.WantedNetwork) {
		for _, name := range names {
			flag, cidr, _ := strings.Cut(name, " ")
			all = append(all, prereq.WantedNetwork{Name: flag, CIDR: netip.MustParsePrefix(cidr),
				Shared: flag == "--machine-cidr"})
		}
		return all
	}
	guest4 := own("--cluster-cidr 10.132.0.0/14", "--service-cidr 172.31.0.0/16")
	guest6 := own("--cluster-cidr fd03::/48", "--service-cidr fd04::/112")
	for name, tc := range map[string]struct {
		pods   []string
		wanted prereq.Wanted
		state  step.State
		says   string
	}{
		"IPv4 on IPv4": {v4, prereq.Wanted{Networks: guest4}, step.StateOK, "--service-cidr (172.31.0.0/16)"},
		"IPv6 on IPv4": {v4, prereq.Wanted{Networks: guest6}, step.StateMissing,
			"--cluster-cidr (fd03::/48) is IPv6, and the management cluster's pods, among which its nodes are, have IPv4 only " +
				"(10.128.0.0/14)"},
		"dual stack on IPv4": {v4, prereq.Wanted{Networks: append(guest4, guest6...)}, step.StateMissing, "is IPv6"},
		"IPv4 on IPv6": {v6, prereq.Wanted{Networks: guest4}, step.StateMissing,
			"--cluster-cidr (10.132.0.0/14) is IPv4, and the management cluster's pods, among which its nodes are, have IPv6 " +
				"only (fd01::/48)"},
		"IPv6 on IPv6":                {v6, prereq.Wanted{Networks: guest6}, step.StateOK, "not in use"},
		"dual stack on dual stack":    {dual, prereq.Wanted{Networks: append(guest4, guest6...)}, step.StateOK, "not in use"},
		"the other order":             {dual, prereq.Wanted{Networks: append(guest6, guest4...)}, step.StateOK, "not in use"},
		"on one of the other order":   {turned, prereq.Wanted{Networks: append(guest4, guest6...)}, step.StateOK, "not in use"},
		"IPv6 on dual stack":          {dual, prereq.Wanted{Networks: guest6}, step.StateOK, "not in use"},
		"the nodes are elsewhere":     {v4, prereq.Wanted{Networks: guest6, Elsewhere: true}, step.StateOK, "not in use"},
		"the nodes are on other nets": {v4, prereq.Wanted{Networks: guest6, AnyFamily: true}, step.StateOK, "not in use"},
		"pods of the same network": {v4, prereq.Wanted{Networks: own("--cluster-cidr 10.128.0.0/14")}, step.StateMissing,
			"--cluster-cidr (10.128.0.0/14) shares addresses with the pods (10.128.0.0/14), and could not reach those"},
		"the other family's, within": {dual, prereq.Wanted{Networks: append(guest4, own("--cluster-cidr fd01:0:0:8::/61")...)},
			step.StateMissing, "--cluster-cidr (fd01:0:0:8::/61) shares addresses with the pods (fd01::/48)"},
		"nodes are among the pods": {v4, prereq.Wanted{Networks: own("--machine-cidr 10.128.0.0/14")}, step.StateOK,
			"not in use"},
		"nodes of another family": {v4, prereq.Wanted{Networks: own("--machine-cidr fd01::/48")}, step.StateMissing,
			"--machine-cidr (fd01::/48) is IPv6"},
		"not reported yet": {nil, prereq.Wanted{Networks: guest6}, step.StateOK, "not in use"},
	} {
		t.Run(name, func(t *testing.T) {
			prereqtest.Expect(t, judgeWantedNetworks(tc.wanted, networksOf(tc.pods)), tc.state, tc.says)
		})
	}
	mine := kube.Networks{Services: []netip.Prefix{netip.MustParsePrefix("172.30.0.0/16")}}
	prereqtest.Expect(t, judgeWantedNetworks(prereq.Wanted{Networks: own("--machine-cidr 172.30.7.0/24")}, mine),
		step.StateMissing, "shares addresses with the management cluster's Services (172.30.0.0/16)")
}
