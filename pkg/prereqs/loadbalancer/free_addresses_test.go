package loadbalancer

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/addresses"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestJudgeFree(t *testing.T) {
	status := func(assigned4, available4, assigned6, available6 int64) addresses.Pool {
		u := prereq.NewObject(kube.IPAddressPool, "metallb-system", "p", poolSpec("192.0.2.0/28"))
		u.Object["status"] = map[string]any{"assignedIPv4": assigned4, "availableIPv4": available4, "assignedIPv6": assigned6,
			"availableIPv6": available6}
		return addresses.ReadPool(u)
	}
	plain := pool("p", poolSpec("192.0.2.0/30", "2001:db8::/120"))
	taken := []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.99"),
		netip.MustParseAddr("2001:db8::1")}
	full := append(slices.Clone(taken), netip.MustParseAddr("192.0.2.0"), netip.MustParseAddr("192.0.2.2"),
		netip.MustParseAddr("192.0.2.3"))
	for name, tc := range map[string]struct {
		pools  []addresses.Pool
		taken  []netip.Addr
		family int
		want   step.State
		says   string
	}{
		"MetalLB's count": {[]addresses.Pool{status(4, 12, 0, 0)}, taken, 0, step.StateOK,
			"12 of 16 addresses are free"},
		"MetalLB's count, none left": {[]addresses.Pool{status(16, 0, 0, 9)}, nil, 0, step.StateMissing, "0 of 16"},
		"MetalLB's count, few": {[]addresses.Pool{status(14, 2, 0, 0)}, nil, 0, step.StateOK,
			"only 2 of 16 addresses are free"},
		"not counted yet":         {[]addresses.Pool{status(0, 0, 0, 0)}, nil, 0, step.StateOK, "16 of 16"},
		"counted here":            {[]addresses.Pool{plain}, taken, 0, step.StateOK, "3 of 4 addresses are free"},
		"counted here, IPv6":      {[]addresses.Pool{plain}, taken, 1, step.StateOK, "255 of 256"},
		"counted here, none left": {[]addresses.Pool{plain}, full, 0, step.StateMissing, "0 of 4"},
		"two pools":               {[]addresses.Pool{plain, status(1, 15, 0, 0)}, taken, 0, step.StateOK, "18 of 20"},
		"no address of the cluster's kind": {[]addresses.Pool{pool("p", poolSpec("2001:db8::/120"))}, nil,
			0, step.StateMissing,
			"no IPv4 addresses"},
		"more than anybody counts": {[]addresses.Pool{pool("p", poolSpec("2001:db8::/64"))}, nil, 1, step.StateOK,
			"over a million of over a million"},
		"more than a number holds, added up": {[]addresses.Pool{pool("p", poolSpec("2001:db8::/32")),
			pool("q", poolSpec("2001:db9::/32"))}, nil, 1, step.StateOK, "over a million"},
	} {
		t.Run(name, func(t *testing.T) {
			prereqtest.Expect(t, judgeFree(tc.pools, tc.taken, tc.family, nil, 0), tc.want, tc.says)
		})
	}
}

