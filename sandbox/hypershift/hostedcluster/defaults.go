package hostedcluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	routev1 "github.com/openshift/api/route/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
)

const (
	infraTempRoute = "kubevirt-infra-temp-route"
	// IssuerURL is the default issuer of service account tokens.
	IssuerURL     = "https://kubernetes.default.svc"
	encryptionKey = "key"
)

// platformDefaults sets the operator's defaults for the KubeVirt platform, before it writes any condition. It returns
// false after a change, which triggers a new reconcile.
func (r *hostedClusters) platformDefaults(ctx context.Context, hc *hyperv1.HostedCluster) (bool, error) {
	if hc.Spec.Platform.Type != hyperv1.KubevirtPlatform {
		return true, nil
	}
	before := hc.DeepCopy()
	if hc.Spec.Platform.Kubevirt == nil {
		hc.Spec.Platform.Kubevirt = &hyperv1.KubevirtPlatformSpec{}
	}
	kv := hc.Spec.Platform.Kubevirt
	if kv.GenerateID == "" {
		kv.GenerateID = utilrand.String(10)
	}
	if kv.BaseDomainPassthrough != nil && *kv.BaseDomainPassthrough && hc.Spec.DNS.BaseDomain == "" {
		domain, err := r.infraBaseDomain(ctx, hc.Namespace)
		if err != nil {
			return false, err
		}
		hc.Spec.DNS.BaseDomain = domain
	}
	if err := r.defaultEncryption(ctx, hc); err != nil {
		return false, err
	}
	if hc.Spec.IssuerURL == "" {
		hc.Spec.IssuerURL = IssuerURL
	}
	if err := r.notePlatform(ctx, hc); err != nil {
		return false, err
	}
	if equality.Semantic.DeepEqual(before.Spec, hc.Spec) &&
		equality.Semantic.DeepEqual(before.Annotations, hc.Annotations) {
		return true, nil
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Patch(ctx, hc, patch); err != nil {
		return false, fmt.Errorf("write the defaults of HostedCluster %s/%s: %w", hc.Namespace, hc.Name, err)
	}
	return false, nil
}

// infraBaseDomain finds the apps domain of the management cluster like the operator: it creates a Route without a host
// and removes the first label of the host that it gets.
func (r *hostedClusters) infraBaseDomain(ctx context.Context, namespace string) (string, error) {
	route := &routev1.Route{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: infraTempRoute}}
	err := r.Client.Get(ctx, client.ObjectKeyFromObject(route), route)
	if apierrors.IsNotFound(err) {
		route.Spec.To = routev1.RouteTargetReference{Kind: "Service", Name: "fake-service"}
		err = r.Client.Create(ctx, route)
	}
	if err != nil {
		return "", fmt.Errorf("unable to create a temporary route to detect kubevirt platform base domain: %w", err)
	}
	_, domain, ok := strings.Cut(route.Spec.Host, ".")
	if !ok {
		return "", errors.New(msgBaseDomainUnknown)
	}
	if err := r.Client.Delete(ctx, route); client.IgnoreNotFound(err) != nil {
		return "", fmt.Errorf("delete the temporary route %s/%s: %w", namespace, infraTempRoute, err)
	}
	return domain, nil
}

// defaultEncryption creates an etcd encryption key if the HostedCluster has none. It never replaces an existing key.
func (r *hostedClusters) defaultEncryption(ctx context.Context, hc *hyperv1.HostedCluster) error {
	enc := hc.Spec.SecretEncryption
	if enc != nil && enc.Type != "" && (enc.Type != hyperv1.AESCBC || enc.AESCBC != nil &&
		enc.AESCBC.ActiveKey.Name != "") {
		return nil
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: hc.Namespace, Name: hc.Name +
		"-etcd-encryption-key"}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, secret, func() error {
		if _, ok := secret.Data[encryptionKey]; ok {
			return nil
		}
		key := make([]byte, 32)
		if _, err := rand.Read(key); err != nil {
			return fmt.Errorf("failed to generate the etcd encryption key: %w", err)
		}
		secret.Data = map[string][]byte{encryptionKey: key}
		return controllerutil.SetOwnerReference(hc, secret, r.Scheme)
	})
	if err != nil {
		return fmt.Errorf("failed to create ETCD SecretEncryption key for KubeVirt platform HostedCluster: %w", err)
	}
	hc.Spec.SecretEncryption = &hyperv1.SecretEncryptionSpec{
		Type:   hyperv1.AESCBC,
		AESCBC: &hyperv1.AESCBCSpec{ActiveKey: corev1.LocalObjectReference{Name: secret.Name}},
	}
	return nil
}

// notePlatform sets the platform of the management cluster.
func (r *hostedClusters) notePlatform(ctx context.Context, hc *hyperv1.HostedCluster) error {
	if _, ok := hc.Annotations[hyperv1.ManagementPlatformAnnotation]; ok {
		return nil
	}
	infra := &configv1.Infrastructure{}
	if err := r.Client.Get(ctx, types.NamespacedName{Name: "cluster"}, infra); err != nil {
		return fmt.Errorf("failed to get infrastructure.config.openshift.io status: %w", err)
	}
	if infra.Status.PlatformStatus == nil {
		return nil
	}
	if hc.Annotations == nil {
		hc.Annotations = map[string]string{}
	}
	hc.Annotations[hyperv1.ManagementPlatformAnnotation] = string(infra.Status.PlatformStatus.Type)
	return nil
}

// defaultIDs sets clusterID and infraID.
func (r *hostedClusters) defaultIDs(ctx context.Context, hc *hyperv1.HostedCluster) error {
	before := hc.DeepCopy()
	if hc.Spec.ClusterID == "" {
		hc.Spec.ClusterID = string(uuid.NewUUID())
	}
	if hc.Spec.InfraID == "" {
		hc.Spec.InfraID = metadata.NewInfraID(hc.Name)
	}
	if equality.Semantic.DeepEqual(before.Spec, hc.Spec) {
		return nil
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Patch(ctx, hc, patch); err != nil {
		return fmt.Errorf("failed to update hostedcluster after defaulting IDs: %w", err)
	}
	return nil
}
