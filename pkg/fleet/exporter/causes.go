package exporter

import (
	"context"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// causesInterval is the minimum time between two detailed reads of the clusters.
const causesInterval = time.Minute

// causesKind is the name of this source in hcctl_exporter_source_up.
const causesKind = "Cause"

// detail is the result of the last detailed read of a cluster.
type detail struct {
	phase  status.Phase
	health status.Health
	cause  *status.Part
}

func detailOf(r *status.Report) detail { return detail{r.Phase, r.Health, r.Cause()} }

// readCauses reads the clusters in detail, as hcctl status does for a list.
func (f *Fleet) readCauses(ctx context.Context, c kube.Reader) {
	f.mu.Lock()
	own, clusters := f.ownPools(), f.shown()
	f.mu.Unlock()
	reports := make([]*status.Report, len(clusters))
	for i, hc := range clusters {
		reports[i] = status.Brief(hc, own[client.ObjectKeyFromObject(hc)], c.Now())
	}
	status.Detail(ctx, c, reports)
	if ctx.Err() != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.causes = map[types.NamespacedName]detail{}
	for _, r := range reports {
		f.causes[types.NamespacedName{Namespace: r.Namespace, Name: r.Name}] = detailOf(r)
	}
	f.up[causesKind] = true
	f.noteReady()
}

// shown returns the clusters that have their own series.
func (f *Fleet) shown() []*hyperv1.HostedCluster {
	var out []*hyperv1.HostedCluster
	for _, key := range sorted(f.clusters) {
		if len(out) < f.options.MaxClusters {
			out = append(out, f.clusters[key])
		}
	}
	return out
}

// ownPools returns the NodePools of each cluster.
func (f *Fleet) ownPools() map[types.NamespacedName][]hyperv1.NodePool {
	own := map[types.NamespacedName][]hyperv1.NodePool{}
	for _, key := range sorted(f.pools) {
		np := f.pools[key]
		of := types.NamespacedName{Namespace: np.Namespace, Name: np.Spec.ClusterName}
		own[of] = append(own[of], *np)
	}
	return own
}

// cause raises the health of a report to that of the last detailed read, and returns the root cause that the
// read found. It ignores a read from another phase of the cluster.
func (c *collection) cause(key types.NamespacedName, r *status.Report) *status.Part {
	last, ok := c.causes[key]
	if !ok || last.phase != r.Phase {
		return nil
	}
	r.Health = status.Worse(r.Health, last.health)
	return last.cause
}

func (c *collection) putCause(hc *hyperv1.HostedCluster, cause *status.Part) {
	if cause != nil {
		c.put(clusterCause, 1, bounded(hc.Namespace), bounded(hc.Name), shaped(word, cause.Kind), bounded(cause.Name),
			c.reason(cause.Reason), cause.Health.String())
	}
}
