package options

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
)

const (
	// minMTU and maxMTU are the limits of the HostedCluster CRD (HyperShift v0.1.80).
	minMTU, maxMTU = 576, 9216
	// minMTU6 is the cluster network operator's minimum if one of the pod networks is IPv6.
	minMTU6 = 1280
	// maxCIDRs is the maximum number of networks of one kind: one for each IP family.
	maxCIDRs = 2
	// maxOVNPrefix is the CRD's longest prefix of OVN-Kubernetes' own subnets.
	maxOVNPrefix = 30
)

// The networks that a hosted cluster on KubeVirt uses itself: OVN-Kubernetes' join subnets as HyperShift sets them,
// OpenShift's default transit switch subnet, and the address at which nodes reach the API server, whose family is that
// of the first pod network. The operator checks for overlaps with the join subnets and that address, but only once the
// cluster exists.
const (
	joinSubnet4       = "100.66.0.0/16"
	joinSubnet6       = "fd99::/64"
	transitSubnet4    = "100.88.0.0/16"
	advertiseAddress4 = "172.20.0.1"
	advertiseAddress6 = "fd00::1"
)

// nodePrefix is the prefix length of each node's part of the pod network, as HyperShift sets it. servicePrefix is the
// longest prefix of a Service network that contains its tenth address, which the hosted cluster's DNS has.
const (
	nodePrefix4, nodePrefix6       = 23, 64
	servicePrefix4, servicePrefix6 = 28, 124
)

// reserved is a network that the cluster will use. field is the option that sets it, or empty for a fixed network.
type reserved struct {
	kube.Span
	field, text string
}

// parseNetworks parses each CIDR, and checks the IP families and that no two networks overlap.
func (o Cluster) parseNetworks(v *validated) error {
	var errs []error
	var all []reserved
	families := map[bool]bool{}
	for _, n := range []struct {
		field, what string
		cidrs       []string
		at          *[]netip.Prefix
	}{
		{"clusterCIDR", "the pods", o.ClusterCIDR, &v.ClusterCIDR},
		{"serviceCIDR", "the Services", o.ServiceCIDR, &v.ServiceCIDR},
		{"machineCIDR", "the nodes", o.MachineCIDR, &v.MachineCIDR},
	} {
		parsed, err := networks(n.field, n.cidrs)
		errs = append(errs, err)
		var spans []reserved
		for _, p := range parsed {
			*n.at = append(*n.at, p.Prefix)
			spans = append(spans, reserved{kube.SpanOf(p.Prefix, "", "the network of %s", n.what), n.field, p.text})
		}
		if len(spans) > 0 {
			families[spans[0].From().Is4()] = true
		}
		all = append(all, spans...)
	}
	if len(families) > 1 {
		errs = append(errs, Errorf("clusterCIDR", strings.Join(o.ClusterCIDR, ","),
			"the first of %s, %s and %s must be of one IP family: all IPv4 or all IPv6", hint.Flag("cluster-cidr"),
			hint.Flag("service-cidr"), hint.Flag("machine-cidr")))
	}
	if o.NetworkType == string(hyperv1.OVNKubernetes) {
		own, err := o.ovnSubnets()
		errs = append(errs, err)
		all = append(all, own...)
	}
	errs = append(errs, o.validateSizes(v))
	address := netip.MustParseAddr(advertiseAddress4)
	if len(v.ClusterCIDR) > 0 && v.ClusterCIDR[0].Addr().Is6() {
		address = netip.MustParseAddr(advertiseAddress6)
	}
	all = append(
		all,
		reserved{
			Span: kube.SpanOf(netip.PrefixFrom(address, address.BitLen()), "",
				"the address at which nodes reach the API server"),
		},
	)
	for i, n := range all {
		for _, other := range all[:i] {
			if !n.Overlaps(other.Span) || n.field == "" && other.field == "" {
				continue
			}
			given, taken := n, other
			if given.field == "" || isDefault(given) && !isDefault(other) && other.field != "" {
				given, taken = other, n
			}
			errs = append(errs, Errorf(given.field, given.text, "shares addresses with %s", taken.Name))
		}
	}
	return errors.Join(errs...)
}

