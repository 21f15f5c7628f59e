package nodepool

import (
	"context"
	"fmt"
	"maps"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
)

// counts are the numbers of a pool's machines.
type counts struct {
	// total counts all machines, also those being deleted.
	total int
	// healthy counts the ready nodes, updated those of them that match the template.
	healthy, updated int
}

func (p *pool) count(t template, strategy strategy) counts {
	c := counts{total: len(p.machines)}
	for i := range p.machines {
		m := &p.machines[i]
		if m.leaving() || !m.healthy() {
			continue
		}
		c.healthy++
		if strategy.inPlace && upToDate(m.node, t) || !strategy.inPlace && m.matches(t.hash) {
			c.updated++
		}
	}
	return c
}

// complete reports whether a roll-out is over: all machines are updated and available. For an in-place upgrade no node
// has another configuration.
func (p *pool) complete(t template, strategy strategy) bool {
	if !strategy.inPlace {
		c := p.count(t, strategy)
		return c.updated == strategy.desired && c.total == strategy.desired
	}
	for i := range p.machines {
		if n := p.machines[i].node; n != nil && !p.machines[i].leaving() && !upToDate(n, t) {
			return false
		}
	}
	return true
}

// describe writes the conditions and numbers about machines and nodes.
func (p *pool) describe(ctx context.Context, t template, strategy strategy) error {
	put := func(c status.Condition) { setPool(p.np, c) }
	p.describeUpdate(t, p.complete(t, strategy))
	put(poolTrue(hyperv1.NodePoolValidGeneratedPayloadConditionType, msgPayloadGenerated))
	put(poolTrue(hyperv1.NodePoolValidTuningConfigConditionType, ""))
	if p.Features.Reports(hyperv1.NodePoolValidPlatformConfigConditionType) {
		put(poolTrue(hyperv1.NodePoolValidPlatformConfigConditionType, status.MsgAllIsWell))
	}
	p.describeIgnition(t, strategy.inPlace)
	p.describeRepair()
	ready, err := p.machinesReady(ctx)
	if err != nil {
		return err
	}
	put(ready)
	put(p.nodesHealthy())
	p.describeMigration()
	c := p.count(t, strategy)
	p.np.Status.Replicas = int32(c.healthy) //nolint:gosec // counted from a NodePool's replicas, an int32
	if least := max(0, strategy.desired-strategy.unavailable); c.healthy >= least {
		put(poolTrue(hyperv1.NodePoolReadyConditionType, ""))
	} else {
		put(poolFalse(hyperv1.NodePoolReadyConditionType, reasonWaitingForMachines, msgMinimumAvailability(least, c.healthy)))
	}
	return nil
}

// describeUpdate writes which parts of the template the pool has not reached yet, and notes the ones it has reached.
func (p *pool) describeUpdate(t template, complete bool) {
	if complete {
		p.np.Status.Version = t.payload.Version
		metadata.Add(&p.np.Annotations, map[string]string{
			currentConfigAnnotation: t.config, currentVersionAnnotation: t.configVersion, currentTemplateAnnotation: t.name,
		})
	}
	setPool(p.np, p.unlessDegraded(p.updatingVersion(t.payload.Version)))
	setPool(p.np, p.unlessDegraded(p.updating(hyperv1.NodePoolUpdatingConfigConditionType, currentConfigAnnotation,
		t.config, msgUpdatingConfig(t.config))))
	setPool(p.np, p.updating(hyperv1.NodePoolUpdatingPlatformMachineTemplateConditionType, currentTemplateAnnotation,
		t.name, msgUpdatingTemplate(t.name)))
}

// unlessDegraded turns an update in place that a node holds up into the operator's words for that.
func (p *pool) unlessDegraded(c status.Condition) status.Condition {
	if message := p.degraded(); c.Status == metav1.ConditionTrue && message != "" {
		return poolFalse(c.Kind, hyperv1.NodePoolInplaceUpgradeFailedReason, message)
	}
	return c
}

func (p *pool) updatingVersion(want string) status.Condition {
	kind := hyperv1.NodePoolUpdatingVersionConditionType
	if p.np.Status.Version == want {
		return poolFalse(kind, hyperv1.AsExpectedReason, "")
	}
	return poolTrue(kind, msgUpdatingVersion(want))
}

// updating compares what an annotation says of the last complete roll-out with what is wanted.
func (p *pool) updating(kind, annotation, want, message string) status.Condition {
	if p.np.Annotations[annotation] == want {
		return poolFalse(kind, hyperv1.AsExpectedReason, "")
	}
	return poolTrue(kind, message)
}

// describeRepair writes AutorepairEnabled. The operator creates its MachineHealthCheck, and this condition, once a
// machine has reached the ignition endpoint.
func (p *pool) describeRepair() {
	c := poolFalse(hyperv1.NodePoolAutorepairEnabledConditionType, hyperv1.AsExpectedReason, "")
	if p.np.Spec.Management.AutoRepair {
		if !poolIs(p.np, condReachedIgnitionEndpoint) {
			return
		}
		c.Status = metav1.ConditionTrue
	}
	setPool(p.np, c)
}

func poolIs(np *hyperv1.NodePool, kind string) bool {
	c := conditionOf(np, kind)
	return c != nil && c.Status == corev1.ConditionTrue
}

// noteAnnotations writes changed annotations, apart from the status.
func (r *nodePools) noteAnnotations(ctx context.Context, np, before *hyperv1.NodePool) error {
	if maps.Equal(np.Annotations, before.Annotations) {
		return nil
	}
	fresh := before.DeepCopy()
	fresh.Annotations = maps.Clone(np.Annotations)
	if err := r.Client.Patch(ctx, fresh, client.MergeFrom(before.DeepCopy())); err != nil {
		return fmt.Errorf("write the annotations of NodePool %s/%s: %w", np.Namespace, np.Name, err)
	}
	np.ResourceVersion, before.ResourceVersion = fresh.ResourceVersion, fresh.ResourceVersion
	before.Annotations = maps.Clone(np.Annotations)
	return nil
}
