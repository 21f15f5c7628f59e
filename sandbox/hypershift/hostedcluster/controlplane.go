package hostedcluster

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"

	routev1 "github.com/openshift/api/route/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/workload"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
)

// ensureControlPlane creates what follows once every gate is open: the namespace, the control plane's Secrets, the
// HostedControlPlane, and the three Deployments that the HyperShift operator itself runs there.
func (r *hostedClusters) ensureControlPlane(ctx context.Context, hc *hyperv1.HostedCluster,
	hcp *hyperv1.HostedControlPlane) error {
	namespace := metadata.ControlPlaneNamespace(hc.Namespace, hc.Name)
	if err := r.ensureNamespace(ctx, namespace, hc); err != nil {
		return err
	}
	err := r.patchStatus(ctx, hc, func(hc *hyperv1.HostedCluster) {
		status.Set(&hc.Status.Conditions, hc.Generation, status.True(hyperv1.PlatformCredentialsFound, msgCredentialsFound))
	})
	if err != nil {
		return err
	}
	if err := r.syncSecrets(ctx, hc, namespace); err != nil {
		return err
	}
	if err := r.createLeftovers(ctx, hc, namespace); err != nil {
		return err
	}
	if err := r.ensureHCP(ctx, hc, hcp, namespace); err != nil {
		return err
	}
	for _, c := range workload.OperatorDeployments() {
		err := workload.ApplyDeployment(ctx, r.Client, c.Sized(r.Lean, r.Fleet), workload.OfCluster(hc, namespace))
		if err != nil {
			return err
		}
	}
	if hcp == nil {
		return nil
	}
	return r.publishSecrets(ctx, hc, hcp)
}

// ensureNamespace labels the namespace for the pods of the hosted cluster's release: since 4.14 unprivileged ones.
func (r *hostedClusters) ensureNamespace(ctx context.Context, name string, hc *hyperv1.HostedCluster) error {
	level := "restricted"
	if payload, err := r.Registry().Lookup(hc.Spec.Release.Image); err == nil && release.Minor(payload.Version) < 14 {
		level = "privileged"
	}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, ns, func() error {
		if !ns.DeletionTimestamp.IsZero() {
			return fmt.Errorf("namespace %s is being deleted", name)
		}
		metadata.Add(&ns.Labels, map[string]string{
			metadata.ControlPlaneLabel:                       "true",
			"hypershift.openshift.io/monitoring":             "true",
			"pod-security.kubernetes.io/enforce":             level,
			"pod-security.kubernetes.io/audit":               level,
			"pod-security.kubernetes.io/warn":                level,
			"security.openshift.io/scc.podSecurityLabelSync": "false",
		})
		return nil
	})
	if err != nil {
		return fmt.Errorf("failed to reconcile namespace: %w", err)
	}
	return nil
}

// syncSecrets copies the Secrets in the HostedCluster's spec to the control plane namespace.
func (r *hostedClusters) syncSecrets(ctx context.Context, hc *hyperv1.HostedCluster, namespace string) error {
	if err := reconciler.CheckPullSecret(ctx, r.Client, hc); err != nil {
		return fmt.Errorf("failed to get pull secret %s: %w", hc.Spec.PullSecret.Name, err)
	}
	if err := r.ownSecrets(ctx, hc); err != nil {
		return err
	}
	if err := r.copySecret(ctx, hc, hc.Spec.PullSecret.Name, namespace, metadata.PullSecretName,
		corev1.SecretTypeDockerConfigJson); err != nil {
		return err
	}
	if enc := hc.Spec.SecretEncryption; enc != nil && enc.AESCBC != nil {
		name := enc.AESCBC.ActiveKey.Name
		if err := r.copySecret(ctx, hc, name, namespace, name, corev1.SecretTypeOpaque); err != nil {
			return err
		}
	}
	if name := hc.Spec.SSHKey.Name; name != "" {
		if err := r.copySecret(ctx, hc, name, namespace, name, corev1.SecretTypeOpaque); err != nil {
			return err
		}
	}
	return nil
}

func (r *hostedClusters) copySecret(ctx context.Context, hc *hyperv1.HostedCluster, fromName, namespace, name string,
	kind corev1.SecretType) error {
	from := &corev1.Secret{}
	if err := r.Client.Get(ctx, types.NamespacedName{Namespace: hc.Namespace, Name: fromName}, from); err != nil {
		return fmt.Errorf("failed to get secret %s/%s: %w", hc.Namespace, fromName, err)
	}
	to := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Type: kind}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, to, func() error {
		to.Data = from.Data
		metadata.Add(&to.Annotations, map[string]string{metadata.ClusterAnnotation: hc.Namespace + "/" + hc.Name})
		return nil
	})
	if err != nil {
		return fmt.Errorf("failed to copy secret %s/%s to %s/%s: %w", hc.Namespace, fromName, namespace, name, err)
	}
	return nil
}

