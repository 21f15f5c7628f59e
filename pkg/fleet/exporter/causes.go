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

// causesPause is how long clusters are not looked into again.
const causesPause = time.Minute

// causesKind is the source of causes.
const causesKind = "Cause"

// look is what the last look into a cluster has found.
type look struct {
	phase  status.Phase
	health status.Health
	cause  *status.Part
}

func found(r *status.Report) look { return look{r.Phase, r.Health, r.Cause()} }

// readCauses looks into the clusters as a list of status does.
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
	f.causes = map[types.NamespacedName]look{}
	for _, r := range reports {
		f.causes[types.NamespacedName{Namespace: r.Namespace, Name: r.Name}] = found(r)
	}
	f.up[causesKind] = true
	f.noteReady()
}

// shown are the clusters that have series of their own.
func (f *Fleet) shown() []*hyperv1.HostedCluster {
	var out []*hyperv1.HostedCluster
	for _, key := range sorted(f.clusters) {
		if len(out) < f.options.MaxClusters {
			out = append(out, f.clusters[key])
		}
	}
	return out
}

// ownPools are the NodePools of each cluster.
func (f *Fleet) ownPools() map[types.NamespacedName][]hyperv1.NodePool {
	own := map[types.NamespacedName][]hyperv1.NodePool{}
	for _, key := range sorted(f.pools) {
		np := f.pools[key]
		of := types.NamespacedName{Namespace: np.Namespace, Name: np.Spec.ClusterName}
		own[of] = append(own[of], *np)
	}
	return own
}

// cause makes a report as grave as the last look into the cluster, and returns the root cause that this has found. A
// look at another phase of the cluster is out of date.
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
