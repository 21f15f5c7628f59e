package options

import (
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/lazyregexp"
)

// The rules of the HostedCluster CRD for host names of services and for the address of a NodePort.
var (
	serviceHostname = lazyregexp.New(`^(?:[a-zA-Z0-9-]+\.)+[a-zA-Z]{2,}$`)
	nodePortName    = lazyregexp.New(`^(([a-zA-Z0-9][-a-zA-Z0-9]*\.)+[a-zA-Z]{2,}|localhost)$`)
)

// strategies lists the publishing strategies of each service on KubeVirt, the default first. They are those of the CRD
// (LoadBalancer, NodePort, Route, None, S3) that the control plane operator implements.
func strategies() map[hyperv1.ServiceType][]hyperv1.PublishingStrategyType {
	return map[hyperv1.ServiceType][]hyperv1.PublishingStrategyType{
		hyperv1.APIServer:    {hyperv1.LoadBalancer, hyperv1.NodePort, hyperv1.Route},
		hyperv1.OAuthServer:  {hyperv1.Route, hyperv1.NodePort},
		hyperv1.Konnectivity: {hyperv1.Route, hyperv1.NodePort, hyperv1.LoadBalancer},
		hyperv1.Ignition:     {hyperv1.Route, hyperv1.NodePort},
		// Only older control planes had these two, but objects still name them.
		hyperv1.OIDC:    {hyperv1.Route, hyperv1.NodePort, hyperv1.None},
		hyperv1.OVNSbDb: {hyperv1.Route, hyperv1.NodePort},
	}
}

// PublishedServices lists the services that every cluster must publish, sorted.
func PublishedServices() []hyperv1.ServiceType {
	return []hyperv1.ServiceType{hyperv1.APIServer, hyperv1.Ignition, hyperv1.Konnectivity, hyperv1.OAuthServer}
}

// minNodePort and maxNodePort are the default range of node ports, and the operator's limits for the port of a hosted
// API server.
const minNodePort, maxNodePort = 30000, 32767

type publication struct {
	service                 hyperv1.ServiceType
	strategy                hyperv1.PublishingStrategyType
	hostname, address, port string
}

// parsePublish reads "SERVICE=STRATEGY[,hostname=H][,address=A][,port=P]". The case of services and strategies does not
// matter. The caller sets the address of a NodePort without one.
func parsePublish(s string) (hyperv1.ServicePublishingStrategyMapping, error) {
	var out hyperv1.ServicePublishingStrategyMapping
	head, options, more := strings.Cut(s, ",")
	service, strategy, ok := strings.Cut(head, "=")
	if !ok || service == "" || strategy == "" {
		return out, errors.New("not of the form SERVICE=STRATEGY[,hostname=H][,address=A][,port=P], such as " +
			"APIServer=LoadBalancer,hostname=api.kv-00.example.com")
	}
	p := publication{}
	var err error
	if p.service, err = word("service", service, slices.Sorted(maps.Keys(strategies()))...); err != nil {
		return out, err
	}
	if p.strategy, err = word("strategy", strategy, strategies()[p.service]...); err != nil {
		return out, fmt.Errorf("%s cannot be published by %q; there are %s", p.service, strategy,
			join(strategies()[p.service]))
	}
	if more {
		err = settings(options, "=", func(name, value string) error {
			at, ok := map[string]*string{"hostname": &p.hostname, "address": &p.address, "port": &p.port}[name]
			switch {
			case !ok:
				return fmt.Errorf("unknown option %q; there are hostname, address and port", name)
			case value == "" || *at != "":
				return fmt.Errorf("give one %s", name)
			}
			*at = value
			return nil
		})
	}
	if err != nil {
		return hyperv1.ServicePublishingStrategyMapping{
			Service: p.service, ServicePublishingStrategy: hyperv1.ServicePublishingStrategy{Type: p.strategy},
		}, err
	}
	return p.mapping()
}

func (p publication) mapping() (hyperv1.ServicePublishingStrategyMapping, error) {
	out := hyperv1.ServicePublishingStrategyMapping{Service: p.service}
	out.Type = p.strategy
	if p.strategy != hyperv1.NodePort && p.address+p.port != "" {
		return out, fmt.Errorf("address and port are for NodePort, not for %s", p.strategy)
	}
	if p.hostname != "" {
		if err := checkHostname(p.hostname); err != nil {
			return out, err
		}
		if p.strategy == hyperv1.Route && p.hostname != strings.ToLower(p.hostname) {
			return out, fmt.Errorf("hostname %q: the host of a Route is in lower case", p.hostname)
		}
	}
	switch p.strategy {
	case hyperv1.NodePort:
		if p.hostname != "" {
			return out, errors.New("a NodePort has address=A, not hostname")
		}
		out.NodePort = &hyperv1.NodePortPublishingStrategy{Address: p.address}
		if p.address != "" && !isNodePortAddress(p.address) {
			return out, fmt.Errorf("address %q is neither an IP address nor a full host name", p.address)
		}
		if p.port != "" {
			n, err := strconv.ParseInt(p.port, 10, 32)
			if err != nil || n < minNodePort || n > maxNodePort {
				return out, fmt.Errorf("port %q is not a node port; they are %d to %d, and without port=P one is chosen", p.port,
					minNodePort, maxNodePort)
			}
			out.NodePort.Port = int32(n)
		}
	case hyperv1.Route:
		if p.hostname != "" {
			out.Route = &hyperv1.RoutePublishingStrategy{Hostname: p.hostname}
		} else if p.service == hyperv1.APIServer {
			return out, errors.New(
				"the API server by Route needs hostname=H: it cannot share the name of the management cluster's router")
		}
	case hyperv1.LoadBalancer:
		if p.hostname != "" {
			out.LoadBalancer = &hyperv1.LoadBalancerPublishingStrategy{Hostname: p.hostname}
		}
	}
	return out, nil
}

