package follow

import (
	"context"
	"sync/atomic"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

const progressGroup = "hosted cluster"

// The IDs of the milestones of a hosted cluster.
const (
	acceptedStep       step.ID = "cluster/accepted"
	infrastructureStep step.ID = "cluster/infrastructure"
	etcdStep           step.ID = "cluster/etcd"
	// APIStep is the milestone of an API server that answers.
	APIStep      step.ID = "cluster/api"
	machinesStep step.ID = "cluster/machines"
	nodesStep    step.ID = "hosted/nodes"
	rolloutStep  step.ID = "cluster/rollout"
	healthyStep  step.ID = "cluster/healthy"
	adviceStep   step.ID = "cluster/advice"
)

// Cluster follows one hosted cluster from its objects to the end of its rollout.
type Cluster struct {
	// Namespace and Name of the HostedCluster.
	Namespace, Name string
	// Pools are the names of the NodePools to wait for; nil means all.
	Pools []string
	// StableFor is how long the cluster has to stay healthy, for options.WaitHealthy.
	StableFor time.Duration

	client *kube.Client
	guest  *guest.CachedClient
	// ingress creates the ingress; nil if hcctl only waits for the cluster.
	ingress *ingress
	// probe requests /readyz of a hosted API server.
	probe func(ctx context.Context, cfg *rest.Config) error
	// components are the components that the control plane waits for.
	components components
	// seen is the HostedCluster that the last milestone read.
	seen atomic.Pointer[hyperv1.HostedCluster]
}

// New returns a Cluster for a hosted cluster that exists or will exist. Pools are the names of the NodePools to wait
// for.
func New(c *kube.Client, namespace, name string, pools ...string) *Cluster {
	return &Cluster{Namespace: namespace, Name: name, Pools: pools, client: c, guest: &guest.CachedClient{},
		probe: probeReadyz}
}

// clusterCheck checks a HostedCluster that has just been read.
type clusterCheck func(context.Context, kube.Reader, *hyperv1.HostedCluster) step.Finding

// poolCheck checks a NodePool that has just been read.
type poolCheck func(context.Context, kube.Reader, *hyperv1.NodePool) step.Finding

// Steps returns the milestones up to until, each after the one before. The first needs before.
func (f *Cluster) Steps(until options.Wait, before ...step.ID) []step.Step {
	all := []struct {
		id    step.ID
		title string
		until options.Wait
		check clusterCheck
	}{
		{acceptedStep, "accepted by the HyperShift operator", options.WaitAPI, fromStatus(accepted)},
		{infrastructureStep, "addresses for the API server and Routes", options.WaitAPI,
			f.withPublished(f.withCause(fromStatus(infrastructure)))},
		{etcdStep, "etcd", options.WaitAPI, f.withCause(fromStatus(etcd))},
		{APIStep, "API server answers", options.WaitAPI, f.withCause(f.apiAnswers)},
		{machinesStep, "worker VMs", options.WaitNodes, stillAvailable(f.machinesReady)},
		{nodesStep, "nodes", options.WaitNodes, stillAvailable(f.nodesReady)},
		{rolloutStep, "cluster operators rolled out", options.WaitComplete, stillAvailable(f.rolledOut)},
		{healthyStep, "healthy", options.WaitHealthy, (&status.Stable{For: f.StableFor}).Check},
	}
	var steps []step.Step
	for _, m := range all {
		if !until.Reaches(m.until) {
			continue
		}
		s := step.Step{ID: m.id, Title: m.title, Group: progressGroup, Needs: before,
			Check: f.client.Reading(f.withHostedCluster(m.check))}
		steps, before = append(steps, s), []step.ID{s.ID}
		if m.id == nodesStep && f.ingress != nil {
			// The router runs on the nodes, and the rollout needs the ingress.
			for _, way := range f.ingress.steps(f, s.ID) {
				steps, before = append(steps, way), append(before, way.ID)
			}
		}
	}
	if until.Reaches(options.WaitNodes) {
		steps = append(steps, step.Step{
			ID:       adviceStep,
			Title:    "advice",
			Group:    progressGroup,
			Severity: step.Advisory,
			Needs:    before,
			Check:    f.client.Reading(f.withSeen(f.adviceFinding)),
		})
		before = append(before, adviceStep)
	}
	if until == options.WaitComplete {
		// Complete is what the operators report: this last step reports what is not healthy even so.
		steps = append(steps, step.Step{ID: healthyStep, Title: "healthy", Group: progressGroup, Severity: step.Advisory,
			Needs: before, Check: f.client.Reading(f.withSeen(status.Advice))})
	}
	return steps
}

func fromStatus(judge func(*hyperv1.HostedCluster) step.Finding) clusterCheck {
	return func(_ context.Context, _ kube.Reader, hc *hyperv1.HostedCluster) step.Finding { return judge(hc) }
}

// withHostedCluster reads the HostedCluster for a check. A terminal condition ends the step instead.
func (f *Cluster) withHostedCluster(check clusterCheck) kube.Check {
	return func(ctx context.Context, r kube.Reader) step.Finding {
		hc := &hyperv1.HostedCluster{}
		err := r.Get(ctx, f.key(), hc)
		switch {
		case apierrors.IsNotFound(err):
			return step.Broken("deleted while hcctl waited for it").On("HostedCluster %s", f.key())
		case err != nil:
			return kube.Unknown(err).On("HostedCluster %s", f.key())
		case hc.DeletionTimestamp != nil:
			return step.Broken("being deleted, so hcctl stops waiting for it").On("HostedCluster %s", f.key())
		}
		f.seen.Store(hc)
		if found, over := conditions.OfCluster(hc).Terminal(); over {
			return found
		}
		return check(ctx, r, hc)
	}
}

// Reading turns a check of the HostedCluster into a kube.Check that first reads it. A terminal condition ends the step
// instead.
func (f *Cluster) Reading(check func(context.Context, kube.Reader, *hyperv1.HostedCluster) step.Finding) kube.Check {
	return f.withHostedCluster(check)
}

// withSeen runs a check on the HostedCluster that the last milestone read, which is recent. If there is none, it reads
// it.
func (f *Cluster) withSeen(check clusterCheck) kube.Check {
	return func(ctx context.Context, r kube.Reader) step.Finding {
		if hc := f.Seen(); hc != nil {
			return check(ctx, r, hc)
		}
		return f.withHostedCluster(check)(ctx, r)
	}
}

// Seen returns the HostedCluster that the last milestone read, or nil before the first one. It saves a read. Do not
// change it.
func (f *Cluster) Seen() *hyperv1.HostedCluster { return f.seen.Load() }

// key is the key of the HostedCluster.
func (f *Cluster) key() client.ObjectKey {
	return client.ObjectKey{Namespace: f.Namespace, Name: f.Name}
}
