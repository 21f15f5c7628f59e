package loadbalancer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/addresses"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// IDs of the prerequisite and its removal.
const (
	Advertisement       step.ID = "load-balancer/advertisement"
	removeAdvertisement step.ID = "uninstall/advertisement"
)

// advertisement makes MetalLB announce the addresses of the pool. Without it they cannot be reached.
type advertisement struct {
	o Validated
}

func (s advertisement) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Advertisement, Title: "address advertisement", Needs: []step.ID{Pool},
		Check: s.check, Apply: s.apply, Timeout: 5 * time.Minute,
		Rights: prereq.Rights{
			Check: append(addresses.ListPools(), addresses.List("l2advertisements.metallb.io"),
				addresses.List("bgpadvertisements.metallb.io"), addresses.List("bgppeers.metallb.io"), prereq.ListNodes(),
				addresses.List("nodenetworkstates.nmstate.io")),
			Apply:  []access.Rule{writeRange("get create patch", "l2advertisements.metallb.io")},
			Remove: []access.Rule{writeRange("get delete", "l2advertisements.metallb.io")},
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

// context reads the objects that the advertisements refer to, if there are any.
func (s advertisement) context(ctx context.Context, r kube.Reader, a *announcements) *step.Finding {
	unread := func(err error, object string) *step.Finding {
		f := kube.Unknown(err).On("%s", object)
		return &f
	}
	var err error
	if len(a.list) > 0 {
		if a.speakers, err = speakersOf(ctx, r); err != nil {
			return unread(err, "MetalLBs")
		}
	}
	selects := func(field string) bool {
		return slices.ContainsFunc(a.list, func(u unstructured.Unstructured) bool {
			_, set, _ := unstructured.NestedSlice(u.Object, "spec", field)
			return set
		})
	}
	if a.speakers.metalLB != nil || selects("nodeSelectors") || selects("interfaces") {
		if a.nodes, err = prereq.AllNodes(ctx, r); err != nil {
			return unread(err, "Nodes")
		}
	}
	if selects("interfaces") {
		if a.interfaces, err = readInterfaces(ctx, r); err != nil && !apierrors.IsForbidden(err) {
			return unread(err, "NodeNetworkStates")
		}
	}
	if slices.ContainsFunc(a.list, func(u unstructured.Unstructured) bool {
		return u.GetKind() == kube.BGPAdvertisement.Kind
	}) {
		peers := kube.BGPPeer.NewList()
		if err := r.List(ctx, peers); err != nil && !kube.IsKindMissing(err) {
			return unread(err, "BGPPeers")
		}
		a.peers = len(peers.Items)
	}
	return nil
}

// announcements are the L2 and BGP advertisements and what they need to work.
type announcements struct {
	list     []unstructured.Unstructured
	speakers speakerNodes
	// nodes are all nodes, read only if something selects among them.
	nodes []corev1.Node
	// interfaces are the nodes' interfaces, read only if an advertisement selects among them.
	interfaces interfaces
	// peers is the number of BGPPeers, read only if there is a BGPAdvertisement.
	peers int
}

func judgeAdvertised(pools []addresses.Pool, a announcements) step.Finding {
	if len(pools) == 0 {
		return step.Missing("there is no pool to advertise").On("L2Advertisement %s", poolName)
	}
	if f := a.speakers.judge(a.nodes); f != nil {
		return *f
	}
	object, remark := "", ""
	for _, p := range pools {
		by, why, unknown := a.announcerOf(p)
		switch {
		case why == "":
			object, remark = by, unknown
		case p.Name == poolName && !a.ownSelects(p):
			return step.Missing("%s", why).On("L2Advertisement %s/%s", p.Namespace, poolName)
		case by != "":
			kind, name, _ := strings.Cut(by, " ")
			namespace, name, _ := strings.Cut(name, "/")
			return step.Broken("%s", why).On("IPAddressPool %s/%s", p.Namespace, p.Name).
				WithHint("correct or delete it: oc edit %s %s -n %s", strings.ToLower(kind), name, namespace)
		default:
			return step.Broken("%s", why).On("IPAddressPool %s/%s", p.Namespace, p.Name).
				WithHint(`to announce it by L2: oc create -f - <<< '{"apiVersion":"metallb.io/v1beta1","kind":"L2Advertisement",`+
					`"metadata":{"generateName":"%s-","namespace":%q},"spec":{"ipAddressPools":[%q]}}'`,
					p.Name, p.Namespace, p.Name)
		}
	}
	return step.OK("selects pool %s%s", pools[len(pools)-1].Name, remark).On("%s", object)
}

// ownSelects reports whether hcctl's own advertisement exists and selects the pool. hcctl does not remove what a user
// added to it.
func (a announcements) ownSelects(p addresses.Pool) bool {
	return slices.ContainsFunc(a.list, func(u unstructured.Unstructured) bool {
		return u.GetName() == poolName && u.GetKind() == kube.L2Advertisement.Kind && advertises(&u, p)
	})
}

// announcerOf returns an advertisement that announces the pool, with what is unknown about it, or why none does. In
// that case by is the one that selects the pool, or "".
func (a announcements) announcerOf(p addresses.Pool) (by, why, unknown string) {
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
		fails := a.fails(u, &unknown)
		if fails == "" {
			return name, "", unknown
		}
		by, why = name, fmt.Sprintf("%s selects %s, but %s", name, subject, fails)
	}
	return by, why, ""
}