// checkHostname checks the rules of the CRD and of DNS. The CRD alone accepts labels that begin with a dash or exceed
// 63 characters.
func checkHostname(s string) error {
	if len(s) > 253 || !serviceHostname.MatchString(s) || !validLabels(s) {
		return fmt.Errorf("%q is not a full host name; write it like api.kv-00.example.com", s)
	}
	return nil
}

// validLabels reports whether each part of a name is a valid DNS label.
func validLabels(name string) bool {
	return !slices.ContainsFunc(strings.Split(strings.ToLower(name), "."), func(part string) bool {
		return len(validation.IsDNS1123Label(part)) > 0
	})
}

// isNodePortAddress refuses addresses that cannot be a destination, and notations that the CRD refuses.
func isNodePortAddress(s string) bool {
	a, err := netip.ParseAddr(s)
	if err == nil {
		return plainAddress(a) == nil && !a.IsUnspecified() && !a.IsMulticast()
	}
	return len(s) <= 253 && nodePortName.MatchString(s) && strings.Trim(s, "0123456789.") != "" && validLabels(s)
}

// parseServices sets the strategy of each service. A node port stays without address if only the management cluster
// knows it.
func (o Cluster) parseServices(v *validated) error {
	var errs []error
	all := map[hyperv1.ServiceType]hyperv1.ServicePublishingStrategyMapping{}
	add := func(p publication) {
		m, err := p.mapping()
		if err != nil {
			errs = append(errs, Errorf("publish", string(p.service), "%v", err))
		}
		all[p.service] = m
	}
	for _, service := range PublishedServices() {
		p := publication{service: service, strategy: strategies()[service][0]}
		switch {
		case o.ServicePublishingStrategy == publishNodePort:
			p.strategy, p.address = hyperv1.NodePort, o.APIServerAddress
		case o.ExternalDNSDomain != "":
			p.strategy, p.hostname = hyperv1.Route, externalName(service)+"-"+o.Name+"."+o.ExternalDNSDomain
		}
		if service == hyperv1.APIServer && o.APIHostname != "" {
			p.hostname = o.APIHostname
		}
		add(p)
	}
	if o.ServicePublishingStrategy == publishNodePort {
		// The control plane no longer uses OIDC; the vendor's CLI still publishes it.
		add(publication{service: hyperv1.OIDC, strategy: hyperv1.NodePort, address: o.APIServerAddress})
	}
	for _, m := range v.Publish {
		if m.NodePort != nil && m.NodePort.Address == "" {
			m.NodePort = m.NodePort.DeepCopy()
			m.NodePort.Address = o.APIServerAddress
		}
		all[m.Service] = m
	}
	for _, service := range slices.Sorted(maps.Keys(all)) {
		v.services = append(v.services, all[service])
	}
	return errors.Join(errs...)
}

// Services returns the strategy of each service. Node ports without an address get nodeAddress.
func (v Validated) Services(nodeAddress string) []hyperv1.ServicePublishingStrategyMapping {
	out := make([]hyperv1.ServicePublishingStrategyMapping, 0, len(v.services))
	for i := range v.services {
		m := *v.services[i].DeepCopy()
		if m.NodePort != nil && m.NodePort.Address == "" {
			m.NodePort.Address = nodeAddress
		}
		out = append(out, m)
	}
	return out
}

// externalName is the first part of a service's host name with --external-dns-domain. It is the one that the vendor's
// CLI uses on other platforms.
func externalName(service hyperv1.ServiceType) string {
	return map[hyperv1.ServiceType]string{
		hyperv1.APIServer: "api", hyperv1.OAuthServer: "oauth", hyperv1.Konnectivity: "konnectivity",
		hyperv1.Ignition: "ignition",
	}[service]
}

// NeedsNodeAddress reports whether the address of a node port must be read from the management cluster.
func (v Validated) NeedsNodeAddress() bool {
	return slices.ContainsFunc(v.services, func(m hyperv1.ServicePublishingStrategyMapping) bool {
		return m.NodePort != nil && m.NodePort.Address == ""
	})
}

func join[T ~string](words []T) string {
	plain := make([]string, 0, len(words))
	for _, w := range words {
		plain = append(plain, string(w))
	}
	return strings.Join(plain, ", ")
}

// HostnameOf returns the configured host name of a service, or "".
func HostnameOf(m hyperv1.ServicePublishingStrategyMapping) string {
	switch {
	case m.Route != nil:
		return m.Route.Hostname
	case m.LoadBalancer != nil:
		return m.LoadBalancer.Hostname
	}
	return ""
}