// TestPromisedAddresses has hosted clusters that came first and have got no address yet.
func TestPromisedAddresses(t *testing.T) {
	hosted := func(name, kind, host string) map[string]any {
		return map[string]any{"metadata": map[string]any{"namespace": "clusters", "name": name},
			"spec": map[string]any{"services": []any{map[string]any{"service": "APIServer",
				"servicePublishingStrategy": map[string]any{"type": kind}}}},
			"status": map[string]any{"controlPlaneEndpoint": map[string]any{"host": host, "port": 6443}}}
	}
	shared := map[string]any{"metadata": map[string]any{"namespace": "metallb-system", "name": "p"},
		"spec":   map[string]any{"addresses": []any{"192.0.2.0/28"}},
		"status": map[string]any{"assignedIPv4": 14, "availableIPv4": 2, "assignedIPv6": 0, "availableIPv6": 0}}
	own := map[string]any{"metadata": map[string]any{"namespace": "metallb-system", "name": "own"},
		"spec": map[string]any{"addresses": []any{"192.0.2.32/32"},
			"serviceAllocation": map[string]any{"namespaces": []any{"clusters-kv-04"}}}}
	for name, tc := range map[string]struct {
		clusters []map[string]any
		wanted   prereq.Wanted
		state    step.State
		says     string
	}{
		"nobody else": {nil, prereq.Wanted{}, step.StateOK, "2 of 16 addresses are free"},
		"three at once": {nil, prereq.Wanted{Addresses: 3}, step.StateMissing,
			"2 of 16 addresses are free, and 3 wanted"},
		"one comes first": {[]map[string]any{hosted("kv-01", "LoadBalancer", "")}, prereq.Wanted{}, step.StateOK, "2 of 16"},
		"two come first": {[]map[string]any{hosted("kv-01", "LoadBalancer", ""), hosted("kv-02", "LoadBalancer", "")},
			prereq.Wanted{}, step.StateMissing, "2 of 16 addresses are free, and 1 wanted, beside 2 hosted clusters without " +
				"an address yet, which came first (clusters/kv-01, clusters/kv-02)"},
		"they have theirs": {[]map[string]any{hosted("kv-01", "LoadBalancer", "192.0.2.1"),
			hosted("kv-02", "LoadBalancer", "192.0.2.2")}, prereq.Wanted{}, step.StateOK, "2 of 16"},
		"they need none, or have a pool": {[]map[string]any{hosted("kv-03", "Route", ""), hosted("kv-04", "LoadBalancer", "")},
			prereq.Wanted{}, step.StateOK, "2 of 16"},
	} {
		api := kubetest.Serve(t)
		api.RegisterKinds(t, "metallb.io/v1beta1", "IPAddressPool", "MetalLB")
		api.RegisterKinds(t, "hypershift.openshift.io/v1beta1", "HostedCluster")
		api.RegisterKinds(t, "config.openshift.io/v1", "Network")
		api.RegisterKinds(t, "v1", "Service", "Event")
		api.RegisterKinds(t, "apps/v1", "Deployment")
		api.Set("Network", map[string]any{"metadata": map[string]any{"name": "cluster"},
			"status": map[string]any{"serviceNetwork": []any{"172.30.0.0/16"}}})
		api.Set("IPAddressPool", shared, own)
		api.Set("HostedCluster", tc.clusters...)
		f := freeAddresses{o: Validated{&validated{}}}.checkWanted(tc.wanted)(t.Context(), api.Client)
		if f.State != tc.state || !strings.Contains(f.Message, tc.says) {
			t.Errorf("%s: %s %s, want %s %q", name, f.State, f.Message, tc.state, tc.says)
		}
	}
}

func TestJudgeServices(t *testing.T) {
	now := time.Now()
	service := func(serviceType corev1.ServiceType, old time.Duration, in ...corev1.LoadBalancerIngress) corev1.Service {
		s := corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "s",
			CreationTimestamp: metav1.NewTime(now.Add(-old))}}
		s.Spec.Type = serviceType
		s.Status.LoadBalancer.Ingress = in
		return s
	}
	waits := service(corev1.ServiceTypeLoadBalancer, 5*time.Minute)
	for name, tc := range map[string]struct {
		services []corev1.Service
		want     step.State
		says     string
	}{
		"none at all": {[]corev1.Service{service(corev1.ServiceTypeClusterIP, time.Hour)}, step.StateUnknown,
			"no Service of type LoadBalancer"},
		"one has an IP": {[]corev1.Service{waits,
			service(corev1.ServiceTypeLoadBalancer, 0, corev1.LoadBalancerIngress{IP: "192.0.2.1"})}, step.StateOK, "192.0.2.1"},
		"one has a name": {[]corev1.Service{service(corev1.ServiceTypeLoadBalancer, 0,
			corev1.LoadBalancerIngress{Hostname: "lb.example.com"})}, step.StateOK, "lb.example.com"},
		"one waits": {[]corev1.Service{waits}, step.StateMissing,
			"no address in 5 minutes; neither has any of the 1 there are"},
		"one was just made": {[]corev1.Service{service(corev1.ServiceTypeLoadBalancer, time.Second)}, step.StateUnknown,
			"not known"},
	} {
		t.Run(name, func(t *testing.T) { prereqtest.Expect(t, judgeServices(tc.services, now), tc.want, tc.says) })
	}
}
