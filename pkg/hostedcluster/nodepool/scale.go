package nodepool

import (
	"context"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// ParseSize returns the size of the flags --replicas, --min-replicas and --max-replicas; nil means that a flag was not
// given. It returns an *options.Error unless the flags are either replicas or both min and max, within the limits of
// HyperShift's CRD (autoscaling on KubeVirt needs at least one node).
func ParseSize(replicas, minReplicas, maxReplicas *int32) (hostedcluster.Size, error) {
	switch {
	case replicas == nil && minReplicas == nil && maxReplicas == nil:
		return hostedcluster.Size{}, options.Errorf("replicas", "", "how many? Give %s N, or %s A and %s B for autoscaling",
			hint.Flag("replicas"), hint.Flag("min-replicas"), hint.Flag("max-replicas"))
	case replicas != nil && (minReplicas != nil || maxReplicas != nil):
		return hostedcluster.Size{}, options.Errorf("replicas", fmt.Sprint(*replicas),
			"a pool has either a fixed number of nodes or is scaled automatically: give %s, or %s and %s",
			hint.Flag("replicas"), hint.Flag("min-replicas"), hint.Flag("max-replicas"))
	case replicas != nil && *replicas < 0:
		return hostedcluster.Size{}, options.Errorf("replicas", fmt.Sprint(*replicas),
			"the number of workers cannot be negative")
	case replicas != nil:
		return hostedcluster.Size{Min: int(*replicas), Max: int(*replicas)}, nil
	case minReplicas == nil:
		return hostedcluster.Size{}, options.Errorf("min-replicas", "", "needed with %s: autoscaling has both bounds",
			hint.Flag("max-replicas"))
	case maxReplicas == nil:
		return hostedcluster.Size{}, options.Errorf("max-replicas", "", "needed with %s: autoscaling has both bounds",
			hint.Flag("min-replicas"))
	case *minReplicas < 1:
		return hostedcluster.Size{}, options.Errorf("min-replicas", fmt.Sprint(*minReplicas),
			"autoscaling keeps at least one node on KubeVirt; %s takes all away",
			hint.Run("scale", "NAME").Flag("replicas", "0"))
	case *maxReplicas < *minReplicas:
		return hostedcluster.Size{}, options.Errorf("max-replicas", fmt.Sprint(*maxReplicas), "less than %s %d",
			hint.Flag("min-replicas"), *minReplicas)
	}
	return hostedcluster.Size{Min: int(*minReplicas), Max: int(*maxReplicas), Auto: true}, nil
}

// Scaling is a prepared change of a NodePool's size.
type Scaling struct {
	target
	// From is the size as it was read, To the requested one.
	From, To hostedcluster.Size
	// Wait is WaitNone or WaitNodes.
	Wait Wait
	// Notes are messages for the user.
	Notes []string
}

// PrepareScale finds the pool, checks whether its size can be changed, and only reads. It returns a
// *hostedcluster.PoolNotFoundError, *hostedcluster.PausedError, an error if the workers are stopped, a *PlacementError
// if the pool grows and cannot be placed, or the error of a read.
func PrepareScale(ctx context.Context, c *kube.Client, namespace, name string, to hostedcluster.Size,
	wait Wait) (*Scaling, error) {
	t, err := find(ctx, c, namespace, name)
	if err != nil {
		return nil, err
	}
	if err := t.checkWritable(c.Now()); err != nil {
		return nil, err
	}
	if err := hostedcluster.CheckSizes(t.Cluster); err != nil {
		return nil, err
	}
	if _, stopped := stoppedSize(t.Pool); stopped && hostedcluster.SizeOf(t.Pool) == (hostedcluster.Size{}) {
		cluster := t.Pool.Spec.ClusterName
		return nil, failure.New(failure.Other, hint.Run("start", hostedcluster.Argument(namespace, cluster)).Text(),
			"the workers of hosted cluster %s are stopped, those of NodePool %s/%s with them", cluster, namespace, name)
	}
	from := hostedcluster.SizeOf(t.Pool)
	var notes []string
	if to.Max > from.Max {
		if notes, err = checkPlacement(ctx, c, t.Cluster, t.Pool, to); err != nil {
			return nil, err
		}
	}
	return &Scaling{target: t, From: from, To: to, Wait: wait, Notes: notes}, nil
}

// Steps returns the steps that write the size, and wait for the pool as far as Wait requires.
func (s *Scaling) Steps() []step.Step {
	steps := []step.Step{{
		ID: sizeStep, Title: fmt.Sprintf("size of NodePool %s: %s", s.Pool.Name, s.To), Group: poolGroup,
		Check: s.client.Reading(s.sized), Apply: s.resize,
	}}
	if s.Wait == WaitNone {
		return steps
	}
	return append(steps, s.follow(poolPrefix, sizeIs(s.To), sizeStep)...)
}

func (s *Scaling) sized(ctx context.Context, r kube.Reader) step.Finding {
	np, f := hostedcluster.Reread(ctx, r, s.Pool)
	if np == nil {
		return f
	}
	if have := hostedcluster.SizeOf(np); have != s.To {
		return step.Missing("set to %s, to be changed to %s", have.Nodes(), s.To).On("NodePool %s", kube.Name(np))
	}
	return step.OK("set to %s", s.To.Nodes()).On("NodePool %s", kube.Name(np))
}

func (s *Scaling) resize(ctx context.Context) (step.Change, error) {
	np := &hyperv1.NodePool{}
	if err := s.client.Get(ctx, client.ObjectKeyFromObject(s.Pool), np); err != nil {
		return "", fmt.Errorf("NodePool %s: %w", kube.Name(s.Pool), err)
	}
	if have := hostedcluster.SizeOf(np); have != s.From && have != s.To {
		return "", &hostedcluster.ChangedError{Object: "NodePool " + kube.Name(np), Field: "its size", Was: s.From.String(),
			Is: have.String()}
	}
	return hostedcluster.Edit(ctx, s.client, np, map[string]any{"spec": s.To.Spec()})
}

// sizeIs returns a check whether a pool still has the size that was written.
func sizeIs(want hostedcluster.Size) func(*hyperv1.NodePool) (step.Finding, bool) {
	return func(np *hyperv1.NodePool) (step.Finding, bool) {
		have := hostedcluster.SizeOf(np)
		if have == want {
			return step.Finding{}, true
		}
		return step.Broken("another client changed its size from %s to %s meanwhile", want, have).
			On("NodePool %s", kube.Name(np)).
			WithHint("%s sets it again", hint.Run("scale", hostedcluster.Argument(np.Namespace, np.Name))), false
	}
}
