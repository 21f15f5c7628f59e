package hostedcluster

import (
	"context"
	"slices"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

const progressGroup = "hosted cluster"

// milestones are the steps after the objects are written, each after the one before, as far as the Wait says.
func (p *Plan) milestones() []step.Step {
	all := []struct {
		id, title string
		until     Wait
		check     func(context.Context, *hyperv1.HostedCluster) step.Finding
	}{
		{"accepted", "accepted by the HyperShift operator", WaitAPI, judged(accepted)},
		{"infrastructure", "addresses for the API server and Routes", WaitAPI, judged(infrastructure)},
		{"etcd", "etcd", WaitAPI, judged(etcd)},
		{"api", "API server answers", WaitAPI, p.apiAnswers},
		{"machines", "worker VMs", WaitNodes, p.machinesReady},
		{"nodes", "nodes", WaitNodes, p.nodesReady},
		{"rollout", "cluster operators rolled out", WaitComplete, judged(rollout)},
	}
	order := Waits()
	before := []step.ID{hostedClusterStep, nodePoolStep}
	var steps []step.Step
	for _, m := range all {
		if slices.Index(order, m.until) > slices.Index(order, p.Options.Wait) {
			continue
		}
		s := step.Step{ID: step.ID("cluster/" + m.id), Title: m.title, Group: progressGroup, Needs: before, Check: p.following(m.check)}
		steps, before = append(steps, s), []step.ID{s.ID}
	}
	return steps
}

func judged(judge func(*hyperv1.HostedCluster) step.Finding) func(context.Context, *hyperv1.HostedCluster) step.Finding {
	return func(_ context.Context, hc *hyperv1.HostedCluster) step.Finding { return judge(hc) }
}

// following reads the HostedCluster, and asks the milestone unless the cluster is past all hope.
func (p *Plan) following(check func(context.Context, *hyperv1.HostedCluster) step.Finding) func(context.Context) step.Finding {
	return func(ctx context.Context) step.Finding {
		hc := &hyperv1.HostedCluster{}
		err := p.client.Get(ctx, p.key(), hc)
		switch {
		case apierrors.IsNotFound(err):
			return step.Stuck("deleted by someone while it was being created").On("HostedCluster %s", p.key())
		case err != nil:
			return kube.Unread(err).On("HostedCluster %s", p.key())
		case hc.DeletionTimestamp != nil:
			return step.Stuck("being deleted by someone while it was being created").On("HostedCluster %s", p.key())
		}
		if f, hopeless := hostedClusterConditions(hc).hopeless(); hopeless {
			return f
		}
		return check(ctx, hc)
	}
}

// apiAnswers holds once the API server answers to the admin kubeconfig, asked from here.
func (p *Plan) apiAnswers(ctx context.Context, hc *hyperv1.HostedCluster) step.Finding {
	f := available(hc)
	if f.State != step.OK {
		return f
	}
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: hc.Namespace, Name: hc.Status.KubeConfig.Name}
	if err := p.client.Get(ctx, key, secret); apierrors.IsNotFound(err) {
		return step.Waiting("the kubeconfig is not written yet").On("Secret %s", key)
	} else if err != nil {
		return kube.Unread(err).On("Secret %s", key)
	}
	if err := p.answers(ctx, secret.Data[KubeconfigKey]); err != nil {
		return step.Waiting("the operator says it is available, but from here it does not answer: %s", kube.Explain(err)).
			On("HostedCluster %s", kube.Name(hc)).
			WithHint("its load balancer address must be reachable from this machine").
			Again(time.Second)
	}
	return step.Okay("the API server answers").On("HostedCluster %s", kube.Name(hc))
}

func (p *Plan) machinesReady(ctx context.Context, hc *hyperv1.HostedCluster) step.Finding {
	np, f := p.nodePool(ctx)
	if np == nil {
		return f
	}
	var vms kubevirtv1.VirtualMachineList
	namespace := ControlPlaneNamespace(hc.Namespace, hc.Name)
	if err := p.client.List(ctx, &vms, client.InNamespace(namespace)); err != nil {
		return kube.Unread(err).On("VirtualMachines in namespace %s", namespace)
	}
	return machines(np, vms.Items)
}

func (p *Plan) nodesReady(ctx context.Context, _ *hyperv1.HostedCluster) step.Finding {
	np, f := p.nodePool(ctx)
	if np == nil {
		return f
	}
	return nodes(np)
}

// nodePool returns nil and a finding if it cannot be read or is past all hope.
func (p *Plan) nodePool(ctx context.Context) (*hyperv1.NodePool, step.Finding) {
	np := &hyperv1.NodePool{}
	err := p.client.Get(ctx, p.key(), np)
	switch {
	case apierrors.IsNotFound(err):
		return nil, step.Stuck("deleted by someone while the cluster was being created").On("NodePool %s", p.key())
	case err != nil:
		return nil, kube.Unread(err).On("NodePool %s", p.key())
	}
	if f, hopeless := nodePoolConditions(np).hopeless(); hopeless {
		return nil, f
	}
	return np, step.Finding{}
}

// key is that of the HostedCluster and of the NodePool alike.
func (p *Plan) key() client.ObjectKey {
	return client.ObjectKey{Namespace: p.Options.Namespace, Name: p.Options.Name}
}
