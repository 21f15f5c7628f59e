package follow

import (
	"context"
	"slices"
	"sync/atomic"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/guest"
	"github.com/hcctl/hcctl/pkg/guest/adminkubeconfig"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

const progressGroup = "hosted cluster"

// The IDs of the milestones on a hosted cluster's way.
const (
	acceptedStep       step.ID = "cluster/accepted"
	infrastructureStep step.ID = "cluster/infrastructure"
	etcdStep           step.ID = "cluster/etcd"
	apiStep            step.ID = "cluster/api"
	machinesStep       step.ID = "cluster/machines"
	nodesStep          step.ID = "cluster/nodes"
	rolloutStep        step.ID = "cluster/rollout"
	adviceStep         step.ID = "cluster/advice"
)

// Cluster follows one hosted cluster from its objects to the end of its roll-out.
type Cluster struct {
	// Namespace and Name of the HostedCluster.
	Namespace, Name string
	// Pools are the names of the NodePools that count; nil means all that the cluster has.
	Pools []string

	client *kube.Client
	guest  *guest.Watched
	// ingress is what hcctl makes of the way in while it follows; nil where it only looks on.
	ingress *ingress
	// answers asks the API server of a kubeconfig whether it is ready.
	answers func(ctx context.Context, access *adminkubeconfig.Access) error
	// seen is what a milestone has read last.
	seen atomic.Pointer[hyperv1.HostedCluster]
}

// New is for a hosted cluster that exists, or is about to. Pools are those of Following.
func New(c *kube.Client, namespace, name string, pools ...string) *Cluster {
	return &Cluster{Namespace: namespace, Name: name, Pools: pools, client: c, guest: &guest.Watched{}, answers: answers}
}

// Steps are the milestones, each after the one before, as far as until says. The first needs before.
func (f *Cluster) Steps(until options.Wait, before ...step.ID) []step.Step {
	all := []struct {
		id    step.ID
		title string
		until options.Wait
		check func(context.Context, *hyperv1.HostedCluster) step.Finding
	}{
		{acceptedStep, "accepted by the HyperShift operator", options.WaitAPI, judged(accepted)},
		{infrastructureStep, "addresses for the API server and Routes", options.WaitAPI, f.because(judged(infrastructure))},
		{etcdStep, "etcd", options.WaitAPI, f.because(judged(etcd))},
		{apiStep, "API server answers", options.WaitAPI, f.because(f.apiAnswers)},
		{machinesStep, "worker VMs", options.WaitNodes, f.machinesReady},
		{nodesStep, "nodes", options.WaitNodes, f.nodesReady},
		{rolloutStep, "cluster operators rolled out", options.WaitComplete, f.rolledOut},
	}
	order := options.Waits()
	var steps []step.Step
	for _, m := range all {
		if slices.Index(order, m.until) > slices.Index(order, until) {
			continue
		}
		s := step.Step{ID: m.id, Title: m.title, Group: progressGroup, Needs: before, Check: f.following(m.check)}
		steps, before = append(steps, s), []step.ID{s.ID}
		if m.id == nodesStep && f.ingress != nil {
			// The router runs on the nodes; what is behind it cannot roll out before there is a way in.
			for _, way := range f.ingress.steps(f, s.ID) {
				steps, before = append(steps, way), append(before, way.ID)
			}
		}
	}
	if slices.Index(order, until) >= slices.Index(order, options.WaitNodes) {
		steps = append(steps, step.Step{
			ID:       adviceStep,
			Title:    "advice",
			Group:    progressGroup,
			Severity: step.Advisory,
			Needs:    before,
			Check:    f.afterwards(f.advised),
		})
	}
	return steps
}

func judged(
	judge func(*hyperv1.HostedCluster) step.Finding,
) func(context.Context, *hyperv1.HostedCluster) step.Finding {
	return func(_ context.Context, hc *hyperv1.HostedCluster) step.Finding { return judge(hc) }
}

// following reads the HostedCluster, and asks the milestone unless the cluster is past all hope.
func (f *Cluster) following(
	check func(context.Context, *hyperv1.HostedCluster) step.Finding,
) func(context.Context) step.Finding {
	return func(ctx context.Context) step.Finding {
		hc := &hyperv1.HostedCluster{}
		err := f.client.Get(ctx, f.key(), hc)
		switch {
		case apierrors.IsNotFound(err):
			return step.Broken("deleted by someone while it was waited for").On("HostedCluster %s", f.key())
		case err != nil:
			return kube.Unread(err).On("HostedCluster %s", f.key())
		case hc.DeletionTimestamp != nil:
			return step.Broken("being deleted by someone while it was waited for").On("HostedCluster %s", f.key())
		}
		f.seen.Store(hc)
		if found, over := ClusterConditions(hc).Terminal(); over {
			return found
		}
		return check(ctx, hc)
	}
}

// afterwards asks of what the last milestone has read, which is over just now; where none has looked, it reads.
func (f *Cluster) afterwards(
	check func(context.Context, *hyperv1.HostedCluster) step.Finding,
) func(context.Context) step.Finding {
	return func(ctx context.Context) step.Finding {
		if hc := f.Seen(); hc != nil {
			return check(ctx, hc)
		}
		return f.following(check)(ctx)
	}
}

// Seen is the HostedCluster as the last milestone that looked has read it, for those who tell of it when all are
// reached: another read would only keep them waiting. Nil before the first look. It must not be changed.
func (f *Cluster) Seen() *hyperv1.HostedCluster { return f.seen.Load() }

// key is that of the HostedCluster.
func (f *Cluster) key() client.ObjectKey {
	return client.ObjectKey{Namespace: f.Namespace, Name: f.Name}
}
