package hostedcluster

import (
	"context"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
)

// createLeftovers creates objects in the control plane namespace that cannot be deleted, as the active faults require.
func (r *hostedClusters) createLeftovers(ctx context.Context, hc *hyperv1.HostedCluster, namespace string) error {
	for name, o := range map[string]client.Object{
		fault.NamespaceHeld: &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: "backup-in-progress", Finalizers: []string{metadata.BackupFinalizer}},
			Data:       map[string]string{"cluster": hc.Name},
		},
		fault.ClaimLeft: &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Name: "pvc-" + string(hc.UID), Finalizers: []string{metadata.SnapshotFinalizer}},
			Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				Resources: corev1.VolumeResourceRequirements{
					Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
			},
		},
		fault.BalancerLeft: &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{
				Name: "a" + metadata.ShortHash(string(hc.UID), 31), Finalizers: []string{metadata.BalancerFinalizer},
				Labels: map[string]string{"cluster.x-k8s.io/tenant-service-name": "web",
					"cluster.x-k8s.io/tenant-service-namespace": "default"},
			},
			Spec: corev1.ServiceSpec{
				Type: corev1.ServiceTypeLoadBalancer, Selector: map[string]string{"kubevirt.io": "virt-launcher"},
				Ports: []corev1.ServicePort{{Name: "web", Port: 80, Protocol: corev1.ProtocolTCP}},
			},
		},
	} {
		if !r.Faults.Active(name) {
			continue
		}
		o.SetNamespace(namespace)
		if err := r.Client.Create(ctx, o); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("leave %T %s/%s behind: %w", o, namespace, o.GetName(), err)
		}
	}
	return nil
}
