package loadbalancer

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/addresses"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/rbac/rule"
	"github.com/hcctl/hcctl/pkg/step"
)

// The prerequisite of this file, and its removal.
const (
	Advertisement       step.ID = "load-balancer/advertisement"
	removeAdvertisement step.ID = "uninstall/advertisement"
)

// advertisement makes MetalLB announce the addresses of the pool. Without it nobody reaches them.
type advertisement struct {
	o Validated
}

func (s advertisement) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Advertisement, Title: "address advertisement", Needs: []step.ID{Pool},
		Check: s.check, Apply: s.apply, Timeout: 5 * time.Minute,
		Rights: prereq.Rights{
			Check: append(addresses.ListPools(), addresses.List("l2advertisements.metallb.io"),
				addresses.List("bgpadvertisements.metallb.io"), addresses.List("bgppeers.metallb.io"), prereq.ListNodes()),
			Apply:  []rule.Rule{writeRange("get create patch", "l2advertisements.metallb.io")},
			Remove: []rule.Rule{writeRange("get delete", "l2advertisements.metallb.io")},
		},
		Remove: []prereq.Removal{removal.Object{Kind: kube.L2Advertisement, Name: poolName,
			Blocked: addressesInUse{}.advertised}.Removal(removeAdvertisement, "address advertisement",
			prereq.NoHostedClusters)},
		Preflight: &prereq.Preflight{For: func(w prereq.Wanted) bool { return w.LoadBalancer }},
	}
}

func (s advertisement) check(ctx context.Context, r kube.Reader) step.Finding {
	r.Prefetch(ctx, kube.IPAddressPool, kube.L2Advertisement, kube.BGPAdvertisement)
	all, err := addresses.Pools(ctx, r)
	if err != nil && !kube.IsKindMissing(err) {
		return kube.Unknown(err).On("IPAddressPools")
	}
	pools := addresses.Serving(s.o.MetalLBRanges, all)
	a := announcements{}
	for _, kind := range []kube.Kind{kube.L2Advertisement, kube.BGPAdvertisement} {
		list := kind.NewList()
		if err := r.List(ctx, list); err != nil && !kube.IsKindMissing(err) {
			return kube.Unknown(err).On("%ss", kind.Kind)
		}
		for i := range list.Items {
			list.Items[i].SetKind(kind.Kind)
		}
		a.list = append(a.list, list.Items...)
	}
	if f := s.context(ctx, r, &a); f != nil {
		return *f
	}
	return judgeAdvertised(pools, a)
}

// context reads what the advertisements refer to, if any does.
func (s advertisement) context(ctx context.Context, r kube.Reader, a *announcements) *step.Finding {
	for i := range a.list {
		if len(kube.Maps(&a.list[i], "spec", "nodeSelectors")) > 0 && a.nodes == nil {
			nodes := &corev1.NodeList{}
			if err := r.List(ctx, nodes); err != nil {
				f := kube.Unknown(err).On("Nodes")
				return &f
			}
			for j := range nodes.Items {
				a.nodes = append(a.nodes, nodes.Items[j].Labels)
			}
		}
		if a.list[i].GetKind() == kube.BGPAdvertisement.Kind && a.peers == 0 {
			peers := kube.BGPPeer.NewList()
			if err := r.List(ctx, peers); err != nil && !kube.IsKindMissing(err) {
				f := kube.Unknown(err).On("BGPPeers")
				return &f
			}
			a.peers = len(peers.Items)
		}
	}
	return nil
}

// announcements are the L2 and BGP advertisements and what they need to work.
type announcements struct {
	list []unstructured.Unstructured
	// nodes are the labels of all nodes, read only where an advertisement chooses among them.
	nodes []labels.Set
	// peers is the number of BGPPeers, read only where there is a BGPAdvertisement.
	peers int
}

func judgeAdvertised(pools []addresses.Pool, a announcements) step.Finding {
	if len(pools) == 0 {
		return step.Missing("there is no pool to advertise").On("L2Advertisement %s", poolName)
	}
	object := ""
	for _, p := range pools {
		by, why := a.of(p)
		switch {
		case by != "":
			object = by
		case p.Name == poolName:
			return step.Missing("%s", why).On("L2Advertisement %s/%s", p.Namespace, poolName)
		default:
			return step.Broken("%s", why).On("IPAddressPool %s/%s", p.Namespace, p.Name).
				WithHint(`to announce it by L2: oc create -f - <<< '{"apiVersion":"metallb.io/v1beta1","kind":"L2Advertisement",`+
					`"metadata":{"generateName":"%s-","namespace":%q},"spec":{"ipAddressPools":[%q]}}'`,
					p.Name, p.Namespace, p.Name)
		}
	}
	return step.OK("selects pool %s", pools[len(pools)-1].Name).On("%s", object)
}

// of names an advertisement that announces the pool, or says why none does.
func (a announcements) of(p addresses.Pool) (by, why string) {
	subject := "it"
	if p.Name == poolName {
		subject = "pool " + p.Name
	}
	why = fmt.Sprintf("no advertisement selects %s, so its addresses cannot be reached", subject)
	for i := range a.list {
		u := &a.list[i]
		if !advertises(u, p) {
			continue
		}
		name := fmt.Sprintf("%s %s", u.GetKind(), kube.Name(u))
		selectors := kube.Maps(u, "spec", "nodeSelectors")
		switch {
		case len(selectors) > 0 && !slices.ContainsFunc(a.nodes, func(n labels.Set) bool { return matchesAny(selectors, n) }):
			why = fmt.Sprintf("%s selects %s, but its spec.nodeSelectors match no node, so nobody announces the addresses", name,
				subject)
		case u.GetKind() == kube.BGPAdvertisement.Kind && a.peers == 0:
			why = fmt.Sprintf("%s selects %s, but there is no BGPPeer to announce the addresses to", name, subject)
		default:
			return name, ""
		}
	}
	return "", why
}

// advertises tells whether an L2 or BGP advertisement selects the pool: by name, by label, or by selecting nothing,
// which is all.
func advertises(u *unstructured.Unstructured, p addresses.Pool) bool {
	if u.GetNamespace() != p.Namespace {
		return false
	}
	names := kube.Texts(u, "spec", "ipAddressPools")
	selectors := kube.Maps(u, "spec", "ipAddressPoolSelectors")
	return len(names) == 0 && len(selectors) == 0 || slices.Contains(names, p.Name) || matchesAny(selectors, p.Labels)
}

// matchesAny tells whether one of the label selectors, as in a spec, selects the labels.
func matchesAny(selectors []map[string]any, set labels.Set) bool {
	for _, m := range selectors {
		selector := &metav1.LabelSelector{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(m, selector); err != nil {
			continue
		}
		if s, err := metav1.LabelSelectorAsSelector(selector); err == nil && s.Matches(set) {
			return true
		}
	}
	return false
}

func (s advertisement) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	namespace, err := homeOf(ctx, c)
	if err != nil {
		return "", err
	}
	return c.Apply(ctx, prereq.NewObject(kube.L2Advertisement, namespace, poolName,
		map[string]any{"ipAddressPools": []any{poolName}}))
}
