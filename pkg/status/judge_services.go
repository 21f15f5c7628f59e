package status

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
)

// servicesKind is the kind of the part about what a cluster has in the namespace of its services, such as a jump host.
const servicesKind = "Services"

// readServices reads the Deployments of the cluster's services. There are none without their namespace, or if that is
// not this cluster's.
func (v *snapshot) readServices(ctx context.Context, r kube.Reader) {
	ns := &corev1.Namespace{}
	at := hostedcluster.ServicesNamespace(v.hc.Namespace, v.hc.Name)
	err := r.Get(ctx, client.ObjectKey{Name: at}, ns)
	switch {
	case apierrors.IsNotFound(err), apierrors.IsForbidden(err):
		return
	case err != nil:
		v.services.err = err
	case hostedcluster.WrittenByHcctl(ns) && hostedcluster.MarkOf(ns).UID == v.hc.UID:
		v.services = pages(ctx, r, &appsv1.DeploymentList{},
			func(l *appsv1.DeploymentList) []appsv1.Deployment { return l.Items }, client.InNamespace(at),
			client.HasLabels{hostedcluster.ServiceLabel})
	}
}

// ownServices judges the services of the cluster; the zero Part means that it has none.
func (v *snapshot) ownServices(phase Phase) Part {
	if err := v.services.err; err != nil {
		return unread(servicesKind, "the services cannot be read: "+kube.Explain(err))
	}
	if len(v.services.items) == 0 || phase == Deleting {
		return Part{}
	}
	p, ready := Part{Kind: servicesKind, Health: OK}, 0
	for i := range v.services.items {
		d := &v.services.items[i]
		wanted := ptr.Deref(d.Spec.Replicas, 1)
		if d.Status.ReadyReplicas >= wanted && wanted > 0 {
			ready++
			continue
		}
		health := v.underWay(d.CreationTimestamp.Time)
		if phase != Creating && v.now.Sub(d.CreationTimestamp.Time) > podStart {
			health = Failing
		}
		p.add(Part{Kind: "Deployment", Name: d.Name, Health: health,
			Message: fmt.Sprintf("%d of %d pods are ready", d.Status.ReadyReplicas, wanted),
			Hint:    fmt.Sprintf("oc -n %s get pods,events", d.Namespace)})
	}
	p.count(ready, len(v.services.items))
	return p
}
