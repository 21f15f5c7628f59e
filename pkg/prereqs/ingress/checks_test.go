package ingress

import (
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestJudgeDNS(t *testing.T) {
	own := []string{"192.0.2.4"}
	prereqtest.Expect(t, judgeDNS("apps.example.com", []string{"192.0.2.4"}, nil, own), step.StateOK,
		"*.apps.example.com resolves to 192.0.2.4, asked from where hcctl runs")
	prereqtest.Expect(t, judgeDNS("apps.example.com", []string{"198.51.100.9"}, nil, own), step.StateOK,
		"not the cluster's own ingress address 192.0.2.4")
	prereqtest.Expect(t, judgeDNS("apps.example.com", []string{"198.51.100.9"}, nil, nil), step.StateOK, "198.51.100.9")
	absent := judgeDNS("apps.example.com", nil, &net.DNSError{Err: "no such host", Name: "x", IsNotFound: true}, own)
	prereqtest.Expect(t, absent, step.StateMissing, "does not resolve")
	if !strings.Contains(absent.Hint.String(), "192.0.2.4") {
		t.Errorf("got %s", absent.Hint.String())
	}
	prereqtest.Expect(t, judgeDNS("apps.example.com", nil, &net.DNSError{Err: "i/o timeout", IsTimeout: true}, own),
		step.StateUnknown, "no answer within 2s")
	prereqtest.Expect(t, judgeDNS("apps.example.com", nil, errors.New("odd"), own), step.StateUnknown, "odd")
}
