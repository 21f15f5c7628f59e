package hostedcluster

import (
	"context"
	"fmt"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// cleanupAsked holds once the operator is told to remove what the hosted cluster itself made in the infrastructure: load
// balancers and volumes. It comes before detaching, since the hypershift addon imports a cluster anew whose HostedCluster is edited.
func (d *Deletion) cleanupAsked(ctx context.Context) step.Finding {
	hc, err := d.hostedCluster(ctx)
	switch {
	case err != nil:
		return kube.Unread(err).On("HostedCluster %s", d.key())
	case hc == nil:
		return step.Okay("gone already").On("HostedCluster %s", d.key())
	case hc.DeletionTimestamp != nil, hc.Annotations[hyperv1.CleanupCloudResourcesAnnotation] == "true":
		return step.Okay("its operator is told to clean up load balancers and volumes").On("HostedCluster %s", d.key())
	}
	return step.NotThere("its operator is not told yet to clean up load balancers and volumes").On("HostedCluster %s", d.key())
}

func (d *Deletion) askCleanup(ctx context.Context) (step.Change, error) {
	hc := &hyperv1.HostedCluster{}
	hc.Namespace, hc.Name = d.Namespace, d.Name
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"true"}}}`, hyperv1.CleanupCloudResourcesAnnotation)
	if err := d.client.Patch(ctx, hc, client.RawPatch(mergePatch, patch), client.FieldOwner(kube.FieldOwner)); err != nil {
		if apierrors.IsNotFound(err) {
			return step.Unchanged, nil
		}
		return "", fmt.Errorf("HostedCluster %s: %w", d.key(), err)
	}
	return step.Configured, nil
}

// detached holds once there is no ManagedCluster that the hypershift addon made for this cluster.
func (d *Deletion) detached(ctx context.Context) step.Finding {
	mc, err := d.managedCluster(ctx)
	switch {
	case err != nil:
		return kube.Unread(err).On("ManagedCluster %s", d.Name)
	case mc == nil:
		return step.Okay("none that the hypershift addon imported for it").On("ManagedCluster %s", d.Name)
	case mc.DeletionTimestamp != nil:
		return step.Waiting("being detached; finalizers: %s", strings.Join(mc.Finalizers, ", ")).On("ManagedCluster %s", d.Name)
	}
	return step.NotThere("imported by the hypershift addon").On("ManagedCluster %s", d.Name)
}

func (d *Deletion) detach(ctx context.Context) (step.Change, error) {
	mc, err := d.managedCluster(ctx)
	if err != nil || mc == nil {
		return step.Unchanged, err
	}
	return d.remove(ctx, mc, "ManagedCluster")
}

// hostedClusterGone says what the operator still has to remove: it tells that nowhere itself.
func (d *Deletion) hostedClusterGone(ctx context.Context) step.Finding {
	hc, err := d.hostedCluster(ctx)
	switch {
	case err != nil:
		return kube.Unread(err).On("HostedCluster %s", d.key())
	case hc == nil:
		return step.Okay("gone").On("HostedCluster %s", d.key())
	case hc.DeletionTimestamp == nil:
		return step.NotThere("still there").On("HostedCluster %s", d.key())
	}
	pools, err := d.nodePools(ctx)
	if err != nil {
		return kube.Unread(err).On("NodePools in namespace %s", d.Namespace)
	}
	ns, err := d.controlPlane(ctx)
	if err != nil {
		return kube.Unread(err).On("Namespace %s", ControlPlaneNamespace(d.Namespace, d.Name))
	}
	return removing(hc, pools, ns)
}

// removing judges what holds up a HostedCluster that is being deleted, in the order its operator goes: NodePools, what the guest
// made in the infrastructure, the control plane's namespace, the HostedCluster's own finalizers.
func removing(hc *hyperv1.HostedCluster, pools []hyperv1.NodePool, ns *corev1.Namespace) step.Finding {
	if len(pools) > 0 {
		return step.Waiting("its worker VMs are being removed").On("NodePool %s", kube.Name(&pools[0]))
	}
	// Deletion makes a new generation, which the operator may never report on: every condition counts here.
	c := meta.FindStatusCondition(hc.Status.Conditions, string(hyperv1.CloudResourcesDestroyed))
	if c != nil && c.Status != metav1.ConditionTrue && c.Message != "" && ns != nil && ns.DeletionTimestamp == nil {
		return step.Waiting("%s %s (%s): %s", c.Type, c.Status, c.Reason, c.Message).On("HostedCluster %s", kube.Name(hc))
	}
	if ns != nil {
		return terminating(ns)
	}
	return step.Waiting("finalizers: %s", strings.Join(hc.Finalizers, ", ")).On("HostedCluster %s", kube.Name(hc))
}

// terminating says what is left in a namespace, in the namespace controller's words.
func terminating(ns *corev1.Namespace) step.Finding {
	var parts []string
	for _, t := range []corev1.NamespaceConditionType{
		corev1.NamespaceContentRemaining, corev1.NamespaceFinalizersRemaining, corev1.NamespaceDeletionContentFailure,
		corev1.NamespaceDeletionDiscoveryFailure, corev1.NamespaceDeletionGVParsingFailure,
	} {
		for _, c := range ns.Status.Conditions {
			if c.Type == t && c.Status == corev1.ConditionTrue {
				parts = append(parts, c.Message)
			}
		}
	}
	switch {
	case len(parts) > 0:
		return step.Waiting("being emptied: %s", strings.Join(parts, "; ")).On("Namespace %s", ns.Name)
	case ns.DeletionTimestamp != nil:
		return step.Waiting("being emptied").On("Namespace %s", ns.Name)
	}
	return step.Waiting("the control plane is being removed").On("Namespace %s", ns.Name)
}

func (d *Deletion) deleteHostedCluster(ctx context.Context) (step.Change, error) {
	hc, err := d.hostedCluster(ctx)
	if err != nil || hc == nil {
		return step.Unchanged, err
	}
	return d.remove(ctx, hc, hostedClusterKind)
}

// remove deletes the very object that was read, not another that has since got its name.
func (d *Deletion) remove(ctx context.Context, obj client.Object, kind string) (step.Change, error) {
	uid := obj.GetUID()
	err := d.client.Delete(ctx, obj, client.Preconditions{UID: &uid}, client.PropagationPolicy(background))
	switch {
	case apierrors.IsNotFound(err):
		return step.Unchanged, nil
	case err != nil:
		return "", fmt.Errorf("%s %s: %w", kind, kube.Name(obj), err)
	}
	return step.Deleted, nil
}
