package deletion

import (
	"context"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// findControlPlane finds the control plane namespace and decides whether it belongs to this cluster. It fails if the
// deletion would remove another cluster's namespace.
func (d *Plan) findControlPlane(ctx context.Context, r kube.Reader) (*corev1.Namespace, error) {
	ns := &corev1.Namespace{}
	err := r.Get(ctx, client.ObjectKey{Name: d.controlPlaneName()}, ns)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read Namespace %s: %w", d.controlPlaneName(), err)
	}
	if hostedcluster.AdoptedOf(ns).Cluster == d.key().String() && (d.keepControlPlane || !d.present) {
		d.adopted, d.foreignNamespace = true, true
		d.addFound("what Namespace %s has had since it was taken over", ns.Name)
		d.Left = append(d.Left, fmt.Sprintf("Namespace %s, with what was in it before", ns.Name))
		return nil, nil
	}
	reason, err := d.notControlPlane(ctx, r, ns)
	switch {
	case err != nil:
		return nil, err
	case d.keepControlPlane:
		reason = "an annotation of the HostedCluster asks to keep it"
	case reason == "":
		d.controlPlaneUID = ns.UID
		d.addFound("Namespace %s", ns.Name)
		return ns, nil
	case d.present:
		return nil, failure.New(failure.Final, hint.New("to keep the namespace, set the annotation %s=true on the "+
			"HostedCluster and delete it again; docs/delete.md (A namespace that is not its own)",
			hyperv1.SkipControlPlaneNamespaceDeletionAnnotation),
			"HyperShift's operator would remove Namespace %s with HostedCluster %s, but %s: nothing was deleted", ns.Name,
			d.self.Key(), reason)
	}
	d.foreignNamespace = true
	d.Left = append(d.Left, fmt.Sprintf("Namespace %s: %s", ns.Name, reason))
	return nil, nil
}

// notControlPlane returns why a namespace is not proven to be this cluster's control plane namespace; empty if it is.
func (d *Plan) notControlPlane(ctx context.Context, r kube.Reader, ns *corev1.Namespace) (string, error) {
	if !labelledControlPlane(ns) {
		return "it is not a control plane's (it has no label " + hostedcluster.ControlPlaneLabel + ")", nil
	}
	own, foreign, err := d.controlPlanesIn(ctx, r, ns.Name)
	switch {
	case err != nil:
		return "", err
	case foreign != "":
		return "it holds the control plane of HostedCluster " + foreign, nil
	}
	for _, i := range d.clusters {
		if i.Key() != d.key().String() && hostedcluster.ControlPlaneNamespace(i.Namespace, i.Name) == ns.Name {
			return "the control plane of HostedCluster " + i.Key() + " has the same namespace", nil
		}
	}
	switch {
	case !d.present && !own && ns.DeletionTimestamp == nil:
		return "it is a control plane's, but nothing in it shows that it belongs to " + d.key().String(), nil
	case d.present && ns.CreationTimestamp.Time.Before(d.self.Created) && !d.createdByRestore(ns):
		return "it was there before the HostedCluster", nil
	}
	return "", nil
}

// createdByRestore reports whether hcctl restore created the namespace for this cluster before it created the
// HostedCluster again.
func (d *Plan) createdByRestore(ns *corev1.Namespace) bool {
	m := hostedcluster.MarkOf(ns)
	return m.Cluster == d.self.Key() && m.InfraID != "" && m.InfraID == d.self.InfraID && hostedcluster.WrittenByHcctl(ns)
}

// controlPlanesIn reports whether a namespace has this cluster's control plane, and returns another cluster whose
// control plane it has.
func (d *Plan) controlPlanesIn(
	ctx context.Context, r kube.Reader, namespace string) (own bool, foreign string, err error) {
	plane, foreign, err := hostedcluster.ControlPlanesIn(ctx, r, namespace, d.key())
	if err != nil {
		return false, "", err
	}
	own = plane != nil
	if own || d.present {
		return own, foreign, nil
	}
	for _, u := range d.clusterAPI(ctx, r, "clusters") {
		own = own || u.GetAnnotations()[hostedcluster.OwnerAnnotation] == d.key().String()
	}
	return own, foreign, nil
}

// controlPlane returns the control plane namespace; nil if it does not exist or is not this cluster's.
func (d *Plan) controlPlane(ctx context.Context, r kube.Reader) (*corev1.Namespace, error) {
	ns := &corev1.Namespace{}
	err := r.Get(ctx, client.ObjectKey{Name: d.controlPlaneName()}, ns)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, err
	case !labelledControlPlane(ns) || d.keepControlPlane || d.foreignNamespace:
		return nil, nil
	case d.controlPlaneUID != "" && ns.UID != d.controlPlaneUID:
		return nil, nil // created again meanwhile, for another cluster
	}
	return ns, nil
}

// labelledControlPlane reports whether a namespace has the label of control planes. HyperShift of 2022 wrote it without
// a value.
func labelledControlPlane(ns *corev1.Namespace) bool {
	_, is := ns.Labels[hostedcluster.ControlPlaneLabel]
	return is
}

func (d *Plan) controlPlaneName() string {
	return hostedcluster.ControlPlaneNamespace(d.Namespace, d.Name)
}
