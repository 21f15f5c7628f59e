package exporter

import (
	"time"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/follow"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// collect makes all series.
func (f *Fleet) collect(now time.Time) *series {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := &collection{Fleet: f, series: newSeries(), labels: map[string][]string{}, now: now}
	for _, m := range Metrics() {
		c.labels[m.Name] = m.Labels
	}
	c.labels[clusterLabels] = append(c.labels[clusterLabels], f.labelNames...)
	c.put(buildInfo, 1, shaped(versionForm, f.options.Version))
	c.putTime(startTime, f.started)
	for _, kind := range []string{hostedcluster.HostedClusterKind, hostedcluster.NodePoolKind} {
		c.put(sourceUp, number(f.up[kind]), kind)
	}
	if f.options.Expiry {
		c.put(sourceUp, number(f.up[secretKind]), secretKind)
	}
	if f.options.Causes {
		c.put(sourceUp, number(f.up[causesKind]), causesKind)
	}
	c.fleet()
	return c.series
}

// collection holds the series of one response.
type collection struct {
	*Fleet
	*series
	labels map[string][]string
	now    time.Time
}

func (c *collection) put(metric string, value float64, labels ...string) {
	c.add(metric, value, c.labels[metric], labels)
}

// putTime adds a time in seconds since 1970. It leaves out the zero time.
func (c *collection) putTime(metric string, t time.Time, labels ...string) {
	if !t.IsZero() {
		c.put(metric, float64(t.Unix()), labels...)
	}
}

func number(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// state is a combination of phase and health, by which hosted clusters are counted.
type state struct {
	phase  status.Phase
	health status.Health
}

// fleet adds the numbers of all hosted clusters. Every combination of phase and health has a series, so that
// sums are complete.
func (c *collection) fleet() {
	own := c.ownPools()
	counts := map[state]int{}
	keys := sorted(c.clusters)
	for i, key := range keys {
		hc := c.clusters[key]
		report := status.Brief(hc, own[key], c.now)
		cause := c.cause(key, report)
		counts[state{report.Phase, report.Health}]++
		if i < c.options.MaxClusters {
			c.cluster(hc, own[key], report)
			c.putCause(hc, cause)
		}
	}
	c.put(leftOut, float64(max(0, len(keys)-c.options.MaxClusters)))
	for _, phase := range status.Phases() {
		for _, health := range status.Healths() {
			c.put(fleetSize, float64(counts[state{phase, health}]), string(phase), health.String())
		}
	}
}

// cluster adds the series of one hosted cluster.
func (c *collection) cluster(hc *hyperv1.HostedCluster, pools []hyperv1.NodePool, r *status.Report) {
	namespace, name := bounded(hc.Namespace), bounded(hc.Name)
	c.put(clusterState, 1, namespace, name, string(r.Phase), r.Health.String())
	c.put(clusterInfo, 1, namespace, name, shaped(versionForm, r.Version), shaped(versionForm, r.Desired))
	if len(c.labelNames) > 0 {
		values := []string{namespace, name}
		for _, label := range c.options.Labels {
			values = append(values, bounded(hc.Labels[label]))
		}
		c.put(clusterLabels, 1, values...)
	}
	created := hc.CreationTimestamp.Time
	c.putTime(clusterCreated, created, namespace, name)
	if hc.DeletionTimestamp != nil {
		c.putTime(clusterDeletion, hc.DeletionTimestamp.Time, namespace, name)
	}
	for _, m := range follow.MilestoneTimes(hc, pools) {
		if !m.At.IsZero() && !created.IsZero() {
			c.put(milestoneSeconds, max(0, m.At.Sub(created).Seconds()), namespace, name, m.Name)
		}
	}
	c.rollout(hc, namespace, name)
	c.expiry(client.ObjectKeyFromObject(hc), namespace, name)
	c.blocked(namespace, name, hostedcluster.HostedClusterKind, &r.HostedCluster)
	for i := range r.NodePools.Parts {
		c.blocked(namespace, name, hostedcluster.NodePoolKind, &r.NodePools.Parts[i])
	}
	if !hostedcluster.PlatformOf(hc).MakesNodes() {
		return
	}
	for i := range pools {
		np := &pools[i]
		c.put(poolNodes, float64(np.Status.Replicas), namespace, bounded(np.Name), name)
		c.put(poolDesired, float64(hostedcluster.SizeOf(np).Min), namespace, bounded(np.Name), name)
	}
}

// rollout adds the start of the running roll-out, and the duration of the last complete one.
func (c *collection) rollout(hc *hyperv1.HostedCluster, namespace, name string) {
	if hc.Status.Version == nil {
		return
	}
	history := hc.Status.Version.History
	if len(history) > 0 && history[0].State == configv1.PartialUpdate {
		c.putTime(rolloutStarted, history[0].StartedTime.Time, namespace, name)
	}
	for _, h := range history {
		if h.State == configv1.CompletedUpdate && h.CompletionTime != nil {
			c.put(rolloutSeconds, max(0, h.CompletionTime.Sub(h.StartedTime.Time).Seconds()), namespace, name)
			return
		}
	}
}

// blocked adds the bad conditions of an object.
func (c *collection) blocked(namespace, name, kind string, p *status.Part) {
	for _, sub := range p.Parts {
		if sub.Reason == "" && sub.Since.IsZero() {
			continue // not a condition
		}
		since := max(0, sub.Since.Unix())
		c.put(blockedSince, float64(since), namespace, name, kind, bounded(p.Name), shaped(word, sub.Name),
			c.reason(sub.Reason), sub.Health.String())
	}
}
