package deletion

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// servicesName returns the namespace of the cluster's services outside of it. Its deletion removes all of them:
// services have no objects in other namespaces, except those with the cluster's mark, which createdGoneStep removes.
func (d *Plan) servicesName() string { return hostedcluster.ServicesNamespace(d.Namespace, d.Name) }

// services returns the namespace of the cluster's services; nil if it does not exist or is not proven to be this
// cluster's. In the second case foreign is the reason.
func (d *Plan) services(ctx context.Context, r kube.Reader) (ns *corev1.Namespace, foreign string, err error) {
	ns = &corev1.Namespace{}
	err = r.Get(ctx, client.ObjectKey{Name: d.servicesName()}, ns)
	switch mark := hostedcluster.MarkOf(ns); {
	case apierrors.IsNotFound(err):
		return nil, "", nil
	case err != nil:
		return nil, "", err
	case hostedcluster.ReservedFor(ns, d.key().String()):
		return ns, "", nil
	case !hostedcluster.WrittenByHcctl(ns) || mark.Cluster == "":
		return nil, "", nil // a user's namespace that happens to have this name
	case !d.marked(mark):
		return nil, fmt.Sprintf("it is marked as that of HostedCluster %q with another UID", mark.Cluster), nil
	}
	return ns, "", nil
}

// findServices finds the namespace of the cluster's services.
func (d *Plan) findServices(ctx context.Context, r kube.Reader) error {
	ns, foreign, err := d.services(ctx, r)
	switch {
	case apierrors.IsForbidden(err):
		d.Left = append(d.Left, "Namespace "+d.servicesName()+" of its services, if there is one: "+kube.Explain(err))
	case err != nil:
		return fmt.Errorf("read Namespace %s: %w", d.servicesName(), err)
	case foreign != "":
		d.Left = append(d.Left, fmt.Sprintf("Namespace %s: %s", d.servicesName(), foreign))
	case ns != nil:
		d.hasServices = true
		d.addOutside("Namespace %s", ns.Name)
		if d.InfraID == "" {
			d.InfraID = hostedcluster.MarkOf(ns).InfraID
		}
	}
	return nil
}

func (d *Plan) servicesGone(ctx context.Context, r kube.Reader) step.Finding {
	ns, _, err := d.services(ctx, r)
	switch {
	case err != nil:
		return kube.Unknown(err).On("Namespace %s", d.servicesName())
	case ns == nil:
		return step.OK("gone").On("Namespace %s", d.servicesName())
	case ns.DeletionTimestamp != nil:
		return terminating(ns)
	}
	return step.Missing("still there").On("Namespace %s", ns.Name)
}

func (d *Plan) deleteServices(ctx context.Context) (step.Change, error) {
	ns, _, err := d.services(ctx, d.client)
	if err != nil || ns == nil {
		return step.Unchanged, err
	}
	return d.client.DeleteUnchanged(ctx, ns)
}
