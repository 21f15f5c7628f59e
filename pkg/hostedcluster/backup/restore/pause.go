package restore

import (
	"context"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// paused is OK once HyperShift's operators ignore the control plane and its namespace is known to hold only this
// cluster. The following steps stop and delete objects in that namespace.
func (p *Plan) paused(ctx context.Context, r kube.Reader) step.Finding {
	hc, s := p.cluster(ctx, r)
	if s.finding != nil {
		return *s.finding
	}
	current, err := markOf(hc)
	switch {
	case err != nil:
		return step.Broken("%v", err).On("%s", s.on)
	case current == nil, current.Replicas == nil, ptr.Deref(hc.Spec.PausedUntil, "") != "true":
		return step.Missing("not paused for this restore").On("%s", s.on)
	case current.ID != p.mark.ID:
		return step.Broken("another restore has begun meanwhile").On("%s", s.on)
	}
	p.mark = *current
	on := "HostedControlPlane " + p.plane() + "/" + hc.Name
	own, foreign, err := hostedcluster.ControlPlanesIn(ctx, r, p.plane(), p.key())
	switch {
	case err != nil:
		return kube.Unknown(err).On("%s", on)
	case foreign != "":
		return step.Broken("its namespace holds the control plane of HostedCluster %s, too", foreign).On("%s", on)
	case own == nil, ptr.Deref(own.Spec.PausedUntil, "") != "true":
		return step.Pending("the control plane's operator is not paused yet").On("%s", on)
	}
	return step.OK("paused").On("%s", s.on)
}

// pause writes the mark with the previous state, and pauses the HostedCluster.
func (p *Plan) pause(ctx context.Context) (step.Change, error) {
	hc, err := hostedcluster.Find(ctx, p.client, p.key().Namespace, p.key().Name)
	if err != nil {
		return "", err
	}
	if current, err := markOf(hc); err != nil {
		return "", err
	} else if current != nil && current.ID != p.mark.ID {
		return "", refusal(hint.New("wait for its end"), "another restore of this cluster has begun meanwhile")
	}
	if p.mark.Replicas == nil {
		if p.mark.Replicas, err = p.readReplicas(ctx); err != nil {
			return "", err
		}
	}
	return hostedcluster.Edit(ctx, p.client, hc, map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{MarkAnnotation: p.mark.encode()}},
		"spec":     map[string]any{"pausedUntil": "true"},
	})
}

// readReplicas returns the replicas of the workloads. For a workload that is already stopped it returns the number of
// etcd's members.
func (p *Plan) readReplicas(ctx context.Context) (map[string]int32, error) {
	set := &appsv1.StatefulSet{}
	if err := p.client.Get(ctx, client.ObjectKey{Namespace: p.plane(), Name: "etcd"}, set); err != nil {
		return nil, fmt.Errorf("StatefulSet %s/etcd: %w", p.plane(), err)
	}
	members := int32(1)
	if p.backup.Spec.ControllerAvailabilityPolicy != hyperv1.SingleReplica {
		members = 3
	}
	if n := ptr.Deref(set.Spec.Replicas, 1); n > 0 {
		members = n
	}
	found := map[string]int32{"etcd": min(members, maxReplicas)}
	for _, name := range apiServers() {
		d := &appsv1.Deployment{}
		err := p.client.Get(ctx, client.ObjectKey{Namespace: p.plane(), Name: name}, d)
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read Deployment %s/%s: %w", p.plane(), name, err)
		}
		n := ptr.Deref(d.Spec.Replicas, 1)
		if n == 0 {
			n = members
		}
		found[name] = min(n, maxReplicas)
	}
	return found, nil
}

// resumed is OK once spec.pausedUntil is what it was before the restore.
func (p *Plan) resumed(ctx context.Context, r kube.Reader) step.Finding {
	hc, s := p.cluster(ctx, r)
	switch {
	case s.finding != nil:
		return *s.finding
	case ptr.Deref(hc.Spec.PausedUntil, "") != p.mark.PausedUntil:
		return step.Missing("still paused for this restore").On("%s", s.on)
	}
	return step.OK("no longer paused for this restore").On("%s", s.on)
}

func (p *Plan) resume(ctx context.Context) (step.Change, error) {
	var until any
	if p.mark.PausedUntil != "" {
		until = p.mark.PausedUntil
	}
	return p.edit(ctx, map[string]any{"spec": map[string]any{"pausedUntil": until}})
}

// edit sets fields of the HostedCluster.
func (p *Plan) edit(ctx context.Context, fields map[string]any) (step.Change, error) {
	hc, err := hostedcluster.Find(ctx, p.client, p.key().Namespace, p.key().Name)
	if err != nil {
		return "", err
	}
	return hostedcluster.Edit(ctx, p.client, hc, fields)
}

// available is OK once HyperShift reports the cluster as available. A cluster that was paused before stays paused, so
// its conditions do not change.
func (p *Plan) available(ctx context.Context, r kube.Reader) step.Finding {
	hc, s := p.cluster(ctx, r)
	if s.finding != nil {
		return *s.finding
	}
	if hc.Spec.PausedUntil != nil {
		return step.OK("paused until %s, as before", *hc.Spec.PausedUntil).On("%s", s.on)
	}
	set := conditions.OfCluster(hc)
	// Conditions from before the restore are out of date.
	if c := set.Get(string(hyperv1.ReconciliationActive)); !c.True() {
		return step.Pending("the operator says: %s", c.Describe()).On("%s", s.on)
	}
	if c := set.Get(string(hyperv1.HostedClusterAvailable)); !c.True() {
		return step.Pending("%s", c.Describe()).On("%s", s.on)
	}
	return step.OK("available").On("%s", s.on)
}

// finished is OK once the mark is removed. That is the last step, so an interrupted restore can continue until then.
func (p *Plan) finished(ctx context.Context, r kube.Reader) step.Finding {
	hc, s := p.cluster(ctx, r)
	if s.finding != nil {
		return *s.finding
	}
	if _, marked := hc.Annotations[MarkAnnotation]; marked {
		return step.Missing("still marked for this restore").On("%s", s.on)
	}
	return step.OK("the restore is over").On("%s", s.on)
}

func (p *Plan) finish(ctx context.Context) (step.Change, error) {
	return p.edit(ctx, map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{MarkAnnotation: nil}}})
}