// validateSizes checks the requirements of the hosted cluster's network operator and API server.
func (o Cluster) validateSizes(v *validated) error {
	var errs []error
	families := func(networks []netip.Prefix) (out [2]bool) {
		for _, n := range networks {
			out[n.Addr().BitLen()/128] = true
		}
		return out
	}
	if pods, services := families(v.ClusterCIDR), families(v.ServiceCIDR); pods != services &&
		len(v.ClusterCIDR)+len(v.ServiceCIDR) > maxCIDRs {
		errs = append(errs, Errorf("serviceCIDR", strings.Join(o.ServiceCIDR, ","),
			"pods and Services must have the same IP families: give %s and %s one network of each family",
			hint.Flag("cluster-cidr"), hint.Flag("service-cidr")))
	}
	bound := func(n netip.Prefix, of4, of6 int) int {
		if n.Addr().Is4() {
			return of4
		}
		return of6
	}
	for _, n := range v.ClusterCIDR {
		nodes := bound(n, nodePrefix4, nodePrefix6)
		switch room := nodes - n.Bits(); {
		case room < 0:
			errs = append(errs, Errorf("clusterCIDR", n.String(), "too small: each node gets a /%d of it", nodes))
		case room < 31 && int64(o.workers()) > 1<<room:
			errs = append(errs, Errorf("clusterCIDR", n.String(), "too small for %d workers: each gets a /%d of it, so that "+
				"there is room for %d", o.workers(), nodes, 1<<room))
		}
	}
	for _, n := range v.ServiceCIDR {
		if longest := bound(n, servicePrefix4, servicePrefix6); n.Bits() > longest {
			errs = append(errs, Errorf("serviceCIDR", n.String(), "too small: the hosted cluster's DNS has its tenth address; "+
				"at least a /%d is needed", longest))
		}
		for i := range v.services {
			m := &v.services[i]
			if m.NodePort == nil {
				continue
			}
			if a, err := netip.ParseAddr(m.NodePort.Address); err == nil && n.Contains(a) {
				errs = append(errs, Errorf("serviceCIDR", n.String(), "has %s, the address of the node port of %s", a, m.Service))
				break
			}
		}
	}
	if o.OVNKubernetesMTU >= minMTU && o.OVNKubernetesMTU < minMTU6 && families(v.ClusterCIDR)[1] {
		errs = append(errs, Errorf("ovnKubernetesMTU", fmt.Sprint(o.OVNKubernetesMTU), "must be at least %d where pods have "+
			"IPv6 addresses", minMTU6))
	}
	return errors.Join(errs...)
}

// isDefault reports whether a network is the default of its option, so that the user has set the other, overlapping
// one.
func isDefault(n reserved) bool {
	o := Defaults()
	return n.field == "clusterCIDR" && slices.Contains(o.ClusterCIDR, n.text) ||
		n.field == "serviceCIDR" && slices.Contains(o.ServiceCIDR, n.text)
}

// network is a parsed CIDR with its original text.
type network struct {
	netip.Prefix
	text string
}

func networks(field string, cidrs []string) ([]network, error) {
	var errs []error
	if len(cidrs) > maxCIDRs {
		errs = append(errs,
			Errorf(field, strings.Join(cidrs, ","), "given %d times, at most %d are allowed, one for each IP family",
				len(cidrs), maxCIDRs))
	}
	out, wrong := parseEach(field, cidrs, func(s string) (network, error) {
		p, err := parseCIDR(s)
		return network{p, s}, err
	})
	errs = append(errs, wrong)
	if len(out) == maxCIDRs && out[0].Addr().Is4() == out[1].Addr().Is4() {
		errs = append(errs, Errorf(field, strings.Join(cidrs, ","), "two networks must be one of IPv4 and one of IPv6"))
	}
	return out, errors.Join(errs...)
}

// parseCIDR accepts only networks: an address with a prefix length is usually a mistake.
func parseCIDR(s string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(s)
	switch {
	case err != nil:
		return p, errors.New("not a network in CIDR notation; write it like 10.140.0.0/14")
	case p.Addr().Is4In6():
		return p, errors.New("an IPv4 network written as IPv6; write it as IPv4")
	case p != p.Masked():
		return p, fmt.Errorf("an address within a network, not a network; did you mean %s?", p.Masked())
	}
	return p, nil
}

