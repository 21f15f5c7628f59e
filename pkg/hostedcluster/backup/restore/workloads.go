package restore

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// pods lists the pods of a workload.
func (p *Plan) pods(ctx context.Context, r kube.Reader, app string) ([]corev1.Pod, error) {
	var list corev1.PodList
	err := r.List(ctx, &list, client.InNamespace(p.plane()), client.MatchingLabels{"app": app})
	return list.Items, err
}

// apiServersStopped is OK once no API server runs.
func (p *Plan) apiServersStopped(ctx context.Context, r kube.Reader) step.Finding {
	for _, name := range apiServers() {
		d := &appsv1.Deployment{}
		s := p.readPlaneObject(ctx, r, "Deployment", name, d)
		if s.finding == nil && !s.found {
			continue // HyperShift has not created it yet
		}
		if f := p.stopped(ctx, r, s, name, d.Spec.Replicas); f.State != step.StateOK {
			return f
		}
	}
	return step.OK("no API server runs").On("Deployment %s/kube-apiserver", p.plane())
}

// stopped is OK once a workload has no replicas and no pods.
func (p *Plan) stopped(ctx context.Context, r kube.Reader, s readResult, app string, replicas *int32) step.Finding {
	switch {
	case s.finding != nil:
		return *s.finding
	case ptr.Deref(replicas, 1) > 0:
		return step.Missing("%d replicas, must be 0", ptr.Deref(replicas, 1)).On("%s", s.on)
	}
	pods, err := p.pods(ctx, r, app)
	switch {
	case err != nil:
		return kube.Unknown(err).On("pods of %s in namespace %s", app, p.plane())
	case len(pods) > 0:
		return step.Pending("is stopping").On("Pod %s", kube.Name(&pods[0]))
	}
	return step.OK("no pods").On("pods of %s in namespace %s", app, p.plane())
}

func (p *Plan) stopAPIServers(ctx context.Context) (step.Change, error) {
	return p.scaleAPIServers(ctx, func(string) int32 { return 0 })
}

func (p *Plan) startAPIServers(ctx context.Context) (step.Change, error) {
	return p.scaleAPIServers(ctx, p.replicas)
}

// replicas returns the previous replicas of a workload. A workload that HyperShift created meanwhile gets as many as
// etcd.
func (p *Plan) replicas(name string) int32 {
	if n, ok := p.mark.Replicas[name]; ok {
		return n
	}
	return p.mark.Replicas["etcd"]
}

func (p *Plan) scaleAPIServers(ctx context.Context, to func(name string) int32) (step.Change, error) {
	change := step.Unchanged
	for _, name := range apiServers() {
		one, err := p.scale(ctx, &appsv1.Deployment{}, name, to(name))
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return change, err
		}
		change = step.Join(change, one)
	}
	return change, nil
}

// scale sets the replicas of a workload.
func (p *Plan) scale(ctx context.Context, o client.Object, name string, to int32) (step.Change, error) {
	if err := p.client.Get(ctx, client.ObjectKey{Namespace: p.plane(), Name: name}, o); err != nil {
		return "", fmt.Errorf("%s/%s: %w", p.plane(), name, err)
	}
	return hostedcluster.Edit(ctx, p.client, o, map[string]any{"spec": map[string]any{"replicas": to}})
}

// apiServersStarted is OK once each API server has a ready pod.
func (p *Plan) apiServersStarted(ctx context.Context, r kube.Reader) step.Finding {
	started := 0
	for _, name := range apiServers() {
		want, d := p.replicas(name), &appsv1.Deployment{}
		switch s := p.readPlaneObject(ctx, r, "Deployment", name, d); {
		case s.finding != nil:
			return *s.finding
		case !s.found:
			continue
		case ptr.Deref(d.Spec.Replicas, 1) == 0:
			return step.Missing("0 replicas, must be %d", want).On("%s", s.on)
		case health.ReadyPods(d) == 0:
			return health.Of(d, r.Now(), health.Wanting(int(want))).Waiting().On("%s", s.on)
		}
		started++
	}
	if started == 0 {
		return step.OK("there are none yet: HyperShift creates them").On("Deployment %s/kube-apiserver", p.plane())
	}
	return step.OK("ready").On("Deployment %s/kube-apiserver", p.plane())
}

// etcd reads the StatefulSet. If it does not exist, the result has a finding.
func (p *Plan) etcd(ctx context.Context, r kube.Reader) (*appsv1.StatefulSet, readResult) {
	set := &appsv1.StatefulSet{}
	s := p.readPlaneObject(ctx, r, "StatefulSet", "etcd", set)
	if f := s.existsFinding(); f.State != step.StateOK {
		s.finding = &f
	}
	return set, s
}

func (p *Plan) etcdStopped(ctx context.Context, r kube.Reader) step.Finding {
	set, s := p.etcd(ctx, r)
	return p.stopped(ctx, r, s, "etcd", set.Spec.Replicas)
}

func (p *Plan) stopEtcd(ctx context.Context) (step.Change, error) {
	return p.scale(ctx, &appsv1.StatefulSet{}, "etcd", 0)
}

func (p *Plan) startEtcd(ctx context.Context) (step.Change, error) {
	return p.scale(ctx, &appsv1.StatefulSet{}, "etcd", p.mark.Replicas["etcd"])
}

// etcdStarted is OK once etcd has a quorum.
func (p *Plan) etcdStarted(ctx context.Context, r kube.Reader) step.Finding {
	set, s := p.etcd(ctx, r)
	want := p.mark.Replicas["etcd"]
	switch ready := health.ReadyPods(set); {
	case s.finding != nil:
		return *s.finding
	case ptr.Deref(set.Spec.Replicas, 1) < want:
		return step.Missing("%d replicas, must be %d", ptr.Deref(set.Spec.Replicas, 1), want).On("%s", s.on)
	case ready < int(want)/2+1:
		return health.Of(set, r.Now(), health.Wanting(int(want))).Waiting().On("%s", s.on)
	default:
		return step.OK("%d of %d members ready", ready, want).On("%s", s.on)
	}
}

// volumesGone is OK once only member 0 has a volume claim.
func (p *Plan) volumesGone(ctx context.Context, r kube.Reader) step.Finding {
	for member := 1; member < int(p.mark.Replicas["etcd"]); member++ {
		claim := &corev1.PersistentVolumeClaim{}
		switch s := p.readPlaneObject(ctx, r, claimKind, claimName(member), claim); {
		case s.finding != nil:
			return *s.finding
		case !s.found:
			continue
		case claim.DeletionTimestamp != nil:
			return step.Pending("is being deleted").On("%s", s.on)
		default:
			return step.Missing("has data from before the restore").On("%s", s.on)
		}
	}
	return step.OK("only that of etcd-0").On("PersistentVolumeClaim %s/%s", p.plane(), claimName(0))
}

// removeVolumes deletes the volume claims of the other members, which get their data from member 0 afterwards.
func (p *Plan) removeVolumes(ctx context.Context) (step.Change, error) {
	change := step.Unchanged
	for member := 1; member < int(p.mark.Replicas["etcd"]); member++ {
		claim := &corev1.PersistentVolumeClaim{}
		s := p.readPlaneObject(ctx, p.client, claimKind, claimName(member), claim)
		if s.finding != nil || !s.found || claim.DeletionTimestamp != nil {
			continue // the check reports its state
		}
		// A new claim of the same name has data of member 0, so the claim is deleted by its UID.
		one, err := p.client.DeleteByUID(ctx, claim)
		if change = step.Join(change, one); err != nil {
			return change, err
		}
	}
	return change, nil
}
