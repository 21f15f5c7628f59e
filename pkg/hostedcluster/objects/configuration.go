package objects

import (
	"net"
	"net/netip"
	"slices"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"github.com/openshift/hypershift/api/util/ipnet"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// configurationOf returns the guest's own configuration, in the types of config.openshift.io.
func configurationOf(o options.Validated) *hyperv1.ClusterConfiguration {
	c := &hyperv1.ClusterConfiguration{}
	if o.AuditProfile != "" {
		c.APIServer = &configv1.APIServerSpec{Audit: configv1.Audit{Profile: configv1.AuditProfileType(o.AuditProfile)}}
	}
	if len(o.ServingCert) > 0 {
		if c.APIServer == nil {
			c.APIServer = &configv1.APIServerSpec{}
		}
		c.APIServer.ServingCerts.NamedCertificates = slices.Clone(o.ServingCert)
	}
	if o.ImageAdditionalTrustedCA != "" {
		c.Image = &configv1.ImageSpec{AdditionalTrustedCA: configv1.ConfigMapNameReference{Name: o.ImageAdditionalTrustedCA}}
	}
	if o.AppsDomain != "" {
		c.Ingress = &configv1.IngressSpec{AppsDomain: o.AppsDomain}
	}
	if len(o.OIDC) > 0 {
		c.Authentication = &configv1.AuthenticationSpec{Type: configv1.AuthenticationTypeOIDC, OIDCProviders: o.OIDC}
	}
	if len(o.IdentityProviders) > 0 {
		c.OAuth = &configv1.OAuthSpec{IdentityProviders: o.IdentityProviders}
	}
	if o.FeatureSet != "" && o.FeatureSet != options.FeatureSets()[0] {
		c.FeatureGate = &configv1.FeatureGateSpec{
			FeatureGateSelection: configv1.FeatureGateSelection{FeatureSet: configv1.FeatureSet(o.FeatureSet)},
		}
	}
	if o.OLMDisableDefaultSources {
		c.OperatorHub = &configv1.OperatorHubSpec{DisableAllDefaultSources: true}
	}
	if o.HTTPProxy+o.HTTPSProxy != "" {
		c.Proxy = &configv1.ProxySpec{HTTPProxy: o.HTTPProxy, HTTPSProxy: o.HTTPSProxy, NoProxy: strings.Join(o.NoProxy, ",")}
	}
	return c
}

func dnsOf(o options.Validated) hyperv1.DNSSpec {
	dns := hyperv1.DNSSpec{BaseDomain: o.BaseDomain}
	switch o.BaseDomainPrefix {
	case "":
	case "none": // as in the vendor's CLI
		dns.BaseDomainPrefix = ptr.To("")
	default:
		dns.BaseDomainPrefix = ptr.To(o.BaseDomainPrefix)
	}
	return dns
}

func autoscalingOf(o options.Validated) hyperv1.ClusterAutoscaling {
	scaler := hyperv1.ClusterAutoscaling{Scaling: hyperv1.ScalingType(o.AutoscalerScaling)}
	if o.MaxNodesTotal > 0 {
		scaler.MaxNodesTotal = ptr.To(o.MaxNodesTotal)
	}
	if o.MaxNodeProvisionTime > 0 {
		scaler.MaxNodeProvisionTime = o.MaxNodeProvisionTime.String()
	}
	if o.MaxPodGracePeriod > 0 {
		scaler.MaxPodGracePeriod = ptr.To(int32(o.MaxPodGracePeriod.Seconds()))
	}
	return scaler
}

func networkingOf(o options.Validated) hyperv1.ClusterNetworking {
	n := hyperv1.ClusterNetworking{NetworkType: hyperv1.NetworkType(o.NetworkType)}
	for _, cidr := range o.ClusterCIDR {
		n.ClusterNetwork = append(n.ClusterNetwork, hyperv1.ClusterNetworkEntry{CIDR: ipNetOf(cidr)})
	}
	for _, cidr := range o.ServiceCIDR {
		n.ServiceNetwork = append(n.ServiceNetwork, hyperv1.ServiceNetworkEntry{CIDR: ipNetOf(cidr)})
	}
	for _, cidr := range o.MachineCIDR {
		n.MachineNetwork = append(n.MachineNetwork, hyperv1.MachineNetworkEntry{CIDR: ipNetOf(cidr)})
	}
	if len(o.AllowedCIDRBlocks) > 0 {
		n.APIServer = &hyperv1.APIServerNetworking{AllowedCIDRBlocks: slices.Clone(o.AllowedCIDRBlocks)}
	}
	return n
}

// ipNetOf converts a network into the type of HyperShift's API.
func ipNetOf(p netip.Prefix) ipnet.IPNet {
	return ipnet.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
}

func operatorConfigurationOf(o options.Validated) *hyperv1.OperatorConfiguration {
	cno := &hyperv1.ClusterNetworkOperatorSpec{}
	if o.DisableMultiNetwork {
		cno.DisableMultiNetwork = ptr.To(true)
	}
	if o.OVNInternalJoinSubnet+o.OVNInternalTransitSwitchSubnet != "" {
		cno.OVNKubernetesConfig = &hyperv1.OVNKubernetesConfig{IPv4: &hyperv1.OVNIPv4Config{
			InternalJoinSubnet: o.OVNInternalJoinSubnet, InternalTransitSwitchSubnet: o.OVNInternalTransitSwitchSubnet,
		}}
	}
	if cno.DisableMultiNetwork == nil && cno.OVNKubernetesConfig == nil {
		return nil
	}
	return &hyperv1.OperatorConfiguration{ClusterNetworkOperator: cno}
}
