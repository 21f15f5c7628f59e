package workload

import (
	"context"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
)

// Workload has what all pods of a control plane share.
type Workload struct {
	Namespace    string
	cluster      string
	Image        string
	policy       hyperv1.AvailabilityPolicy
	nodeSelector map[string]string
	tolerations  []corev1.Toleration
	labels       map[string]string
	etcd         hyperv1.EtcdSpec
	// owner is the HostedControlPlane, nil for what the HyperShift operator makes before there is one.
	owner *metav1.OwnerReference
}

// OfCluster returns the workload settings of a HostedCluster's control plane namespace.
func OfCluster(hc *hyperv1.HostedCluster, namespace string) Workload {
	return Workload{
		Namespace: namespace, cluster: hc.Namespace + "/" + hc.Name, Image: hc.Spec.Release.Image,
		policy: hc.Spec.ControllerAvailabilityPolicy, nodeSelector: hc.Spec.NodeSelector,
		tolerations: hc.Spec.Tolerations, labels: hc.Spec.Labels, etcd: hc.Spec.Etcd,
	}
}

// OfControlPlane returns the workload settings of a HostedControlPlane.
func OfControlPlane(hcp *hyperv1.HostedControlPlane, scheme *runtime.Scheme) (Workload, error) {
	gvk, err := apiutil.GVKForObject(hcp, scheme)
	if err != nil {
		return Workload{}, fmt.Errorf("own the workloads of %s: %w", hcp.Namespace, err)
	}
	return Workload{
		Namespace: hcp.Namespace, cluster: hcp.Annotations[metadata.ClusterAnnotation], Image: hcp.Spec.ReleaseImage,
		policy: hcp.Spec.ControllerAvailabilityPolicy, nodeSelector: hcp.Spec.NodeSelector,
		tolerations: hcp.Spec.Tolerations, labels: hcp.Spec.Labels, etcd: hcp.Spec.Etcd,
		owner: metav1.NewControllerRef(hcp, gvk),
	}, nil
}

// podLabels are the selector of a component's pods.
func (c Component) podLabels() map[string]string {
	labels := map[string]string{"app": c.Name, metadata.ComponentLabel: c.Name}
	for k, v := range c.labels {
		labels[k] = v
	}
	return labels
}

// podTemplate has one small container. Its requests are far below the real ones, so that many control planes fit a
// sandbox's nodes.
func podTemplate(c Component, w Workload) corev1.PodTemplateSpec {
	labels := c.podLabels()
	labels[metadata.ControlPlaneLabel] = w.Namespace
	for k, v := range w.labels {
		labels[k] = v
	}
	priority := c.priority
	if priority == "" {
		priority = priorityControlPlane
	}
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels,
			Annotations: map[string]string{metadata.ReleaseImageAnnotation: w.Image}},
		Spec: corev1.PodSpec{
			PriorityClassName:            priority,
			NodeSelector:                 w.nodeSelector,
			Tolerations:                  w.tolerations,
			AutomountServiceAccountToken: ptr.To(false),
			Containers: []corev1.Container{{
				Name:  c.Name,
				Image: "quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:" + metadata.ShortHash(w.Image+"/"+c.Name, 64),
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
					corev1.ResourceCPU:    resource.MustParse("5m"),
					corev1.ResourceMemory: resource.MustParse("8Mi"),
				}},
			}},
		},
	}
}

func workloadMeta(c Component, w Workload) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: w.Namespace, Name: c.Name}
}

// mark sets the metadata of a Deployment or a StatefulSet.
func (w Workload) mark(m *metav1.ObjectMeta) {
	metadata.Add(&m.Labels, map[string]string{metadata.ManagedByLabel: ControlPlaneOperator})
	if w.owner == nil {
		metadata.Add(&m.Annotations, map[string]string{metadata.ClusterAnnotation: w.cluster})
		return
	}
	m.OwnerReferences = []metav1.OwnerReference{*w.owner}
}

