package options

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/hint"
)

const (
	publishIngress  = "Ingress"
	publishNodePort = "NodePort"
)

// parsePublishing parses each service, then validates all of them together.
func (o Cluster) parsePublishing(v *validated) error {
	nodePort := o.ServicePublishingStrategy == publishNodePort
	byNodePort := false
	errs := []error{o.parsePublish(v, &byNodePort)}
	if o.APIServerAddress != "" {
		switch {
		case !isNodePortAddress(o.APIServerAddress):
			errs = append(errs, Errorf("apiServerAddress", o.APIServerAddress, "neither an IP address nor a full host name"))
		case !nodePort && !byNodePort:
			errs = append(errs, Errorf("apiServerAddress", o.APIServerAddress, "only with %s NodePort",
				hint.Flag("service-publishing-strategy")))
		}
	}
	if o.ExternalDNSDomain != "" {
		switch {
		case nodePort:
			errs = append(errs, Errorf("externalDNSDomain", o.ExternalDNSDomain,
				"not with %s NodePort: node ports have an address instead of names", hint.Flag("service-publishing-strategy")))
		case checkHostname("api-"+o.Name+"."+o.ExternalDNSDomain) != nil ||
			len(validation.IsDNS1123Subdomain(o.ExternalDNSDomain)) > 0:
			errs = append(errs,
				Errorf("externalDNSDomain", o.ExternalDNSDomain, "not a DNS domain; write it like example.com, in lower case"))
		}
	}
	errs = append(errs, o.validateNames())
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if err := o.parseServices(v); err != nil {
		return err
	}
	return errors.Join(o.validateHostnames(v), o.parseAllowed(v))
}

// parsePublish parses the options of single services, and sets byNodePort if one of them is published by a node port.
func (o Cluster) parsePublish(v *validated, byNodePort *bool) error {
	var errs []error
	seen := map[hyperv1.ServiceType]bool{}
	for _, s := range o.Publish {
		m, err := parsePublish(s)
		*byNodePort = *byNodePort || m.Type == hyperv1.NodePort
		switch {
		case err != nil:
			errs = append(errs, Errorf("publish", s, "%v", err))
			continue
		case seen[m.Service]:
			errs = append(errs, Errorf("publish", s, "%s is published twice", m.Service))
		case m.Service == hyperv1.APIServer && o.APIHostname != "":
			errs = append(errs,
				Errorf("apiHostname", o.APIHostname, "not together with %s %s; say hostname=%s there", hint.Flag("publish"), s,
					o.APIHostname))
		}
		seen[m.Service] = true
		v.Publish = append(v.Publish, m)
	}
	return errors.Join(errs...)
}

// validateNames checks the host name of the API server.
func (o Cluster) validateNames() error {
	var errs []error
	if o.APIHostname != "" {
		if err := checkHostname(o.APIHostname); err != nil {
			errs = append(errs,
				Errorf("apiHostname", o.APIHostname, "not a full host name; write it like api.kv-00.example.com"))
		} else if o.ServicePublishingStrategy == publishNodePort {
			errs = append(errs,
				Errorf("apiHostname", o.APIHostname, "not with %s NodePort; use %s", hint.Flag("service-publishing-strategy"),
					hint.Flag("api-server-address")))
		}
	}
	return errors.Join(errs...)
}

// validateHostnames checks that no two services share a host name or a node port.
func (o Cluster) validateHostnames(v *validated) error {
	var errs []error
	seen := map[string]hyperv1.ServiceType{}
	for _, m := range v.services {
		name := HostnameOf(m)
		if m.NodePort != nil && m.NodePort.Port != 0 {
			name = fmt.Sprintf("port %d", m.NodePort.Port)
		}
		if name == "" {
			continue
		}
		if other, ok := seen[name]; ok {
			errs = append(errs,
				Errorf("publish", "", "%s and %s both have %s; each service needs its own", other, m.Service, name))
		}
		seen[name] = m.Service
		if name == o.KASDNSName {
			errs = append(errs, Errorf("kasDNSName", o.KASDNSName, "%s has that name already; it must be an additional "+
				"one", m.Service))
		}
	}
	return errors.Join(errs...)
}

// parseAllowed parses the networks that may reach the API server. Only a load balancer enforces them.
func (o Cluster) parseAllowed(v *validated) error {
	if len(o.AllowedCIDRBlocks) == 0 {
		return nil
	}
	var errs []error
	seen := map[netip.Prefix]bool{}
	for _, s := range o.AllowedCIDRBlocks {
		p, err := parseCIDR(s)
		// The CRD refuses an IPv6 network that is written with an IPv4 address.
		v.AllowedCIDRBlocks = append(v.AllowedCIDRBlocks, hyperv1.CIDRBlock(p.String()))
		switch {
		case err != nil:
			errs = append(errs, Errorf("allowedCIDRBlocks", s, "%v", err))
		case seen[p]:
			errs = append(errs, Errorf("allowedCIDRBlocks", s, "given twice"))
		}
		seen[p] = true
	}
	for _, m := range v.services {
		if m.Service == hyperv1.APIServer && m.Type != hyperv1.LoadBalancer {
			errs = append(errs, Errorf("allowedCIDRBlocks", strings.Join(o.AllowedCIDRBlocks, ","),
				"has an effect only where the API server is published by LoadBalancer, here it is by %s", m.Type))
		}
	}
	return errors.Join(errs...)
}
