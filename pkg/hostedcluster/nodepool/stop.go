package nodepool

import (
	"context"
	"fmt"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// stoppedSize returns the size to restore. It returns false for a pool that is not stopped or has an invalid
// annotation.
func stoppedSize(np *hyperv1.NodePool) (hostedcluster.Size, bool) {
	code, ok := np.Annotations[hostedcluster.StoppedAnnotation]
	if !ok {
		return hostedcluster.Size{}, false
	}
	return hostedcluster.ParseSize(code)
}

// Power is a prepared change that stops or starts a cluster's workers, with its pools as they were read.
type Power struct {
	client  *kube.Client
	Cluster *hyperv1.HostedCluster
	// Pools are the changes of the pools.
	Pools []PowerChange
	// Notes are messages for the user: pools that are not changed, and why.
	Notes []string
	// Stop is set if the workers are stopped; otherwise they are started.
	Stop bool
	// Changes is the number of pools whose size changes. The others are only waited for.
	Changes int
	// Wait is WaitNone or WaitNodes.
	Wait Wait
}

// PowerChange is the change of one pool.
type PowerChange struct {
	// Name of the pool, its size as it was read, and its new size.
	Name     string
	From, To hostedcluster.Size
	// Remember is the new value of the annotation; empty removes it.
	Remember string
	pool     *hyperv1.NodePool
}

// PrepareStop prepares the stop of the workers and only reads. Pools of size zero are not changed. It returns a
// *hostedcluster.NotFoundError or *hostedcluster.PausedError, or the error of a read.
func PrepareStop(ctx context.Context, c *kube.Client, namespace, name string, wait Wait) (*Power, error) {
	return preparePower(ctx, c, namespace, name, wait, true)
}

// PrepareStart prepares the start of the workers and only reads. It returns the errors of PrepareStop, or a
// *PlacementError if the workers cannot be placed any more.
func PrepareStart(ctx context.Context, c *kube.Client, namespace, name string, wait Wait) (*Power, error) {
	return preparePower(ctx, c, namespace, name, wait, false)
}

func preparePower(ctx context.Context, c *kube.Client, namespace, name string, wait Wait, stop bool) (*Power, error) {
	hc, err := hostedcluster.Find(ctx, c, namespace, name)
	if err != nil {
		return nil, err
	}
	if hc.DeletionTimestamp != nil {
		return nil, fmt.Errorf("HostedCluster %s is being deleted since %s", kube.Name(hc),
			hc.DeletionTimestamp.UTC().Format(time.RFC3339))
	}
	pools, err := hostedcluster.Pools(ctx, c, namespace, name)
	if err != nil {
		return nil, err
	}
	p := &Power{client: c, Cluster: hc, Stop: stop, Wait: wait}
	if err := hostedcluster.CheckNotPaused(hc, nil, c.Now()); err != nil {
		return nil, err
	}
	if err := hostedcluster.CheckSizes(hc); err != nil {
		return nil, err
	}
	for i := range pools {
		np := &pools[i]
		if np.DeletionTimestamp != nil {
			continue
		}
		change, note := stopChange(np)
		if !stop {
			change, note = startChange(np)
		}
		if note != "" {
			p.Notes = append(p.Notes, note)
		}
		if change == nil {
			continue
		}
		if change.From != change.To {
			if err := hostedcluster.CheckNotPaused(nil, np, c.Now()); err != nil {
				return nil, err
			}
			p.Changes++
		}
		p.Pools = append(p.Pools, *change)
	}
	return p, p.checkStart(ctx)
}

// stopChange returns the change of a pool when its cluster is stopped, or nil for a pool without workers.
func stopChange(np *hyperv1.NodePool) (change *PowerChange, note string) {
	have := hostedcluster.SizeOf(np)
	none := hostedcluster.Size{}
	if have != none {
		// The pool got this size after an earlier stop, so the size in the annotation is outdated.
		return &PowerChange{Name: np.Name, From: have, To: none, Remember: have.Encode(), pool: np}, ""
	}
	if size, ok := stoppedSize(np); ok {
		return &PowerChange{Name: np.Name, From: none, To: none, Remember: size.Encode(), pool: np}, ""
	}
	return nil, fmt.Sprintf("NodePool %s has no workers anyway: it stays so when the cluster is started", np.Name)
}

// startChange returns the change of a pool when its cluster is started, or nil for a pool of size zero that was not
// stopped. A pool with workers is waited for, because an earlier start may have been interrupted.
func startChange(np *hyperv1.NodePool) (change *PowerChange, note string) {
	have := hostedcluster.SizeOf(np)
	code, marked := np.Annotations[hostedcluster.StoppedAnnotation]
	size, ok := hostedcluster.ParseSize(code)
	none := hostedcluster.Size{}
	switch {
	case !marked && have == none:
		return nil, ""
	case !marked:
		return &PowerChange{Name: np.Name, From: have, To: have, pool: np}, ""
	case have != none:
		return &PowerChange{Name: np.Name, From: have, To: have, pool: np},
			fmt.Sprintf("NodePool %s was given %s nodes since it was stopped: that stays, not the %s it had before", np.Name,
				have, code)
	case !ok:
		return nil, fmt.Sprintf("NodePool %s: its annotation %s is %q, which is not a size: hcctl scale %s says "+
			"how "+
			"many it is to have",
			np.Name, hostedcluster.StoppedAnnotation, code, hostedcluster.Argument(np.Namespace, np.Name))
	}
	return &PowerChange{Name: np.Name, From: have, To: size, pool: np}, ""
}

// Steps returns the steps that write the pools' sizes, and wait for each pool as far as Wait requires.
func (p *Power) Steps() []step.Step {
	var steps []step.Step
	for _, c := range p.Pools {
		prefix := "pool-" + c.Name
		id := step.ID(prefix + "/size")
		steps = append(steps, step.Step{
			ID: id, Title: fmt.Sprintf("size of NodePool %s: %s", c.Name, c.To), Group: poolGroup,
			Check: p.client.Reading(p.check(c)), Apply: p.apply(c),
		})
		if p.Wait != WaitNone {
			t := target{client: p.client, Pool: c.pool, Cluster: p.Cluster}
			steps = append(steps, t.follow(prefix, sizeIs(c.To), id)...)
		}
	}
	return steps
}

func (p *Power) check(c PowerChange) kube.Check {
	t := target{client: p.client, Pool: c.pool}
	return func(ctx context.Context, r kube.Reader) step.Finding {
		np, f := hostedcluster.Reread(ctx, r, t.Pool)
		if np == nil {
			return f
		}
		have, remembered := hostedcluster.SizeOf(np), np.Annotations[hostedcluster.StoppedAnnotation]
		switch {
		case have == c.To && remembered == c.Remember:
			return step.OK("set to %s", c.To.Nodes()).On("NodePool %s", kube.Name(np))
		case have == c.To:
			return step.Missing("set to %s; its size before the stop is still recorded", have.Nodes()).
				On("NodePool %s", kube.Name(np))
		}
		return step.Missing("set to %s, to be changed to %s", have.Nodes(), c.To).On("NodePool %s", kube.Name(np))
	}
}

// apply writes size and annotation in one patch, so that an interrupted stop never loses the size.
func (p *Power) apply(c PowerChange) func(context.Context) (step.Change, error) {
	return func(ctx context.Context) (step.Change, error) {
		np := &hyperv1.NodePool{}
		if err := p.client.Get(ctx, client.ObjectKeyFromObject(c.pool), np); err != nil {
			return "", fmt.Errorf("NodePool %s: %w", kube.Name(c.pool), err)
		}
		if have := hostedcluster.SizeOf(np); have != c.From && have != c.To {
			return "", &hostedcluster.ChangedError{Object: "NodePool " + kube.Name(np), Field: "its size", Was: c.From.String(),
				Is: have.String()}
		}
		var remember any
		if c.Remember != "" {
			remember = c.Remember
		}
		return hostedcluster.Edit(ctx, p.client, np, map[string]any{
			"metadata": map[string]any{"annotations": map[string]any{hostedcluster.StoppedAnnotation: remember}},
			"spec":     c.To.Spec(),
		})
	}
}