// ApplyDeployment creates a component's Deployment, or updates it to another release.
func ApplyDeployment(ctx context.Context, cl client.Client, c Component, w Workload) error {
	d := &appsv1.Deployment{ObjectMeta: workloadMeta(c, w)}
	_, err := controllerutil.CreateOrUpdate(ctx, cl, d, func() error {
		w.mark(&d.ObjectMeta)
		metadata.Add(&d.Labels, c.ownLabels)
		if d.CreationTimestamp.IsZero() {
			d.Spec = appsv1.DeploymentSpec{
				Replicas: ptr.To(c.Replicas(w.policy)),
				Selector: &metav1.LabelSelector{MatchLabels: c.podLabels()},
				Template: podTemplate(c, w),
			}
			return nil
		}
		d.Spec.Replicas = ptr.To(c.Replicas(w.policy))
		rollTo(&d.Spec.Template, c, w)
		return nil
	})
	if err != nil {
		return fmt.Errorf("apply Deployment %s/%s: %w", w.Namespace, c.Name, err)
	}
	return nil
}

// rollTo changes only what differs between releases, so that the API server's defaults stay.
func rollTo(t *corev1.PodTemplateSpec, c Component, w Workload) {
	if t.Annotations[metadata.ReleaseImageAnnotation] == w.Image {
		return
	}
	fresh := podTemplate(c, w)
	metadata.Add(&t.Annotations, fresh.Annotations)
	t.Spec.Containers[0].Image = fresh.Spec.Containers[0].Image
}

// ApplyEtcd creates etcd's StatefulSet with one volume claim for each member. Anti-affinity keeps highly available
// members on different nodes.
func ApplyEtcd(ctx context.Context, cl client.Client, c Component, w Workload) error {
	s := &appsv1.StatefulSet{ObjectMeta: workloadMeta(c, w)}
	_, err := controllerutil.CreateOrUpdate(ctx, cl, s, func() error {
		w.mark(&s.ObjectMeta)
		if !s.CreationTimestamp.IsZero() {
			rollTo(&s.Spec.Template, c, w)
			return nil
		}
		template := podTemplate(c, w)
		template.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "data", MountPath: "/var/lib"}}
		if c.Replicas(w.policy) > 1 {
			template.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
					TopologyKey:   corev1.LabelHostname,
					LabelSelector: &metav1.LabelSelector{MatchLabels: c.podLabels()},
				}},
			}}
		}
		s.Spec = appsv1.StatefulSetSpec{
			Replicas:             ptr.To(c.Replicas(w.policy)),
			ServiceName:          "etcd-discovery",
			PodManagementPolicy:  appsv1.ParallelPodManagement,
			Selector:             &metav1.LabelSelector{MatchLabels: c.podLabels()},
			Template:             template,
			VolumeClaimTemplates: []corev1.PersistentVolumeClaim{etcdClaim(w.etcd)},
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("apply StatefulSet %s/%s: %w", w.Namespace, c.Name, err)
	}
	return nil
}

func etcdClaim(spec hyperv1.EtcdSpec) corev1.PersistentVolumeClaim {
	size := resource.MustParse("8Gi")
	var class *string
	if m := spec.Managed; m != nil && m.Storage.PersistentVolume != nil {
		if m.Storage.PersistentVolume.Size != nil {
			size = *m.Storage.PersistentVolume.Size
		}
		class = m.Storage.PersistentVolume.StorageClassName
	}
	return corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "data", Labels: map[string]string{"app": "etcd"}},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			StorageClassName: class,
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: size},
			},
		},
	}
}

// DeploymentAvailable reports whether the Deployment has condition Available.
func DeploymentAvailable(d *appsv1.Deployment) bool {
	for _, c := range d.Status.Conditions {
		if c.Type == appsv1.DeploymentAvailable {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// EnsurePriorityClasses creates the priority classes of control plane pods, which cannot be created without them. The
// real classes come with the operator's own manifests.
func EnsurePriorityClasses(ctx context.Context, cl client.Client) error {
	for name, value := range map[string]int32{priorityControlPlane: 100000000, priorityAPI: 100001000,
		priorityEtcd: 100002000} {
		pc := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value}
		if err := cl.Create(ctx, pc); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create PriorityClass %s: %w", name, err)
		}
	}
	return nil
}
