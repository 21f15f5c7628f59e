package status

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/expiry"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// servicesKind is the kind of the part about the services of a cluster outside it, such as a jump host.
const servicesKind = "Services"

// readServices reads the Deployments of the cluster's services. There are none if their namespace does not exist or
// belongs to another cluster. If the user may not read the namespace, it is unknown.
func (v *snapshot) readServices(ctx context.Context, r kube.Reader) {
	ns := &corev1.Namespace{}
	at := hostedcluster.ServicesNamespace(v.hc.Namespace, v.hc.Name)
	err := r.Get(ctx, client.ObjectKey{Name: at}, ns)
	switch {
	case apierrors.IsNotFound(err):
		return
	case err != nil:
		v.services.err = err
	case hostedcluster.WrittenByHcctl(ns) && hostedcluster.MarkOf(ns).UID == v.hc.UID,
		hostedcluster.ReservedFor(ns, kube.Name(v.hc)):
		v.services = pages(ctx, r, &appsv1.DeploymentList{},
			func(l *appsv1.DeploymentList) []appsv1.Deployment { return l.Items }, client.InNamespace(at),
			client.HasLabels{hostedcluster.ServiceLabel})
	}
}

// ownServices judges the services of the cluster; the zero Part means that it has none.
func (v *snapshot) ownServices(phase Phase) Part {
	if phase == Deleting {
		return Part{}
	}
	if err := v.services.err; err != nil {
		p := unread(servicesKind, "whether the cluster has services cannot be read: "+kube.Explain(err))
		if apierrors.IsForbidden(err) {
			p.Hint = hint.New("a role that may: %s",
				hint.Run("rbac").Flag("for", "viewer").Flag("namespace", v.hc.Namespace).Flag("cluster-name", v.hc.Name))
		}
		return p
	}
	if len(v.services.items) == 0 {
		return Part{}
	}
	p, ready := Part{Kind: servicesKind, Health: OK}, 0
	for i := range v.services.items {
		d := &v.services.items[i]
		if ends := v.certificateEnds(d); ends.Health != OK {
			p.add(ends)
		}
		verdict := health.Of(d, v.now)
		if verdict.OK() && ptr.Deref(d.Spec.Replicas, 1) == 0 {
			verdict.State, verdict.Message = step.StatePending, "0 of 0 pods are ready"
		}
		if verdict.OK() {
			ready++
			continue
		}
		worst := v.underWay(d.CreationTimestamp.Time)
		if verdict.State == step.StateBroken || phase != Creating && v.now.Sub(d.CreationTimestamp.Time) > podStart {
			worst = Failing
		}
		p.add(Part{Kind: "Deployment", Name: d.Name, Health: worst, Message: verdict.Message,
			Hint: hint.New("oc -n %s get pods,events", d.Namespace)})
	}
	p.count(ready, len(v.services.items))
	return p
}

// certificateEnds returns a part if a service's certificate, Dex's, expires soon or has expired. Only hcctl renews it,
// when a user runs it.
func (v *snapshot) certificateEnds(d *appsv1.Deployment) Part {
	until, err := time.Parse(time.RFC3339, d.Annotations[hostedcluster.CertificateUntilAnnotation])
	verdict := health.Validity{Until: until}.Judge(v.now)
	if err != nil || verdict.State == step.StateOK {
		return Part{Health: OK}
	}
	return Part{Kind: "Deployment", Name: d.Name, Health: Health(verdict.State),
		Message: "its certificate " + verdict.Message, Hint: expiry.RenewDex(v.hc.Namespace, d)}
}
