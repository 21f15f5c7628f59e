package kube

import (
	"net/netip"
	"strings"
	"testing"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func spanOf(cidr string) Span { return SpanOf(netip.MustParsePrefix(cidr), "", "x") }

func TestSpans(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"10.132.0.0/14", "10.128.0.0/14", false},
		{"10.132.0.0/14", "10.135.255.255/32", true},
		{"10.132.0.0/14", "10.136.0.0/32", false},
		{"10.0.0.0/8", "10.132.0.0/14", true},
		{"172.31.0.0/16", "172.30.0.0/15", true},
		{"0.0.0.0/0", "fd00::/8", false},
		{"fd01::/48", "fd01:0:0:1::/64", true},
		{"10.133.1.1/14", "10.132.0.0/32", true},
	} {
		if got := spanOf(tc.a).Overlaps(spanOf(tc.b)); got != tc.want {
			t.Errorf("%s and %s: %t", tc.a, tc.b, got)
		}
		if got := spanOf(tc.b).Overlaps(spanOf(tc.a)); got != tc.want {
			t.Errorf("%s and %s, turned round: %t", tc.a, tc.b, got)
		}
	}
}

func TestUsedNetworks(t *testing.T) {
	status := configv1.NetworkStatus{ClusterNetwork: []configv1.ClusterNetworkEntry{{CIDR: "10.128.0.0/14"}},
		ServiceNetwork: []string{"172.30.0.0/16", "not a CIDR"}}
	node := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "192.0.2.7"},
		{Type: corev1.NodeHostName, Address: "a"}, {Type: corev1.NodeExternalIP, Address: "198.51.100.1"}}
	names := func(ovn *operatorv1.OVNKubernetesConfig) string {
		network := &operatorv1.Network{}
		network.Spec.DefaultNetwork.OVNKubernetesConfig = ovn
		own := operatorNetwork{}
		decodeInto(t, network, &own)
		var out []string
		for _, s := range networksOf(status, own, []corev1.Node{node}).Used {
			_, cidr, _ := strings.Cut(s.Name, "(")
			out = append(out, strings.TrimSuffix(cidr, ")"))
		}
		return strings.Join(out, " ")
	}
	for want, ovn := range map[string]*operatorv1.OVNKubernetesConfig{
		"10.128.0.0/14 172.30.0.0/16 100.64.0.0/16 100.88.0.0/16 192.0.2.7": nil,
		"10.128.0.0/14 172.30.0.0/16 100.65.0.0/16 100.88.0.0/16 192.0.2.7": {V4InternalSubnet: "100.65.0.0/16"},
		"10.128.0.0/14 172.30.0.0/16 100.70.0.0/16 100.71.0.0/16 192.0.2.7": {V4InternalSubnet: "100.65.0.0/16",
			IPv4: &operatorv1.IPv4OVNKubernetesConfig{InternalJoinSubnet: "100.70.0.0/16",
				InternalTransitSwitchSubnet: "100.71.0.0/16"}},
	} {
		if got := names(ovn); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestNetworksOfBothFamilies(t *testing.T) {
	node := corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a", Annotations: map[string]string{
		primaryAnnotation: `{"ipv4":"192.0.2.20/24","ipv6":"2001:db8::20/64"}`}}}
	node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "2001:db8::20"}}
	entry := func(cidr string) configv1.ClusterNetworkEntry { return configv1.ClusterNetworkEntry{CIDR: cidr} }
	for want, status := range map[string]configv1.NetworkStatus{
		"10.128.0.0/14 fd01::/48 172.30.0.0/16 fd02::/112 100.64.0.0/16 100.88.0.0/16 fd98::/64 fd97::/64 192.0.2.0/24 " +
			"2001:db8::/64 2001:db8::20": {ClusterNetwork: []configv1.ClusterNetworkEntry{entry("10.128.0.0/14"),
			entry("fd01::/48")}, ServiceNetwork: []string{"172.30.0.0/16", "fd02::/112"}},
		"fd01::/48 fd02::/112 fd98::/64 fd97::/64 192.0.2.0/24 2001:db8::/64 2001:db8::20": {
			ClusterNetwork: []configv1.ClusterNetworkEntry{entry("fd01::/48")}, ServiceNetwork: []string{"fd02::/112"}},
	} {
		var out []string
		n := networksOf(status, operatorNetwork{}, []corev1.Node{node})
		for _, s := range n.Used {
			_, cidr, _ := strings.Cut(s.Name, "(")
			out = append(out, strings.TrimSuffix(cidr, ")"))
		}
		if got := strings.Join(out, " "); got != want || len(n.Pods) != len(status.ClusterNetwork) ||
			len(n.Services) != len(status.ServiceNetwork) {
			t.Errorf("got %s, %v, %v, want %s", got, n.Pods, n.Services, want)
		}
	}
}
