package hypershift

import (
	"context"
	"fmt"
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/kubelet"
)

// Faults that let the deletion of a hosted cluster hang. What is left has a finalizer that somebody real puts there, and
// the somebody is not there to take it off again.
const (
	// snapshotFinalizer is the snapshot controller's on a claim while a snapshot is taken of it.
	snapshotFinalizer = "snapshot.storage.kubernetes.io/pvc-as-source-protection"
	// balancerFinalizer is the service controller's on a Service whose load balancer is still there.
	balancerFinalizer = "service.kubernetes.io/load-balancer-cleanup"
	// backupFinalizer is that of a tool of the cluster's users.
	backupFinalizer = "backup.example.com/hold"
)

// leaveBehind puts into the control plane namespace what will not go, as the faults have it.
func (r *hostedClusters) leaveBehind(ctx context.Context, hc *hyperv1.HostedCluster, namespace string) error {
	for name, o := range map[string]client.Object{
		fault.NamespaceHeld: &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: "backup-in-progress", Finalizers: []string{backupFinalizer}},
			Data:       map[string]string{"cluster": hc.Name},
		},
		fault.ClaimLeft: &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Name: "pvc-" + string(hc.UID), Finalizers: []string{snapshotFinalizer}},
			Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
			},
		},
		fault.BalancerLeft: &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{
				Name: "a" + shortHash(string(hc.UID), 31), Finalizers: []string{balancerFinalizer},
				Labels: map[string]string{"cluster.x-k8s.io/tenant-service-name": "web", "cluster.x-k8s.io/tenant-service-namespace": "default"},
			},
			Spec: corev1.ServiceSpec{
				Type: corev1.ServiceTypeLoadBalancer, Selector: map[string]string{"kubevirt.io": "virt-launcher"},
				Ports: []corev1.ServicePort{{Name: "web", Port: 80, Protocol: corev1.ProtocolTCP}},
			},
		},
	} {
		if !r.Faults.On(name) {
			continue
		}
		o.SetNamespace(namespace)
		if err := r.Client.Create(ctx, o); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("leave %T %s/%s behind: %w", o, namespace, o.GetName(), err)
		}
	}
	return nil
}

// leaveInGuest makes what a guest's user could have made, and what cannot be removed again: a Service of type LoadBalancer.
func (r *controlPlanes) leaveInGuest(ctx context.Context, guest client.Client) error {
	if !r.Faults.On(fault.CloudResourcesRemain) {
		return nil
	}
	s := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web", Finalizers: []string{balancerFinalizer}},
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

// heldAnnotation on the control plane operator's Deployment tells that its pods were held already: whoever replaces them
// then gets an operator that works.
const heldAnnotation = "sandbox.hcctl.dev/held"

// withoutOperator tells whether the control plane operator is not there to finish the deletion: its pod runs but is not
// ready, and the HostedControlPlane keeps its finalizer. A change of its Deployment brings us back.
func (r *controlPlanes) withoutOperator(ctx context.Context, namespace string) (bool, error) {
	if !r.Faults.On(fault.ControlPlaneHeld) {
		return false, nil
	}
	operator := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "control-plane-operator"}}
	if err := r.Client.Get(ctx, client.ObjectKeyFromObject(operator), operator); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	if operator.Annotations[heldAnnotation] != "" {
		return !deploymentAvailable(operator), nil
	}
	pods := &corev1.PodList{}
	err := r.Client.List(ctx, pods, client.InNamespace(namespace), client.MatchingLabels{"app": operator.Name})
	if err != nil {
		return true, fmt.Errorf("list the pods of the control plane operator in %s: %w", namespace, err)
	}
	for i := range pods.Items {
		if pods.Items[i].Annotations[kubelet.HoldAnnotation] != "" {
			continue
		}
		if err := r.mark(ctx, &pods.Items[i], kubelet.HoldAnnotation, "unready"); err != nil {
			return true, err
		}
	}
	if deploymentAvailable(operator) {
		return true, nil // its own controller has not seen it yet, and will bring us back
	}
	return true, r.mark(ctx, operator, heldAnnotation, "true")
}

func (b *base) mark(ctx context.Context, o client.Object, key, value string) error {
	before, ok := o.DeepCopyObject().(client.Object)
	if !ok {
		return fmt.Errorf("%T does not copy to an object", o)
	}
	annotations := o.GetAnnotations()
	addTo(&annotations, map[string]string{key: value})
	o.SetAnnotations(annotations)
	if err := b.Client.Patch(ctx, o, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("annotate %T %s: %w", o, client.ObjectKeyFromObject(o), err)
	}
	return nil
}

// holdMachine puts a finalizer on one machine of a pool that is about to go, so that it does not.
func (p *pool) holdMachine(ctx context.Context) error {
	if !p.Faults.On(fault.MachineHeld) || len(p.machines) == 0 {
		return nil
	}
	vm := &p.machines[0].vm
	if p.machines[0].leaving() || slices.Contains(vm.Finalizers, backupFinalizer) {
		return nil
	}
	before := vm.DeepCopy()
	vm.Finalizers = append(vm.Finalizers, backupFinalizer)
	if err := p.Client.Patch(ctx, vm, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("hold VirtualMachine %s/%s: %w", vm.Namespace, vm.Name, err)
	}
	return nil
}
