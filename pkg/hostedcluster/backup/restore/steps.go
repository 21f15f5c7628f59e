package restore

import (
	"context"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// Steps returns the steps of the restore. Every step before the data is also OK once the data are restored, so that an
// interrupted restore does not stop workloads again that it has started.
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
		last(p.beforeData("restore/etcd-made", "etcd has its volumes", p.etcdCreated, nil))
	}
	last(p.beforeData("restore/paused", "HyperShift leaves the cluster alone", p.paused, p.pause))
	last(p.beforeData("restore/api-servers-stopped", "API servers are stopped", p.apiServersStopped, p.stopAPIServers))
	last(p.beforeData("restore/etcd-stopped", "etcd is stopped", p.etcdStopped, p.stopEtcd))
	last(p.beforeData("restore/volumes-removed", "other members' volumes are removed", p.volumesGone, p.removeVolumes))
	last(p.beforeData("restore/pod", "a pod has the volume of etcd-0", p.podReady, p.createPod))
	last(p.beforeData("restore/data", "snapshot is restored", p.dataMissing, p.restoreData))
	last(p.afterData("restore/pod-removed", "the pod is removed", p.podGone, p.removePod))
	last(p.afterData("restore/etcd-started", "etcd has a quorum", p.etcdStarted, p.startEtcd))
	last(p.afterData("restore/api-servers-started", "API servers are started", p.apiServersStarted, p.startAPIServers))
	if p.mark.Created {
		last(p.poolsStep())
	}
	last(p.afterData("restore/resumed", "HyperShift looks after the cluster", p.resumed, p.resume))
	last(p.afterData("restore/available", "the cluster is available", p.available, nil))
	last(p.afterData("restore/finished", "the restore is over", p.finished, p.finish))
	return steps
}

type check = kube.Check
type apply = func(context.Context) (step.Change, error)

// beforeData returns a step that is also OK once the data are restored.
func (p *Plan) beforeData(id step.ID, title string, c check, a apply) step.Step {
	return p.afterData(id, title, func(ctx context.Context, r kube.Reader) step.Finding {
		claim := &corev1.PersistentVolumeClaim{}
		switch s := p.readPlaneObject(ctx, r, claimKind, claimName(0), claim); {
		case s.finding != nil:
			return *s.finding
		case s.found && claim.Annotations[DataAnnotation] == p.mark.ID:
			return step.OK("the data are restored").On("%s", s.on)
		}
		return c(ctx, r)
	}, a)
}

func (p *Plan) afterData(id step.ID, title string, c check, a apply) step.Step {
	return step.Step{ID: id, Title: title, Group: "restore", Check: p.client.Reading(c), Apply: a}
}

const claimKind = "PersistentVolumeClaim"

// claimName returns the name of a member's volume claim.
func claimName(member int) string { return "data-etcd-" + strconv.Itoa(member) }

// etcdCreated is OK once etcd runs, because its volumes exist then.
func (p *Plan) etcdCreated(ctx context.Context, r kube.Reader) step.Finding {
	set := &appsv1.StatefulSet{}
	switch s := p.readPlaneObject(ctx, r, "StatefulSet", "etcd", set); {
	case s.finding != nil:
		return *s.finding
	case !s.found:
		return step.Pending("HyperShift has not created it yet").On("%s", s.on)
	case p.mark.Replicas == nil && health.ReadyPods(set) < int(ptr.Deref(set.Spec.Replicas, 1)):
		return health.Of(set, r.Now()).Waiting().On("%s", s.on)
	default:
		return step.OK("%d members", ptr.Deref(set.Spec.Replicas, 1)).On("%s", s.on)
	}
}
