package loadbalancer

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/metallb"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/addresses"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// FreeAddresses is the prerequisite of this file.
const FreeAddresses step.ID = "load-balancer/free-addresses"

// fewAddresses is the number of free addresses below which the message mentions them: each hosted cluster takes one for
// its API server, and one for each of its own Services of type LoadBalancer.
const fewAddresses = 3

// freeAddresses checks that an address is free for another hosted cluster.
type freeAddresses struct {
	o Validated
	// wanted is the number of addresses needed besides those of hosted clusters that still wait for one. 0 counts what is
	// free now.
	wanted uint64
}

func (s freeAddresses) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: FreeAddresses, Title: "free addresses", Needs: []step.ID{Pool},
		Check:   s.check,
		Timeout: time.Minute,
		Rights: prereq.Rights{
			Check: append(addresses.ListPools(), prereq.ReadNetwork(), addresses.List("services"), prereq.ListEvents(),
				addresses.List("configurationstates.metallb.io"), prereq.ListHosted("hostedclusters")),
		},
		Preflight: &prereq.Preflight{For: func(w prereq.Wanted) bool { return w.LoadBalancer }, Check: s.checkWanted},
	}
}

// checkWanted returns the check for hosted clusters that are about to be created.
func (s freeAddresses) checkWanted(w prereq.Wanted) kube.Check {
	return freeAddresses{s.o, uint64(max(1, w.Addresses))}.check
}

func (s freeAddresses) check(ctx context.Context, r kube.Reader) step.Finding {
	all, err := addresses.Pools(ctx, r)
	if err != nil && !kube.IsKindMissing(err) {
		return kube.Unknown(err).On("IPAddressPools")
	}
	var pools []addresses.Pool
	counted := true
	for _, p := range addresses.Serving(s.o.MetalLBRanges, all) {
		if p.Closed == "" {
			pools = append(pools, p)
			counted = counted && p.Counted
		}
	}
	if len(pools) == 0 {
		return *prereq.NothingYet("there is no pool yet that serves every hosted cluster")
	}
	network := &configv1.Network{}
	if err := r.Get(ctx, types.NamespacedName{Name: "cluster"}, network); err != nil {
		return kube.Unknown(err).On("Network cluster")
	}
	var taken []netip.Addr
	services := &corev1.ServiceList{}
	err = r.List(ctx, services)
	switch {
	case err == nil && !counted:
		taken = addresses.Taken(services.Items)
	case err != nil && !counted:
		return kube.Unknown(err).On("Services")
	}
	promised, err := s.promised(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("HostedClusters")
	}
	f := judgeFree(pools, taken, familyOf(network), promised, s.wanted)
	if f.State == step.StateOK {
		if waiting := unanswered(ctx, r, services.Items, pools[0].Namespace, f); waiting != nil {
			return *waiting
		}
	}
	return f
}

// promised returns the hosted clusters that will get an address of these pools and have none yet. Clusters with a pool
// of their own are left out. It reads nothing if no addresses are wanted.
func (s freeAddresses) promised(ctx context.Context, r kube.Reader) ([]string, error) {
	if s.wanted == 0 {
		return nil, nil
	}
	all, err := kube.HostedClusters(ctx, r)
	if err != nil && !kube.IsKindMissing(err) {
		return nil, err
	}
	list := kube.IPAddressPool.NewList()
	if err := r.List(ctx, list); err != nil && !kube.IsKindMissing(err) {
		return nil, err
	}
	var out []string
	for _, hc := range all {
		own := slices.ContainsFunc(list.Items, func(u unstructured.Unstructured) bool {
			return slices.Contains(kube.Texts(&u, "spec", "serviceAllocation", "namespaces"), hc.Namespace+"-"+hc.Name)
		})
		if hc.AwaitsAddress && !own {
			out = append(out, hc.String())
		}
	}
	return out, nil
}

// maxEventAge is the maximum age of a waiting Service that shows that MetalLB does not work. For older ones, the Event
// with MetalLB's reason may have expired.
const maxEventAge = 15 * time.Minute

