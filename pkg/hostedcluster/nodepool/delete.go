package nodepool

import (
	"context"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// Deletion is a prepared deletion of one NodePool.
type Deletion struct {
	target
	// Last is set if the hosted cluster has no other pool and is not being deleted itself: it will have no workers.
	Last bool
	// Wait is WaitNone or WaitGone.
	Wait Wait
}

// PrepareDelete finds the pool and only reads. It returns a *hostedcluster.PoolNotFoundError or
// *hostedcluster.PausedError, or the error of a read. A pool whose hosted cluster no longer exists can be deleted.
func PrepareDelete(ctx context.Context, c *kube.Client, namespace, name string, wait Wait) (*Deletion, error) {
	t, err := find(ctx, c, namespace, name)
	if err != nil {
		return nil, err
	}
	// A paused pool can be deleted. A paused cluster cannot remove its machines.
	if t.Cluster != nil {
		if err := hostedcluster.CheckNotPaused(t.Cluster, nil, c.Now()); err != nil {
			return nil, err
		}
	}
	pools, err := hostedcluster.Pools(ctx, c, namespace, t.Pool.Spec.ClusterName)
	if err != nil {
		return nil, err
	}
	others := 0
	for i := range pools {
		if pools[i].Name != name && pools[i].DeletionTimestamp == nil {
			others++
		}
	}
	last := others == 0 && t.Cluster != nil && t.Cluster.DeletionTimestamp == nil
	return &Deletion{target: t, Last: last, Wait: wait}, nil
}

// Steps returns the steps that delete the pool, and wait until it is gone as Wait requires.
func (d *Deletion) Steps() []step.Step {
	steps := []step.Step{{
		ID: deletedStep, Title: "NodePool " + d.Pool.Name +
			" is deleted", Group: poolGroup, Check: d.client.Reading(d.deleted), Apply: d.delete,
	}}
	if d.Wait == WaitNone {
		return steps
	}
	needs := []step.ID{deletedStep}
	if d.Cluster == nil || hostedcluster.PlatformOf(d.Cluster).HasVMs() {
		steps = append(steps, step.Step{ID: vanishStep, Title: "its worker VMs are gone", Group: poolGroup, Needs: needs,
			Check: d.client.Reading(d.machinesGone)})
		needs = []step.ID{vanishStep}
	}
	return append(steps, step.Step{ID: goneStep, Title: "NodePool " + d.Pool.Name + " is gone", Group: poolGroup,
		Needs: needs, Check: d.client.Reading(d.gone)})
}

// pool reads the pool with the UID of d.Pool. It returns nil if that no longer exists.
func (d *Deletion) pool(ctx context.Context, r kube.Reader) (*hyperv1.NodePool, error) {
	np := &hyperv1.NodePool{}
	err := r.Get(ctx, client.ObjectKeyFromObject(d.Pool), np)
	if apierrors.IsNotFound(err) || err == nil && np.UID != d.Pool.UID {
		return nil, nil
	}
	return np, err
}

func (d *Deletion) deleted(ctx context.Context, r kube.Reader) step.Finding {
	np, err := d.pool(ctx, r)
	switch {
	case err != nil:
		return kube.Unknown(err).On("NodePool %s", kube.Name(d.Pool))
	case np == nil:
		return step.OK("gone").On("NodePool %s", kube.Name(d.Pool))
	case np.DeletionTimestamp == nil:
		return step.Missing("still there").On("NodePool %s", kube.Name(d.Pool))
	}
	return step.OK("being deleted").On("NodePool %s", kube.Name(d.Pool))
}

// delete deletes the pool by its UID, so never a new pool of the same name.
func (d *Deletion) delete(ctx context.Context) (step.Change, error) {
	return d.client.DeleteByUID(ctx, d.Pool.DeepCopy())
}

func (d *Deletion) machinesGone(ctx context.Context, r kube.Reader) step.Finding {
	vms, err := hostedcluster.PoolMachines(ctx, r, d.Pool)
	if err != nil && !kube.IsKindMissing(err) {
		return kube.Unknown(err).On("VirtualMachines in namespace %s",
			hostedcluster.ControlPlaneNamespace(d.Pool.Namespace, d.Pool.Spec.ClusterName))
	}
	var left []*kubevirtv1.VirtualMachine
	for i := range vms {
		if vms[i].Labels[hyperv1.NodePoolNameLabel] == d.Pool.Name {
			left = append(left, &vms[i])
		}
	}
	if len(left) == 0 {
		return step.OK("no worker VM is left").On("NodePool %s", kube.Name(d.Pool))
	}
	f := step.Pending("%s left: its node is being drained", plural.Count(len(left), "worker VM"))
	if left[0].DeletionTimestamp != nil {
		f = step.Pending("%s left: being removed", plural.Count(len(left), "worker VM"))
	}
	return f.On("VirtualMachine %s", kube.Name(left[0])).
		WithHint("if that lasts, a pod disruption budget in the hosted cluster may hold up the draining: %s",
			hint.Run("exec", hostedcluster.Argument(d.Pool.Namespace, d.Pool.Spec.ClusterName), "--", "oc", "get", "pdb",
				"-A"))
}

func (d *Deletion) gone(ctx context.Context, r kube.Reader) step.Finding {
	np, err := d.pool(ctx, r)
	switch {
	case err != nil:
		return kube.Unknown(err).On("NodePool %s", kube.Name(d.Pool))
	case np == nil:
		return step.OK("gone").On("NodePool %s", kube.Name(d.Pool))
	}
	return step.Pending("being removed by its operator; finalizers: %s", strings.Join(np.Finalizers, ", ")).
		On("NodePool %s", kube.Name(d.Pool))
}