// publishSecrets copies the admin kubeconfig and the kubeadmin password to the HostedCluster's namespace.
func (r *hostedClusters) publishSecrets(ctx context.Context, hc *hyperv1.HostedCluster,
	hcp *hyperv1.HostedControlPlane) error {
	if hcp.Status.KubeConfig != nil {
		name := hc.Name + "-admin-kubeconfig"
		if err := r.publish(ctx, hc, hcp.Namespace, hcp.Status.KubeConfig.Name, name, hc.Labels); err != nil {
			return err
		}
		if err := r.patchStatus(ctx, hc, func(hc *hyperv1.HostedCluster) {
			hc.Status.KubeConfig = &corev1.LocalObjectReference{Name: name}
		}); err != nil {
			return err
		}
	}
	if hcp.Status.KubeadminPassword == nil {
		return nil
	}
	name := hc.Name + "-kubeadmin-password"
	if err := r.publish(ctx, hc, hcp.Namespace, hcp.Status.KubeadminPassword.Name, name, nil); err != nil {
		return err
	}
	return r.patchStatus(ctx, hc, func(hc *hyperv1.HostedCluster) {
		hc.Status.KubeadminPassword = &corev1.LocalObjectReference{Name: name}
	})
}

func (r *hostedClusters) publish(ctx context.Context, hc *hyperv1.HostedCluster, fromNamespace, fromName,
	name string, labels map[string]string) error {
	from := &corev1.Secret{}
	if err := r.Client.Get(ctx, types.NamespacedName{Namespace: fromNamespace, Name: fromName}, from); err != nil {
		return fmt.Errorf("failed to get secret %s/%s: %w", fromNamespace, fromName, err)
	}
	to := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: hc.Namespace, Name: name}, Type: corev1.SecretTypeOpaque}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, to, func() error {
		to.Data = from.Data
		to.Labels = labels
		metadata.Add(&to.Annotations, map[string]string{metadata.ClusterAnnotation: hc.Namespace + "/" + hc.Name})
		return controllerutil.SetOwnerReference(hc, to, r.Scheme)
	})
	if err != nil {
		return fmt.Errorf("failed to reconcile secret %s/%s: %w", hc.Namespace, name, err)
	}
	return nil
}

// ensureHCP writes the HostedControlPlane. Its spec is nearly the HostedCluster's, with the names of the copied
// Secrets.
func (r *hostedClusters) ensureHCP(ctx context.Context, hc *hyperv1.HostedCluster, existing *hyperv1.HostedControlPlane,
	namespace string) error {
	autoscaled, err := r.autoscaled(ctx, hc)
	if err != nil {
		return err
	}
	owner, err := r.ClusterAPI.EnsureCluster(ctx, namespace, hc.Spec.InfraID, client.ObjectKeyFromObject(hc))
	if err != nil {
		return err
	}
	hcp := &hyperv1.HostedControlPlane{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: hc.Name}}
	mutate := func() error {
		metadata.Add(&hcp.Annotations, map[string]string{metadata.ClusterAnnotation: hc.Namespace + "/" + hc.Name})
		for k, v := range hc.Annotations {
			if strings.HasPrefix(k, "hypershift.openshift.io/") && k != beenAvailableAnnotation {
				hcp.Annotations[k] = v
			}
		}
		if delete(hcp.Annotations, fault.Annotation); hc.Annotations[fault.Annotation] != "" {
			hcp.Annotations[fault.Annotation] = hc.Annotations[fault.Annotation]
		}
		metadata.Add(&hcp.Annotations, map[string]string{hyperv1.DisableClusterAutoscalerAnnotation: "true"})
		if autoscaled {
			delete(hcp.Annotations, hyperv1.DisableClusterAutoscalerAnnotation)
		}
		metadata.Add(&hcp.Labels, map[string]string{metadata.ClusterNameLabel: hc.Spec.InfraID})
		FillSpec(&hcp.Spec, &hc.Spec)
		return controllerutil.SetControllerReference(owner, hcp, r.Scheme)
	}
	if existing != nil && !existing.DeletionTimestamp.IsZero() {
		return nil
	}
	done, err := controllerutil.CreateOrPatch(ctx, r.Client, hcp, mutate)
	if err == nil && done == controllerutil.OperationResultCreated {
		err = r.passNodeCIDRs(ctx, hc, hcp)
	}
	if err != nil {
		return fmt.Errorf("failed to reconcile hostedcontrolplane: %w", err)
	}
	return nil
}

