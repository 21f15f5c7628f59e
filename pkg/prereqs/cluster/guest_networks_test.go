package cluster

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestJudgeGuestNetworks(t *testing.T) {
	used := func(cidrs ...string) [][2]kube.Span {
		var spans []kube.Span
		for _, cidr := range cidrs {
			spans = append(spans, kube.SpanOf(netip.MustParsePrefix(cidr), "Network cluster", "the pods"))
		}
		return kube.Overlaps(usualGuestNetworks(), spans)
	}
	prereqtest.Expect(t, judgeGuestNetworks(used("10.128.0.0/14", "172.30.0.0/16", "100.64.0.0/16", "100.88.0.0/16",
		"192.168.111.0/24")), step.StateOK, "are free")
	prereqtest.Expect(t, judgeGuestNetworks(used("10.0.0.0/8")), step.StateMissing,
		"the pods of a hosted cluster (10.132.0.0/14) would share addresses with the pods (10.0.0.0/8)")
	prereqtest.Expect(t, judgeGuestNetworks(used("172.31.0.0/20", "100.64.0.0/14")), step.StateMissing, "(and 2 more)")
}

func TestJudgeWantedNetworks(t *testing.T) {
	wanted := []kube.Span{
		kube.SpanOf(netip.MustParsePrefix("10.128.0.0/14"), "", "--cluster-cidr"),
		kube.SpanOf(netip.MustParsePrefix("172.31.0.0/16"), "", "--service-cidr"),
	}
	used := []kube.Span{kube.SpanOf(netip.MustParsePrefix("10.128.0.0/14"), "Network cluster",
		"the management cluster's pods")}
	f := judgeWantedNetworks(wanted, kube.Overlaps(wanted, used))
	if f.State != step.StateMissing || f.Message != "--cluster-cidr (10.128.0.0/14) shares addresses with the management "+
		"cluster's pods (10.128.0.0/14), and could not reach those" {
		t.Errorf("%s: %s", f.State, f.Message)
	}
	if f := judgeWantedNetworks(wanted, kube.Overlaps(wanted, nil)); f.State != step.StateOK ||
		!strings.Contains(f.Message, "--service-cidr (172.31.0.0/16)") {
		t.Errorf("%s: %s", f.State, f.Message)
	}
}
