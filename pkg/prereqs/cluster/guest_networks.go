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

// guestNetworks checks that the default networks of a hosted cluster are free. Its virtual machines are in the
// management cluster's pod network, so they cannot reach an outside address that is also one of their own networks.
type guestNetworks struct {
	// wanted are those of a cluster that is about to be created; nil stands for the usual ones.
	wanted []kube.Span
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
	used, err := kube.UsedNetworks(ctx, reader)
	if err != nil {
		return kube.Unknown(err)
	}
	pools, err := addresses.Pools(ctx, reader)
	if err != nil && !kube.IsKindMissing(err) {
		return kube.Unknown(err).On("IPAddressPools")
	}
	for _, p := range pools {
		for _, r := range p.Ranges {
			used = append(used, kube.Span{IPRange: r.IPRange, Object: "IPAddressPool " + p.Namespace + "/" + p.Name,
				Name: "the load balancer's addresses (" + r.Text + ")"})
		}
	}
	if s.wanted != nil {
		return judgeWantedNetworks(s.wanted, kube.Overlaps(s.wanted, used))
	}
	return judgeGuestNetworks(kube.Overlaps(usualGuestNetworks(), used))
}

// checkWanted returns the check of the networks of a hosted cluster that is about to be created.
func (s guestNetworks) checkWanted(w prereq.Wanted) kube.Check {
	spans := make([]kube.Span, 0, len(w.Networks))
	for _, n := range w.Networks {
		spans = append(spans, kube.SpanOf(n.CIDR, "", "%s", n.Name))
	}
	return guestNetworks{wanted: spans}.check
}

// usualGuestNetworks are what hosted clusters get on KubeVirt: from the vendor CLIs' defaults, and for the join subnet
// from OpenShift's documents (100.65) and HyperShift's code (100.66), which disagree.
func usualGuestNetworks() []kube.Span {
	span := func(cidr, name string) kube.Span { return kube.SpanOf(netip.MustParsePrefix(cidr), "", "%s", name) }
	return []kube.Span{
		span("10.132.0.0/14", "the pods of a hosted cluster"),
		span("172.31.0.0/16", "the Services of a hosted cluster"),
		span("100.65.0.0/16", "the join subnet of a hosted cluster"),
		span("100.66.0.0/16", "the join subnet of a hosted cluster"),
	}
}

func judgeGuestNetworks(overlaps [][2]kube.Span) step.Finding {
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

// judgeWantedNetworks is about the networks of a cluster that is about to be created, which nobody can change
// afterwards.
func judgeWantedNetworks(wanted []kube.Span, overlaps [][2]kube.Span) step.Finding {
	if len(overlaps) == 0 {
		names := make([]string, 0, len(wanted))
		for _, w := range wanted {
			names = append(names, w.Name)
		}
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
