package follow

import (
	"cmp"
	"context"
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// PoolGoalSteps returns steps that end when a NodePool has reached every goal.
func PoolGoalSteps(c *kube.Client, namespace, name string, goals []Goal) []step.Step {
	p := poolWaiter{types.NamespacedName{Namespace: namespace, Name: name}}
	var steps []step.Step
	for i, g := range goals {
		if !slices.Contains(goals[:i], g) {
			steps = append(steps, step.Step{ID: goalStep(g), Title: g.String(), Group: waitGroup, Check: c.Reading(p.check(g))})
		}
	}
	return steps
}

// check returns the check of a goal.
func (p poolWaiter) check(g Goal) kube.Check {
	switch g.Name {
	case "deleted":
		return p.gone
	case "ready":
		return p.withNodePool(true, p.ready)
	case "replicas":
		return p.withNodePool(true, ofPool(func(np *hyperv1.NodePool) step.Finding { return atReplicas(np, g.Replicas) }))
	case "version":
		return p.withNodePool(true, ofPool(func(np *hyperv1.NodePool) step.Finding { return poolAtVersion(np, g.Version) }))
	default:
		return p.withNodePool(g.Status == "True", ofPool(func(np *hyperv1.NodePool) step.Finding {
			return matches(conditions.OfPool(np), g)
		}))
	}
}

// ofPool turns a function of a NodePool into a check that reads nothing else.
func ofPool(judge func(*hyperv1.NodePool) step.Finding) poolCheck {
	return func(_ context.Context, _ kube.Reader, np *hyperv1.NodePool) step.Finding { return judge(np) }
}

type poolWaiter struct {
	key types.NamespacedName
}

// withNodePool reads the NodePool for a check. If early is set, a terminal condition ends the step instead.
func (p poolWaiter) withNodePool(early bool, check poolCheck) kube.Check {
	return func(ctx context.Context, r kube.Reader) step.Finding {
		np := &hyperv1.NodePool{}
		err := r.Get(ctx, p.key, np)
		switch {
		case apierrors.IsNotFound(err):
			return step.Broken("deleted while hcctl waited for it").On("NodePool %s", p.key)
		case err != nil:
			return kube.Unknown(err).On("NodePool %s", p.key)
		}
		if f, over := conditions.OfPool(np).Terminal(); early && over {
			return f
		}
		return check(ctx, r, np)
	}
}

func (p poolWaiter) gone(ctx context.Context, r kube.Reader) step.Finding {
	np := &hyperv1.NodePool{}
	err := r.Get(ctx, p.key, np)
	switch {
	case apierrors.IsNotFound(err):
		return step.OK("gone").On("NodePool %s", p.key)
	case err != nil:
		return kube.Unknown(err).On("NodePool %s", p.key)
	case np.DeletionTimestamp == nil:
		return step.Pending("still there, and nobody has asked for its deletion").On("NodePool %s", p.key).
			WithHint("%s", hint.Run("delete nodepool", p.key.Name).Flag("namespace", p.key.Namespace))
	}
	return step.Pending("being deleted").On("NodePool %s", p.key)
}

// ready is OK when all VMs and nodes are ready and the pool is not updating.
func (p poolWaiter) ready(ctx context.Context, r kube.Reader, np *hyperv1.NodePool) step.Finding {
	hc, key := &hyperv1.HostedCluster{}, types.NamespacedName{Namespace: np.Namespace, Name: np.Spec.ClusterName}
	if err := r.Get(ctx, key, hc); err != nil {
		return kube.Unknown(err).On("HostedCluster %s", key)
	}
	platform := hostedcluster.PlatformOf(hc)
	if !platform.MakesNodes() {
		return step.OK("%s", platform.NotJudged()).On("NodePool %s", kube.Name(np))
	}
	if platform.HasVMs() {
		vms, err := hostedcluster.PoolMachines(ctx, r, np)
		if err != nil {
			return kube.Unknown(err).On("VirtualMachines in namespace %s",
				hostedcluster.ControlPlaneNamespace(np.Namespace, np.Spec.ClusterName))
		}
		if f := Machines(np, vms); f.State != step.StateOK {
			return f
		}
	}
	// The finding about nodes is more helpful than that about an update, but it needs conditions of this generation.
	f, nodes := updating(np), Nodes(np)
	if f.State != step.StateOK && (nodes.State == step.StateOK || !conditions.OfPool(np).Observed()) {
		return f
	}
	return nodes
}

// updating is OK when the operator reports, for the newest change, that the pool changes neither its version nor its
// configuration.
func updating(np *hyperv1.NodePool) step.Finding {
	r := conditions.OfPool(np)
	if !r.Observed() {
		return unprocessed(r)
	}
	for _, t := range updateConditions {
		if c := r.Get(t); c.True() {
			return r.Waiting(c)
		}
	}
	return step.OK("not updating").On("%s", r.Object)
}

func atReplicas(np *hyperv1.NodePool, n int) step.Finding {
	object := "NodePool " + kube.Name(np)
	if int(np.Status.Replicas) == n {
		return step.OK("%s", plural.Count(n, "node")).On("%s", object)
	}
	if want := hostedcluster.SizeOf(np).Min; want != n && np.Spec.AutoScaling == nil {
		nodes := plural.Count(int(np.Status.Replicas), "node")
		return step.Pending("%s, and its size is set to %d", nodes, want).On("%s", object).
			WithHint("%s", hint.Run("scale", hostedcluster.Argument(np.Namespace, np.Name)).Flag("replicas", n))
	}
	return step.Pending("%d of %d nodes", np.Status.Replicas, n).On("%s", object)
}

func poolAtVersion(np *hyperv1.NodePool, version string) step.Finding {
	if f := updating(np); f.State != step.StateOK {
		return f
	}
	if np.Status.Version == version {
		return step.OK("all nodes at %s", version).On("NodePool %s", kube.Name(np))
	}
	return step.Pending("is at %s", cmp.Or(np.Status.Version, "no version yet")).On("NodePool %s", kube.Name(np)).
		WithHint("%s", hint.Run("upgrade nodepool", hostedcluster.Argument(np.Namespace, np.Name)).Flag("version", version))
}