// FillSpec copies a HostedCluster's spec to its control plane's, with the names of the copied Secrets.
func FillSpec(to *hyperv1.HostedControlPlaneSpec, from *hyperv1.HostedClusterSpec) {
	to.ReleaseImage = from.Release.Image
	to.UpdateService, to.Channel = from.UpdateService, from.Channel
	to.PullSecret = corev1.LocalObjectReference{Name: metadata.PullSecretName}
	to.IssuerURL, to.Networking, to.SSHKey = from.IssuerURL, from.Networking, from.SSHKey
	to.ClusterID, to.InfraID, to.Platform, to.DNS = from.ClusterID, from.InfraID, from.Platform, from.DNS
	to.ServiceAccountSigningKey = from.ServiceAccountSigningKey
	to.ControllerAvailabilityPolicy = from.ControllerAvailabilityPolicy
	to.InfrastructureAvailabilityPolicy = from.InfrastructureAvailabilityPolicy
	to.FIPS, to.KubeAPIServerDNSName, to.Services = from.FIPS, from.KubeAPIServerDNSName, from.Services
	to.AuditWebhook, to.Etcd, to.Configuration = from.AuditWebhook, from.Etcd, from.Configuration
	to.OperatorConfiguration = from.OperatorConfiguration
	to.ImageContentSources = from.ImageContentSources
	to.AdditionalTrustBundle, to.SecretEncryption = from.AdditionalTrustBundle, from.SecretEncryption
	to.PausedUntil, to.OLMCatalogPlacement, to.Autoscaling = from.PausedUntil, from.OLMCatalogPlacement, from.Autoscaling
	to.NodeSelector, to.Tolerations, to.Labels = from.NodeSelector, from.Tolerations, from.Labels
	to.Capabilities = from.Capabilities
	if to.Configuration == nil {
		to.Configuration = &hyperv1.ClusterConfiguration{}
	}
}

// pauseControlPlane copies a pause to the HostedControlPlane.
func (r *hostedClusters) pauseControlPlane(ctx context.Context, hc *hyperv1.HostedCluster,
	hcp *hyperv1.HostedControlPlane) error {
	if hcp == nil || ptr.Equal(hcp.Spec.PausedUntil, hc.Spec.PausedUntil) {
		return nil
	}
	before := hcp.DeepCopy()
	hcp.Spec.PausedUntil = hc.Spec.PausedUntil
	if err := r.Client.Patch(ctx, hcp, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("failed to pause hostedcontrolplane: %w", err)
	}
	return nil
}

// ignitionProxy is the Service that a Route or a node port leads to.
const ignitionProxy = "ignition-server-proxy"

// ignitionState is the state of the ignition server in the HostedCluster's status.
type ignitionState struct {
	endpoint  string
	available status.Condition
}

func (r *hostedClusters) ignition(ctx context.Context, hc *hyperv1.HostedCluster) (ignitionState, error) {
	key := types.NamespacedName{Namespace: metadata.ControlPlaneNamespace(hc.Namespace, hc.Name), Name: "ignition-server"}
	route := &routev1.Route{}
	if err := r.Cached.Get(ctx, key, route); client.IgnoreNotFound(err) != nil {
		return ignitionState{}, fmt.Errorf("failed to get ignitionServerRoute: %w", err)
	}
	state := ignitionState{endpoint: route.Spec.Host}
	how := reconciler.Publishing(hc.Spec.Services, hyperv1.Ignition)
	switch {
	case how != nil && how.Route != nil && how.Route.Hostname != "":
		state.endpoint = how.Route.Hostname
	case how != nil && how.Type == hyperv1.NodePort:
		service := &corev1.Service{}
		err := r.Cached.Get(ctx, types.NamespacedName{Namespace: key.Namespace, Name: ignitionProxy}, service)
		if client.IgnoreNotFound(err) != nil {
			return ignitionState{}, fmt.Errorf("failed to get ignition proxy service: %w", err)
		}
		if at := reconciler.NodePort(service, how); at != nil {
			state.endpoint = net.JoinHostPort(at.Address, strconv.Itoa(int(at.Port)))
		}
	}
	d := &appsv1.Deployment{}
	err := r.Cached.Get(ctx, key, d)
	switch {
	case apierrors.IsNotFound(err):
		state.available = status.False(hyperv1.IgnitionEndpointAvailable, hyperv1.NotFoundReason, msgIgnitionNotFound)
	case err != nil:
		return ignitionState{}, fmt.Errorf("failed to get ignition server deployment: %w", err)
	case workload.DeploymentAvailable(d):
		state.available = status.True(hyperv1.IgnitionEndpointAvailable, msgIgnitionAvailable)
	default:
		state.available = status.False(hyperv1.IgnitionEndpointAvailable, hyperv1.WaitingForAvailableReason,
			msgIgnitionNotAvailable)
	}
	return state, nil
}
