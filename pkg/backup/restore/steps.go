package restore

import (
	"context"
	"fmt"
	"strconv"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/follow"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// Steps restore the cluster. Each of those before the data also holds once the data are restored, so that an
// interrupted restore does not stop again what it has started.
func (p *Plan) Steps() []step.Step {
	var steps []step.Step
	last := func(s step.Step) {
		if s.Needs == nil && len(steps) > 0 {
			s.Needs = []step.ID{steps[len(steps)-1].ID}
		}
		steps = append(steps, s)
	}
	if p.mark.Created {
		steps = p.objectSteps()
		last(p.before("restore/etcd-made", "etcd has its volumes", p.etcdMade, nil))
	}
	last(p.before("restore/paused", "HyperShift leaves the cluster alone", p.paused, p.pause))
	last(p.before("restore/api-servers-stopped", "API servers are stopped", p.apiServersStopped, p.stopAPIServers))
	last(p.before("restore/etcd-stopped", "etcd is stopped", p.etcdStopped, p.stopEtcd))
	last(p.before("restore/volumes-removed", "other members' volumes are removed", p.volumesGone, p.removeVolumes))
	last(p.before("restore/pod", "a pod has the volume of etcd-0", p.podReady, p.createPod))
	last(p.before("restore/data", "snapshot is restored", p.dataMissing, p.restoreData))
	last(p.after("restore/pod-removed", "the pod is removed", p.podGone, p.removePod))
	last(p.after("restore/etcd-started", "etcd has a quorum", p.etcdStarted, p.startEtcd))
	last(p.after("restore/api-servers-started", "API servers are started", p.apiServersStarted, p.startAPIServers))
	if p.mark.Created {
		last(p.poolsStep())
	}
	last(p.after("restore/resumed", "HyperShift looks after the cluster", p.resumed, p.resume))
	last(p.after("restore/available", "the cluster is available", p.available, nil))
	return steps
}

type check = kube.Check
type apply = func(context.Context) (step.Change, error)

// before is a step that is done as well once the data are restored.
func (p *Plan) before(id step.ID, title string, c check, a apply) step.Step {
	return p.after(id, title, func(ctx context.Context, r kube.Reader) step.Finding {
		restored, err := p.restored(ctx, r)
		switch {
		case err != nil:
			return kube.Unknown(err).On("PersistentVolumeClaim %s/%s", p.plane(), claimName(0))
		case restored:
			return step.OK("the data are restored").On("PersistentVolumeClaim %s/%s", p.plane(), claimName(0))
		}
		return c(ctx, r)
	}, a)
}

func (p *Plan) after(id step.ID, title string, c check, a apply) step.Step {
	return step.Step{ID: id, Title: title, Group: "restore", Check: p.client.Reading(c), Apply: a}
}

// claimName is the volume claim of a member.
func claimName(member int) string { return "data-etcd-" + strconv.Itoa(member) }

// restored tells whether member 0 has the data of this restore.
func (p *Plan) restored(ctx context.Context, r kube.Reader) (bool, error) {
	claim := &corev1.PersistentVolumeClaim{}
	err := r.Get(ctx, client.ObjectKey{Namespace: p.plane(), Name: claimName(0)}, claim)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil && claim.Annotations[DataAnnotation] == p.mark.ID, err
}

// etcdMade holds once etcd runs: its volumes are there.
func (p *Plan) etcdMade(ctx context.Context, r kube.Reader) step.Finding {
	set := &appsv1.StatefulSet{}
	err := r.Get(ctx, client.ObjectKey{Namespace: p.plane(), Name: "etcd"}, set)
	on := "StatefulSet " + p.plane() + "/etcd"
	switch {
	case apierrors.IsNotFound(err):
		return step.Pending("HyperShift has not made it yet").On("%s", on)
	case err != nil:
		return kube.Unknown(err).On("%s", on)
	case p.mark.Replicas == nil && set.Status.ReadyReplicas < ptr.Deref(set.Spec.Replicas, 1):
		return step.Pending("%d of %d members ready", set.Status.ReadyReplicas, ptr.Deref(set.Spec.Replicas, 1)).On("%s", on)
	}
	return step.OK("%d members", ptr.Deref(set.Spec.Replicas, 1)).On("%s", on)
}

// paused holds once HyperShift's operators leave the control plane alone.
func (p *Plan) paused(ctx context.Context, r kube.Reader) step.Finding {
	m := p.content.Manifest
	hc := &hyperv1.HostedCluster{}
	on := "HostedCluster " + m.Namespace + "/" + m.Name
	if err := r.Get(ctx, client.ObjectKey{Namespace: m.Namespace, Name: m.Name}, hc); err != nil {
		return kube.Unknown(err).On("%s", on)
	}
	under, err := markOf(hc)
	switch {
	case err != nil:
		return step.Broken("%v", err).On("%s", on)
	case under == nil, under.Replicas == nil, ptr.Deref(hc.Spec.PausedUntil, "") != "true":
		return step.Missing("not paused for this restore").On("%s", on)
	case under.ID != p.mark.ID:
		return step.Broken("another restore has begun meanwhile").On("%s", on)
	}
	p.mark = *under
	hcp := &hyperv1.HostedControlPlane{}
	err = r.Get(ctx, client.ObjectKey{Namespace: p.plane(), Name: m.Name}, hcp)
	switch {
	case err != nil && !apierrors.IsNotFound(err):
		return kube.Unknown(err).On("HostedControlPlane %s/%s", p.plane(), m.Name)
	case err != nil, ptr.Deref(hcp.Spec.PausedUntil, "") != "true":
		return step.Pending("the control plane's operator is not paused yet").On("HostedControlPlane %s/%s", p.plane(),
			m.Name)
	}
	return step.OK("paused").On("%s", on)
}

// pause writes the mark with what was before, and pauses.
func (p *Plan) pause(ctx context.Context) (step.Change, error) {
	m := p.content.Manifest
	hc, err := hostedcluster.Find(ctx, p.client, m.Namespace, m.Name)
	if err != nil {
		return "", err
	}
	if under, err := markOf(hc); err != nil {
		return "", err
	} else if under != nil && under.ID != p.mark.ID {
		return "", &OtherError{"another restore of this cluster has begun meanwhile", "wait for its end"}
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

// readReplicas reads what runs. What somebody has stopped already is started with as many as etcd has members.
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
	found := map[string]int32{"etcd": min(members, most)}
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
		found[name] = min(n, most)
	}
	return found, nil
}

// resumed holds once the mark is gone.
func (p *Plan) resumed(ctx context.Context, r kube.Reader) step.Finding {
	m := p.content.Manifest
	hc := &hyperv1.HostedCluster{}
	on := "HostedCluster " + m.Namespace + "/" + m.Name
	if err := r.Get(ctx, client.ObjectKey{Namespace: m.Namespace, Name: m.Name}, hc); err != nil {
		return kube.Unknown(err).On("%s", on)
	}
	if _, marked := hc.Annotations[MarkAnnotation]; marked {
		return step.Missing("still paused for this restore").On("%s", on)
	}
	return step.OK("the restore is over").On("%s", on)
}

// resume takes the mark and the pause away together.
func (p *Plan) resume(ctx context.Context) (step.Change, error) {
	m := p.content.Manifest
	hc, err := hostedcluster.Find(ctx, p.client, m.Namespace, m.Name)
	if err != nil {
		return "", err
	}
	var until any
	if p.mark.PausedUntil != "" {
		until = p.mark.PausedUntil
	}
	return hostedcluster.Edit(ctx, p.client, hc, map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{MarkAnnotation: nil}},
		"spec":     map[string]any{"pausedUntil": until},
	})
}

// available holds once HyperShift says that the cluster is. A cluster that was paused before stays so, and its
// conditions with it.
func (p *Plan) available(ctx context.Context, r kube.Reader) step.Finding {
	m := p.content.Manifest
	hc := &hyperv1.HostedCluster{}
	on := "HostedCluster " + m.Namespace + "/" + m.Name
	if err := r.Get(ctx, client.ObjectKey{Namespace: m.Namespace, Name: m.Name}, hc); err != nil {
		return kube.Unknown(err).On("%s", on)
	}
	if hc.Spec.PausedUntil != nil {
		return step.OK("paused until %s, as before", *hc.Spec.PausedUntil).On("%s", on)
	}
	conditions := follow.ClusterConditions(hc)
	// What the operator said before the restore says nothing.
	if c := conditions.Get(string(hyperv1.ReconciliationActive)); !c.True() ||
		c.ObservedGeneration != 0 && c.ObservedGeneration < hc.Generation {
		return step.Pending("the operator says: %s", c.Describe()).On("%s", on)
	}
	c := conditions.Get(string(hyperv1.HostedClusterAvailable))
	if !c.True() {
		return step.Pending("%s", c.Describe()).On("%s", on)
	}
	return step.OK("available").On("%s", on)
}
