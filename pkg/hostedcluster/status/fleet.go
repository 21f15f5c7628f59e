package status

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
)

// Fleet judges hosted clusters, the worst first. It reads the HostedClusters and NodePools in two requests, and more
// only for lists with more pages. Up to twenty clusters are judged in detail, as Of does; of a longer list, only the
// first twenty that fail. An empty namespace means all. It returns the errors of List.
func Fleet(ctx context.Context, r kube.Reader, namespace string, selector labels.Selector) ([]*Report, error) {
	opts := []client.ListOption{client.InNamespace(namespace)}
	if selector != nil {
		opts = append(opts, client.MatchingLabelsSelector{Selector: selector})
	}
	var clusters result[hyperv1.HostedCluster]
	var pools result[hyperv1.NodePool]
	var wg sync.WaitGroup
	wg.Go(func() {
		clusters = pages(ctx, r, &hyperv1.HostedClusterList{}, func(l *hyperv1.HostedClusterList) []hyperv1.HostedCluster {
			return l.Items
		}, opts...)
	})
	wg.Go(func() { pools = allPools(ctx, r, namespace) })
	wg.Wait()
	if clusters.err != nil {
		return nil, Query{Resource: HostedClusters()}.failed(clusters.err)
	}
	all := fleet(clusters.items, pools, r.Now())
	Detail(ctx, r, all)
	return all, nil
}

// fleet judges each cluster and sorts them, the worst first.
func fleet(clusters []hyperv1.HostedCluster, pools result[hyperv1.NodePool], now time.Time) []*Report {
	own := map[types.NamespacedName][]hyperv1.NodePool{}
	for _, np := range pools.items {
		key := types.NamespacedName{Namespace: np.Namespace, Name: np.Spec.ClusterName}
		own[key] = append(own[key], np)
	}
	out := make([]*Report, 0, len(clusters))
	for i := range clusters {
		hc := &clusters[i]
		v := &snapshot{hc: hc, pools: result[hyperv1.NodePool]{own[client.ObjectKeyFromObject(hc)], pools.err}, now: now}
		one := v.brief()
		one.seen = v
		out = append(out, one)
	}
	worstFirst(out)
	return out
}

// worstFirst sorts a fleet by health, then by namespace and name.
func worstFirst(fleet []*Report) {
	slices.SortStableFunc(fleet, func(a, b *Report) int {
		return cmp.Or(b.Health.Compare(a.Health), strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name))
	})
}

// maxDetails is the maximum number of clusters of a list that are judged in detail.
const maxDetails = 20

// Detail judges the clusters of a short list as Of does, and the first failing ones of a long list, so that a list and
// the status of one cluster agree. The message of the others says that only their conditions were read. A cluster that
// cannot be read keeps the health of its HostedCluster.
func Detail(ctx context.Context, r kube.Reader, fleet []*Report) {
	operator := sync.OnceValue(func() health.Verdict { return hyperShiftOperator(ctx, r) })
	var wg sync.WaitGroup
	n := 0
	for _, one := range fleet {
		if n == maxDetails || len(fleet) > maxDetails && one.Health != Failing && one.Phase != Deleting {
			if one.Health == OK && one.Message == "" {
				one.Message = notLooked
			}
			continue
		}
		n++
		wg.Go(func() {
			v := &snapshot{reader: r, hyperShift: func(context.Context, kube.Reader) health.Verdict { return operator() }}
			if one.seen != nil {
				v.hc, v.pools = one.seen.hc, one.seen.pools
			}
			if whole, err := v.look(ctx, one.Namespace, one.Name); err == nil {
				one.Health, one.Message, one.cause = whole.Health, whole.Message, whole.cause
			}
		})
	}
	wg.Wait()
	for _, one := range fleet {
		one.seen = nil
	}
	worstFirst(fleet)
}

// notLooked is the message of a cluster in a long list whose conditions are good.
const notLooked = "by its conditions alone"