// ovnSubnets returns the subnets that OVN-Kubernetes itself uses.
func (o Cluster) ovnSubnets() ([]reserved, error) {
	var errs []error
	out := []reserved{{Span: kube.SpanOf(netip.MustParsePrefix(joinSubnet6), "", "OVN-Kubernetes' join subnet")}}
	for _, n := range []struct{ field, what, given, usual string }{
		{"ovnInternalJoinSubnet", "OVN-Kubernetes' join subnet", o.OVNInternalJoinSubnet, joinSubnet4},
		{"ovnInternalTransitSwitchSubnet", "OVN-Kubernetes' transit switch subnet", o.OVNInternalTransitSwitchSubnet,
			transitSubnet4},
	} {
		if n.given == "" {
			out = append(out, reserved{Span: kube.SpanOf(netip.MustParsePrefix(n.usual), "", "%s", n.what)})
			continue
		}
		p, err := parseCIDR(n.given)
		switch {
		case err != nil:
			errs = append(errs, Errorf(n.field, n.given, "%v", err))
		case !p.Addr().Is4() || p.Bits() > maxOVNPrefix || p.Addr().As4()[0] == 0:
			errs = append(errs,
				Errorf(n.field, n.given, "must be an IPv4 network of /%d or larger whose first number is not 0", maxOVNPrefix))
		default:
			out = append(out, reserved{kube.SpanOf(p, "", "%s", n.what), n.field, n.given})
		}
	}
	return out, errors.Join(errs...)
}

// JoinSubnets returns the join subnets of the hosted cluster's OVN-Kubernetes, one for each IP family, or nil with
// another network plug-in. The IPv6 subnet is the one that HyperShift sets.
func (v Validated) JoinSubnets() []netip.Prefix {
	if v.NetworkType != string(hyperv1.OVNKubernetes) {
		return nil
	}
	var out []netip.Prefix
	for _, pods := range v.ClusterCIDR {
		subnet := joinSubnet6
		if pods.Addr().Is4() {
			subnet = cmp.Or(v.OVNInternalJoinSubnet, joinSubnet4)
		}
		out = append(out, netip.MustParsePrefix(subnet))
	}
	return out
}

// validatePlugIn refuses options that the network plug-in does not support.
func (o Cluster) validatePlugIn() error {
	var errs []error
	ovn, other := o.NetworkType == string(hyperv1.OVNKubernetes), o.NetworkType == string(hyperv1.Other)
	if o.DisableMultiNetwork && !other {
		errs = append(errs, Errorf("disableMultiNetwork", "true", "only with %s Other", hint.Flag("network-type")))
	}
	if o.AllocateNodeCIDRs && !other {
		errs = append(errs, Errorf("allocateNodeCIDRs", "true", "only with %s Other", hint.Flag("network-type")))
	}
	mtu := fmt.Sprint(o.OVNKubernetesMTU)
	switch {
	case o.OVNKubernetesMTU == 0:
	case !ovn:
		errs = append(errs, Errorf("ovnKubernetesMTU", mtu, "only with %s OVNKubernetes", hint.Flag("network-type")))
	case o.OVNKubernetesMTU < minMTU || o.OVNKubernetesMTU > maxMTU:
		errs = append(errs, Errorf("ovnKubernetesMTU", mtu, "must be from %d to %d", minMTU, maxMTU))
	}
	for field, given := range map[string]string{"ovnInternalJoinSubnet": o.OVNInternalJoinSubnet,
		"ovnInternalTransitSwitchSubnet": o.OVNInternalTransitSwitchSubnet} {
		if given != "" && !ovn {
			errs = append(errs, Errorf(field, given, "only with %s OVNKubernetes", hint.Flag("network-type")))
		}
	}
	return errors.Join(errs...)
}

func (o Cluster) validateProxy() error {
	var errs []error
	proxy := func(field, given string, schemes ...string) {
		if given == "" {
			return
		}
		u, err := url.Parse(given)
		if err != nil || u.Host == "" || !slices.Contains(schemes, u.Scheme) {
			// The value is left out of the error: a proxy's URL may hold a password.
			errs = append(errs, Errorf(field, "", "not the URL of a proxy; write it like http://proxy.example.com:3128"))
		}
	}
	proxy("httpProxy", o.HTTPProxy, "http")
	proxy("httpsProxy", o.HTTPSProxy, "http", "https")
	if len(o.NoProxy) > 0 && o.HTTPProxy+o.HTTPSProxy == "" {
		errs = append(errs,
			Errorf("noProxy", strings.Join(o.NoProxy, ","), "of no use without %s or %s", hint.Flag("http-proxy"),
				hint.Flag("https-proxy")))
	}
	return errors.Join(errs...)
}
