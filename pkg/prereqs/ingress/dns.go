package ingress

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"slices"
	"strings"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// DNS is the prerequisite of this file.
const DNS step.ID = "ingress/dns"

// dnsTimeout limits the query, so that a check does not hang.
const dnsTimeout = 2 * time.Second

// lookup resolves a name to addresses, like net.Resolver.LookupHost.
type lookup func(ctx context.Context, host string) ([]string, error)

// dns checks that a name below the cluster's apps domain resolves, for the consoles and Routes of hosted clusters. It
// uses the resolver of this machine, which may differ from that of users and nodes.
type dns struct {
	resolve lookup
}

func (s dns) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: DNS, Title: "wildcard name", Severity: step.Advisory,
		Check: s.check,
		Rights: prereq.Rights{
			Check: []access.Rule{prereq.ReadConfig("ingresses.config.openshift.io"), prereq.ReadInfrastructure()},
		},
		Preflight: &prereq.Preflight{For: func(w prereq.Wanted) bool { return w.PassesThrough }},
	}
}

func (s dns) check(ctx context.Context, r kube.Reader) step.Finding {
	ingress := &configv1.Ingress{}
	if err := r.Get(ctx, types.NamespacedName{Name: "cluster"}, ingress); err != nil {
		return kube.Unknown(err).On("Ingress cluster")
	}
	infra, err := prereq.Infrastructure(ctx, r)
	if err != nil {
		return kube.Unknown(err).On(prereq.InfrastructureObject)
	}
	if ingress.Spec.Domain == "" {
		return step.Pending("spec.domain is not set yet").On("Ingress cluster")
	}
	ctx, cancel := context.WithTimeout(ctx, dnsTimeout)
	defer cancel()
	// A random name is in no cache, and only a wildcard record answers it.
	addresses, err := s.resolve(ctx, "hcctl-"+strings.ToLower(rand.Text()[:8])+"."+ingress.Spec.Domain)
	return judgeDNS(ingress.Spec.Domain, addresses, err, ingressAddresses(infra)).On("Ingress cluster")
}

// judgeDNS compares the answer with the addresses of the cluster's ingress, if known.
func judgeDNS(domain string, addresses []string, err error, own []string) step.Finding {
	to := "the address of the ingress"
	if len(own) > 0 {
		to = own[0]
	}
	var dnsErr *net.DNSError
	switch {
	case errors.As(err, &dnsErr) && dnsErr.IsNotFound:
		return step.Missing("*.%s does not resolve from where hcctl runs; hosted clusters' consoles and routes have names "+
			"below it", domain).
			WithHint("make a DNS record *.%s that points to %s; if it exists for those who use "+
				"the clusters, nothing needs to be done",
				domain, to)
	case err != nil:
		return step.Unknown("the resolver of the machine hcctl runs on did not answer for *.%s: %v", domain, shortDNS(err))
	case len(own) > 0 && !slices.ContainsFunc(addresses, func(a string) bool { return slices.Contains(own, a) }):
		return step.OK("*.%s resolves to %s, which is not the cluster's own ingress address %s: right if a load balancer "+
			"is in front of it", domain, prereq.Listed(addresses), prereq.Listed(own))
	}
	return step.OK("*.%s resolves to %s, asked from where hcctl runs", domain, prereq.Listed(addresses))
}

// shortDNS returns the error without the queried name, which is random.
func shortDNS(err error) string {
	var dnsErr *net.DNSError
	if !errors.As(err, &dnsErr) {
		return err.Error()
	}
	if dnsErr.IsTimeout {
		return "no answer within " + dnsTimeout.String()
	}
	return dnsErr.Err
}

// ingressAddresses returns the addresses of the ingress on bare metal; other platforms do not report them.
func ingressAddresses(infra *configv1.Infrastructure) []string {
	p := infra.Status.PlatformStatus
	if p == nil || p.BareMetal == nil {
		return nil
	}
	return p.BareMetal.IngressIPs
}