// fails returns why an advertisement announces nothing. It sets unknown to what cannot be determined about it.
func (a announcements) fails(u *unstructured.Unstructured, unknown *string) string {
	*unknown = ""
	selectors, wanted := kube.Maps(u, "spec", "nodeSelectors"), kube.Texts(u, "spec", "interfaces")
	nodes := a.speakers.on(a.nodes)
	if len(selectors) > 0 {
		nodes = slices.DeleteFunc(nodes, func(n corev1.Node) bool { return !matchesAny(selectors, n.Labels) })
	}
	switch {
	case u.GetDeletionTimestamp() != nil:
		return "it is being deleted"
	case len(selectors) > 0 && len(nodes) == 0 && a.speakers.metalLB != nil:
		return "its spec.nodeSelectors match no node that has a speaker, so nothing announces the addresses"
	case len(selectors) > 0 && len(nodes) == 0:
		return "its spec.nodeSelectors match no node, so nothing announces the addresses"
	case u.GetKind() == kube.BGPAdvertisement.Kind && a.peers == 0:
		return "there is no BGPPeer to announce the addresses to"
	case u.GetKind() != kube.L2Advertisement.Kind || len(wanted) == 0:
		return ""
	}
	missing, known := a.interfaces.missing(wanted, nodes)
	if !known {
		*unknown = fmt.Sprintf("; whether a node has an interface of its %s is not known, because NMState does not report "+
			"all nodes", describeInterfaces(wanted))
	}
	if missing {
		return fmt.Sprintf("no node that announces has an interface of its %s", describeInterfaces(wanted))
	}
	return ""
}

// advertises reports whether an L2 or BGP advertisement selects the pool: by name, by label, or without any selector,
// which selects all pools.
func advertises(u *unstructured.Unstructured, p addresses.Pool) bool {
	if u.GetNamespace() != p.Namespace {
		return false
	}
	names := kube.Texts(u, "spec", "ipAddressPools")
	selectors := kube.Maps(u, "spec", "ipAddressPoolSelectors")
	return len(names) == 0 && len(selectors) == 0 || slices.Contains(names, p.Name) || matchesAny(selectors, p.Labels)
}

// matchesAny reports whether one of the label selectors of a spec matches the labels.
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
	namespace, err := namespaceFor(ctx, c)
	if err != nil {
		return "", err
	}
	return c.Apply(ctx, prereq.NewObject(kube.L2Advertisement, namespace, poolName,
		map[string]any{"ipAddressPools": []any{poolName}}))
}
