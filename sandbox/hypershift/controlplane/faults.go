package controlplane

import (
	"context"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/workload"
	"github.com/hcctl/hcctl/sandbox/kubelet"
)

// createStuckService creates a Service of type LoadBalancer in the guest that cannot be removed, as a user of the guest
// could.
func (r *controlPlanes) createStuckService(ctx context.Context, guest client.Client) error {
	if !r.Faults.Active(fault.CloudResourcesRemain) {
		return nil
	}
	s := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web", Finalizers: []string{metadata.BalancerFinalizer}},
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeLoadBalancer, Selector: map[string]string{"app": "web"},
			Ports: []corev1.ServicePort{{Name: "web", Port: 80, Protocol: corev1.ProtocolTCP}},
		},
	}
	if err := guest.Create(ctx, s); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create Service %s/%s of the guest: %w", s.Namespace, s.Name, err)
	}
	return nil
}

// heldAnnotation on the control plane operator's Deployment has the UIDs of the pods that are held. If a user replaces
// them, the new operator works.
const heldAnnotation = "sandbox.hcctl.dev/held"

// withoutOperator reports whether the control plane operator is unable to finish the deletion: its pod is not ready, so
// the HostedControlPlane keeps its finalizer. Which pods are held is written before the first is, so that one that
// replaces a held pod at once is not held itself.
func (r *controlPlanes) withoutOperator(ctx context.Context, namespace string) (bool, error) {
	if !r.Faults.Active(fault.ControlPlaneHeld) {
		return false, nil
	}
	operator := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "control-plane-operator"}}
	if err := r.Client.Get(ctx, client.ObjectKeyFromObject(operator), operator); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	pods := &corev1.PodList{}
	err := r.Client.List(ctx, pods, client.InNamespace(namespace), client.MatchingLabels{"app": operator.Name})
	if err != nil {
		return true, fmt.Errorf("list the pods of the control plane operator in %s: %w", namespace, err)
	}
	if operator.Annotations[heldAnnotation] == "" {
		if len(pods.Items) == 0 {
			return true, nil
		}
		var uids []string
		for i := range pods.Items {
			uids = append(uids, string(pods.Items[i].UID))
		}
		if err := r.mark(ctx, operator, heldAnnotation, strings.Join(uids, ",")); err != nil {
			return true, err
		}
	}
	held := false
	for i := range pods.Items {
		pod := &pods.Items[i]
		if !strings.Contains(operator.Annotations[heldAnnotation], string(pod.UID)) {
			continue
		}
		held = true
		if pod.Annotations[kubelet.HoldAnnotation] == "" {
			if err := r.mark(ctx, pod, kubelet.HoldAnnotation, "unready"); err != nil {
				return true, err
			}
		}
	}
	return held || !workload.DeploymentAvailable(operator), nil
}

func (r *controlPlanes) mark(ctx context.Context, o client.Object, key, value string) error {
	before, ok := o.DeepCopyObject().(client.Object)
	if !ok {
		return fmt.Errorf("%T does not copy to an object", o)
	}
	annotations := o.GetAnnotations()
	metadata.Add(&annotations, map[string]string{key: value})
	o.SetAnnotations(annotations)
	if err := r.Client.Patch(ctx, o, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("annotate %T %s: %w", o, client.ObjectKeyFromObject(o), err)
	}
	return nil
}
