package cluster

import (
	"context"
	"net/netip"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/addresses"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// GuestNetworks is the prerequisite of this file.
const GuestNetworks step.ID = "cluster/guest-networks"

// guestNetworks checks that the default networks of a hosted cluster are free, and of an IP family that its nodes have.
// Its VMs are in the management cluster's pod network, so they cannot reach an outside address that is also in one of
// their own networks, and have addresses of only that network's families.
type guestNetworks struct {
	// wanted is a cluster that is about to be created. Nil means one with the default networks.
	wanted *prereq.Wanted
}

func (s guestNetworks) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: GuestNetworks, Title: "guest networks", Severity: step.Advisory,
		Check: s.check,
		Rights: prereq.Rights{
			Check: append(addresses.ListPools(), prereq.ReadNetwork(), prereq.ReadConfig("networks.operator.openshift.io"),
				prereq.ListNodes()),
		},
		Preflight: &prereq.Preflight{Check: s.checkWanted, Required: true},
	}
}

func (s guestNetworks) check(ctx context.Context, reader kube.Reader) step.Finding {
	own, err := kube.ReadNetworks(ctx, reader)
	if err != nil {
		return kube.Unknown(err)
	}
	pools, err := addresses.Pools(ctx, reader)
	if err != nil && !kube.IsKindMissing(err) {
		return kube.Unknown(err).On("IPAddressPools")
	}
	for _, p := range pools {
		for _, r := range p.Ranges {
			own.Used = append(own.Used, kube.Span{IPRange: r.IPRange, Object: "IPAddressPool " + p.Namespace + "/" + p.Name,
				Name: "the load balancer's addresses (" + r.Text + ")"})
		}
	}
	if s.wanted != nil {
		return judgeWantedNetworks(*s.wanted, own)
	}
	return judgeGuestNetworks(own)
}

// checkWanted returns the network check for a hosted cluster that is about to be created.
func (s guestNetworks) checkWanted(w prereq.Wanted) kube.Check {
	return guestNetworks{wanted: &w}.check
}

// defaultGuestNetworks returns the default networks of hosted clusters on KubeVirt: from the vendor CLIs' defaults, and
// for the join subnet from OpenShift's documents (100.65) and HyperShift's code (100.66), which disagree.
func defaultGuestNetworks() []kube.Span {
	span := func(cidr, name string) kube.Span { return kube.SpanOf(netip.MustParsePrefix(cidr), "", "%s", name) }
	return []kube.Span{
		span("10.132.0.0/14", "the pods of a hosted cluster"),
		span("172.31.0.0/16", "the Services of a hosted cluster"),
		span("100.65.0.0/16", "the join subnet of a hosted cluster"),
		span("100.66.0.0/16", "the join subnet of a hosted cluster"),
	}
}

func judgeGuestNetworks(own kube.Networks) step.Finding {
	defaults := defaultGuestNetworks()
	if pods := own.Pods; len(pods) > 0 && !kube.HasFamily(pods, defaults[0].From()) {
		return step.Missing("10.132.0.0/14 and 172.31.0.0/16, the defaults of hosted clusters, are IPv4, and the management "+
			"cluster's pods have %s: no node of such a cluster would come up", kube.Families(pods)).On("Network cluster").
			WithHint("give hosted clusters networks of IPv6: %s", hint.Run("create cluster").Flag("name", "NAME").
				Flag("cluster-cidr", "fd03::/48").Flag("service-cidr", "fd04::/112"))
	}
	overlaps := kube.Overlaps(defaults, own.Used)
	if len(overlaps) == 0 {
		return step.OK("10.132.0.0/14, 172.31.0.0/16, 100.65.0.0/16 and 100.66.0.0/16, the defaults of hosted clusters, " +
			"are free").On("Network cluster")
	}
	guest, used := overlaps[0][0], overlaps[0][1]
	f := step.Missing("%s would share addresses with %s, and could not reach those", guest.Name, used.Name).
		On("%s", used.Object)
	if more := len(overlaps) - 1; more > 0 {
		f.Message += prereq.AndMore(more)
	}
	return f.WithHint("give hosted clusters other networks: spec.networking of the HostedCluster (%s shows it)",
		hint.Run("create cluster").Flag("render"))
}

// judgeWantedNetworks judges the networks of a cluster that is about to be created. They cannot be changed later.
func judgeWantedNetworks(w prereq.Wanted, own kube.Networks) step.Finding {
	var names []string
	var overlaps [][2]kube.Span
	for _, n := range w.Networks {
		if f := foreignFamily(w, n, own); f != nil {
			return *f
		}
		span := kube.SpanOf(n.CIDR, "", "%s", n.Name)
		names = append(names, span.Name)
		used := own.Used
		if n.Shared {
			used = nil
			for _, p := range own.Services {
				used = append(used, kube.SpanOf(p, "Network cluster", "the management cluster's Services"))
			}
		}
		overlaps = append(overlaps, kube.Overlaps([]kube.Span{span}, used)...)
	}
	if len(overlaps) == 0 {
		return step.OK("%s: not in use", prereq.Listed(names)).On("Network cluster")
	}
	guest, used := overlaps[0][0], overlaps[0][1]
	f := step.Missing("%s shares addresses with %s, and could not reach those", guest.Name, used.Name).
		On("%s", used.Object)
	if more := len(overlaps) - 1; more > 0 {
		f.Message += prereq.AndMore(more)
	}
	return f.WithHint("choose another network for it; networks cannot be changed once the cluster exists")
}

// foreignFamily returns a finding if a network has an IP family that the management cluster's pods, and so the hosted
// cluster's nodes, do not have. Else it returns nil.
func foreignFamily(w prereq.Wanted, n prereq.WantedNetwork, own kube.Networks) *step.Finding {
	if w.Elsewhere || w.AnyFamily || len(own.Pods) == 0 || kube.HasFamily(own.Pods, n.CIDR.Addr()) {
		return nil
	}
	f := step.Missing("%s (%s) is %s, and the management cluster's pods, among which its nodes are, have %s", n.Name,
		n.CIDR, kube.FamilyOf(n.CIDR.Addr()), kube.Families(own.Pods)).On("Network cluster").
		WithHint("choose networks of that family for pods, Services and nodes; networks cannot be changed once the cluster " +
			"exists")
	return &f
}
