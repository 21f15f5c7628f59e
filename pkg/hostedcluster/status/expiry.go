package status

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/expiry"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// expiryKind is the kind of the part about certificates and tokens that expire.
const expiryKind = "Expiry"

// maxExpiry is the maximum number of clusters whose expiries are read at the same time.
const maxExpiry = 8

// AddExpiry adds to the report of one cluster when its certificates and tokens expire; see expiry.Of. It also queries
// the hosted API server.
func AddExpiry(ctx context.Context, r kube.Reader, one *Report) error {
	hc, err := hostedcluster.Find(ctx, r, one.Namespace, one.Name)
	if err != nil {
		return err
	}
	one.addExpiry(expiry.Of(ctx, r, hc, true))
	return nil
}

// AddFleetExpiry does the same for many clusters, and sorts them again, the worst first. It does not query the hosted
// API servers.
func AddFleetExpiry(ctx context.Context, r kube.Reader, namespace string, selector labels.Selector,
	fleet []*Report) error {
	ends, err := expiries(ctx, r, namespace, selector, nil)
	if err != nil {
		return err
	}
	for _, one := range fleet {
		if items, found := ends[types.NamespacedName{Namespace: one.Namespace, Name: one.Name}]; found {
			one.addExpiry(items)
		}
	}
	worstFirst(fleet)
	return nil
}

// expiries reads the expiries of the hosted clusters with these names, or of all that the selector selects.
func expiries(ctx context.Context, r kube.Reader, namespace string, selector labels.Selector, names []string) (
	map[types.NamespacedName][]*expiry.Item, error) {
	opts := []client.ListOption{client.InNamespace(namespace)}
	if selector != nil {
		opts = append(opts, client.MatchingLabelsSelector{Selector: selector})
	}
	found := pages(ctx, r, &hyperv1.HostedClusterList{},
		func(l *hyperv1.HostedClusterList) []hyperv1.HostedCluster { return l.Items }, opts...)
	if found.err != nil {
		return nil, Query{Resource: HostedClusters()}.failed(found.err)
	}
	var clusters []*hyperv1.HostedCluster
	for i := range found.items {
		if len(names) == 0 || slices.Contains(names, found.items[i].Name) {
			clusters = append(clusters, &found.items[i])
		}
	}
	return ExpiriesOf(ctx, r, clusters), nil
}

// ExpiriesOf reads the expiries of each hosted cluster, at most maxExpiry at a time, without querying the hosted API
// servers.
func ExpiriesOf(ctx context.Context, r kube.Reader, clusters []*hyperv1.HostedCluster) map[types.
	NamespacedName][]*expiry.Item {
	all := make([][]*expiry.Item, len(clusters))
	kube.Parallelize(len(clusters), maxExpiry, func(i int) { all[i] = expiry.Of(ctx, r, clusters[i], false) })
	out := make(map[types.NamespacedName][]*expiry.Item, len(clusters))
	for i := range clusters {
		out[client.ObjectKeyFromObject(clusters[i])] = all[i]
	}
	return out
}

// addExpiry adds the part about expiries.
func (r *Report) addExpiry(items []*expiry.Item) {
	r.Expires = expires(items)
	r.Expiry = Part{Kind: expiryKind, Health: OK}
	if r.Phase == Deleting {
		r.Expiry.Health, r.Expiry.Message = Progressing, "no longer looked at: the cluster is being deleted"
		r.conclude()
		return
	}
	good := 0
	plane := Part{Kind: "Secrets", Name: hostedcluster.ControlPlaneNamespace(r.Namespace, r.Name), Health: OK}
	var inPlane []*expiry.Item
	for _, one := range items {
		if !one.Bad() {
			good++
		}
		part := Part{Kind: one.Kind, Name: one.Name, Health: Health(one.State), Message: one.Message, Hint: one.Hint}
		if !one.Until.IsZero() {
			part.Ends = &one.Until
		}
		switch {
		case one.Class != expiry.ControlPlane || one.Kind == plane.Kind:
			r.Expiry.add(part)
			continue
		case one.Bad():
			plane.add(part)
		}
		inPlane = append(inPlane, one)
	}
	if first := expiry.First(inPlane); first != nil {
		plane.Ends = &first.Until
		plane.Message = fmt.Sprintf("%s of the control plane, the first ends at %s",
			plural.Count(len(inPlane), "certificate"), day(first.Until))
	}
	if len(inPlane) > 0 {
		plane.worstFirst()
		r.Expiry.add(plane)
	}
	if first := expiry.First(items); first != nil {
		r.Expiry.Ends, r.Expiry.Message = &first.Until, "the first end is at "+day(first.Until)
	}
	r.Expiry.worstFirst()
	r.Expiry.count(good, len(items))
	r.conclude()
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// expires is the column with the first expiry, such as "2026-12-08 dex". A ? means that an expiry is unknown.
func expires(items []*expiry.Item) string {
	var out []string
	if first := expiry.First(items); first != nil {
		out = append(out, day(first.Until), string(first.Class))
	}
	for _, i := range items {
		if i.State == step.StateUnknown {
			out = append(out, "?")
			break
		}
	}
	return strings.Join(out, " ")
}
