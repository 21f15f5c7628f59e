package hostedcluster

import (
	"net"
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"github.com/openshift/hypershift/api/util/ipnet"
	utilversion "k8s.io/apimachinery/pkg/util/version"
)

func TestInfraVersions(t *testing.T) {
	v := utilversion.MustParseGeneric
	if err := checkInfraVersions(v("v1.6.2"), v("v1.33.5")); err != nil {
		t.Errorf("a new cluster: %v", err)
	}
	err := checkInfraVersions(v("v0.58.1"), v("v1.25.7"))
	for _, want := range []string{
		"infrastructure kubevirt version is [0.58.1], hypershift kubevirt platform requires kubevirt version [1.0.0] or " +
			"greater",
		"infrastructure Kubernetes version is [1.25.7], hypershift kubevirt platform requires Kubernetes version [1.27.0] " +
			"or greater",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("an old cluster: %v, want %q in it", err, want)
		}
	}
}

func TestNetworksMayNotOverlap(t *testing.T) {
	cidr := func(s string) ipnet.IPNet {
		_, n, err := net.ParseCIDR(s)
		if err != nil {
			t.Fatal(err)
		}
		return ipnet.IPNet(*n)
	}
	hc := func(cluster, service string) *hyperv1.HostedCluster {
		h := &hyperv1.HostedCluster{}
		h.Spec.Platform.Type = hyperv1.KubevirtPlatform
		h.Spec.Networking.NetworkType = hyperv1.OVNKubernetes
		h.Spec.Networking.ClusterNetwork = []hyperv1.ClusterNetworkEntry{{CIDR: cidr(cluster)}}
		h.Spec.Networking.ServiceNetwork = []hyperv1.ServiceNetworkEntry{{CIDR: cidr(service)}}
		return h
	}
	if err := validateNetworks(hc("10.132.0.0/14", "172.31.0.0/16")); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	for _, tc := range []struct{ cluster, service, want string }{
		{"10.132.0.0/14", "10.133.0.0/16", "spec.networking.ServiceNetwork and spec.networking.ClusterNetwork overlap"},
		{"100.66.0.0/17", "172.31.0.0/16", "v4InternalSubnet (default) overlap"},
	} {
		if err := validateNetworks(hc(tc.cluster, tc.service)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s with %s: %v, want %q in it", tc.cluster, tc.service, err, tc.want)
		}
	}
	for address, want := range map[string]string{"192.0.2.7": "", "172.31.0.7": "172.31.0.7 is within 172.31.0.0/16"} {
		h := hc("10.132.0.0/14", "172.31.0.0/16")
		h.Spec.Services = []hyperv1.ServicePublishingStrategyMapping{{Service: hyperv1.APIServer,
			ServicePublishingStrategy: hyperv1.ServicePublishingStrategy{Type: hyperv1.NodePort,
				NodePort: &hyperv1.NodePortPublishingStrategy{Address: address}}}}
		if err := validateNetworks(h); (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("a node port at %s: %v, want %q in it", address, err, want)
		}
	}
}