// unanswered returns a finding about a Service without an address although f says that some are free. Either MetalLB
// rejects its configuration, or it reports nothing about the Service. namespace is MetalLB's. It returns nil if there
// is no such Service.
func unanswered(ctx context.Context, r kube.Reader, services []corev1.Service, namespace string,
	f step.Finding) *step.Finding {
	refused := sync.OnceValue(func() []string { return metallb.Refused(ctx, r, namespace) })
	for i := range services {
		s := &services[i]
		age := r.Now().Sub(s.CreationTimestamp.Time)
		if s.Spec.Type != corev1.ServiceTypeLoadBalancer || s.Spec.LoadBalancerClass != nil || s.DeletionTimestamp != nil ||
			kube.LoadBalancerAddress(s) != "" || age < serviceGrace {
			continue
		}
		if all := refused(); len(all) > 0 {
			out := step.Pending("it has got no address in %d minutes: %s", int(age.Minutes()), all[0]).On("Service %s",
				kube.Name(s)).WithTrouble().WithHint("correct that; oc get configurationstates,ipaddresspools -n %s", namespace)
			return &out
		}
		if age > maxEventAge {
			continue
		}
		if _, found := prereq.WarningAbout(ctx, r, "Service", s); found {
			continue
		}
		out := step.Pending("it has got no address in %d minutes, and MetalLB says nothing of it, although %s",
			int(age.Minutes()), f.Message).On("Service %s", kube.Name(s)).WithTrouble().
			WithHint("oc logs deployment/%s -n %s --tail=50", controllerName, namespace)
		return &out
	}
	return nil
}

// familyOf returns the primary IP family of Services: 0 for IPv4, 1 for IPv6.
func familyOf(network *configv1.Network) int {
	for _, cidr := range network.Status.ServiceNetwork {
		if prefix, err := netip.ParsePrefix(cidr); err == nil {
			if prefix.Addr().Is4() {
				return 0
			}
			return 1
		}
	}
	return 0
}

// judgeFree counts the free addresses. promised are the hosted clusters that come first; wanted is the number of
// addresses needed after them.
func judgeFree(pools []addresses.Pool, taken []netip.Addr, family int, promised []string, wanted uint64) step.Finding {
	free, all := uint64(0), uint64(0)
	var names []string
	for _, p := range pools {
		f, n := p.Count(taken, family)
		free, all = addresses.Sum(free, f), addresses.Sum(all, n)
		names = append(names, p.Namespace+"/"+p.Name)
	}
	object := "IPAddressPool " + names[0]
	if len(names) > 1 {
		object = "IPAddressPools " + strings.Join(names, ", ")
	}
	hint := hint.New("%s adds addresses; oc get service -A shows who has those that are given out",
		hint.Run("bootstrap").Flag("metallb-range", "FIRST-LAST"))
	switch {
	case all == 0:
		return step.Missing("it has no %s addresses, which is what Services of this cluster get",
			[]string{"IPv4", "IPv6"}[family]).On("%s", object).WithHint("%s", hint)
	case free == 0:
		return step.Missing("0 of %s addresses are free, so the API server of the next hosted cluster gets none",
			formatCount(all)).On("%s", object).WithHint("%s", hint)
	case free < addresses.Sum(uint64(len(promised)), wanted):
		f := step.Missing("%s of %s addresses are free, and %d wanted", formatCount(free), formatCount(all), wanted)
		if len(promised) > 0 {
			f.Message += fmt.Sprintf(", beside %s without an address yet, which came first (%s)",
				plural.Count(len(promised), "hosted cluster"), plural.Few(promised, 3))
		}
		return f.On("%s", object).WithHint("%s", hint)
	case free < fewAddresses:
		return step.OK("only %d of %s addresses are free: a hosted cluster takes one, and one more for each "+
			"of its own LoadBalancer Services", free, formatCount(all)).On("%s", object)
	}
	return step.OK("%s of %s addresses are free", formatCount(free), formatCount(all)).On("%s", object)
}

// formatCount formats a number for messages; large IPv6 networks get "over a million".
func formatCount(n uint64) string {
	if n > 1_000_000 {
		return "over a million"
	}
	return fmt.Sprint(n)
}

// Addresses counts the addresses of the load balancer's pools that serve every Service, in the primary family of
// Services.
type Addresses struct {
	Free uint64 `json:"free"`
	All  uint64 `json:"all"`
}

// CountFreeAddresses counts the free addresses. Without MetalLB or an open pool there are none.
func CountFreeAddresses(ctx context.Context, r kube.Reader) (Addresses, error) {
	out := Addresses{}
	all, err := addresses.Pools(ctx, r)
	if kube.IsKindMissing(err) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	pools, counted := addresses.Serving(nil, all), true
	for _, p := range pools {
		counted = counted && p.Counted
	}
	if len(pools) == 0 {
		return out, nil
	}
	network := &configv1.Network{}
	if err := r.Get(ctx, types.NamespacedName{Name: "cluster"}, network); err != nil {
		return out, err
	}
	var services corev1.ServiceList
	if !counted {
		if err := r.List(ctx, &services); err != nil {
			return out, err
		}
	}
	taken := addresses.Taken(services.Items)
	for _, p := range pools {
		free, n := p.Count(taken, familyOf(network))
		out.Free, out.All = addresses.Sum(out.Free, free), addresses.Sum(out.All, n)
	}
	return out, nil
}
