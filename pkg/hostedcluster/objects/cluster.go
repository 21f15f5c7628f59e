package objects

import (
	"maps"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/placement"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// TypedHostedCluster returns the HostedCluster without the fields of NewerFields.
func TypedHostedCluster(o options.Validated, in Inputs) *hyperv1.HostedCluster {
	hc := &hyperv1.HostedCluster{
		TypeMeta: metav1.TypeMeta{APIVersion: hyperv1.GroupVersion.String(), Kind: "HostedCluster"},
		ObjectMeta: metav1.ObjectMeta{
			Name: o.Name, Namespace: o.Namespace,
			Labels:      map[string]string{},
			Annotations: maps.Clone(map[string]string(o.Annotations)),
		},
		Spec: hyperv1.HostedClusterSpec{
			Autoscaling:                      autoscalingOf(o),
			Capabilities:                     capabilitiesOf(o),
			Channel:                          o.Channel.Name,
			Configuration:                    configurationOf(o),
			ControllerAvailabilityPolicy:     hyperv1.AvailabilityPolicy(o.ControlPlaneAvailabilityPolicy),
			DNS:                              dnsOf(o),
			Etcd:                             etcdOf(o),
			FIPS:                             o.FIPS,
			ImageContentSources:              slices.Clone(o.ImageContentSources),
			InfraID:                          in.InfraID,
			InfrastructureAvailabilityPolicy: hyperv1.AvailabilityPolicy(o.InfraAvailabilityPolicy),
			KubeAPIServerDNSName:             o.KASDNSName,
			Labels:                           maps.Clone(o.PodsLabels),
			Networking:                       networkingOf(o),
			NodeSelector:                     o.PlaneSelector(),
			OLMCatalogPlacement:              hyperv1.OLMCatalogPlacement(o.OLMCatalogPlacement),
			OperatorConfiguration:            operatorConfigurationOf(o),
			Platform:                         hyperv1.PlatformSpec{Type: hyperv1.KubevirtPlatform, Kubevirt: platformOf(o)},
			PullSecret:                       corev1.LocalObjectReference{Name: hostedcluster.PullSecretName(o.Name)},
			Release:                          hyperv1.Release{Image: in.ReleaseImage},
			SecretEncryption: &hyperv1.SecretEncryptionSpec{
				Type:   hyperv1.AESCBC,
				AESCBC: &hyperv1.AESCBCSpec{ActiveKey: corev1.LocalObjectReference{Name: hostedcluster.EncryptionKeyName(o.Name)}},
			},
			Services:    o.Services(in.NodeAddress),
			Tolerations: slices.Clone(o.Toleration),
		},
	}
	maps.Copy(hc.Labels, o.Labels)
	hc.Labels[hostedcluster.InfraLabel] = in.InfraID
	if o.Owner != "" {
		hc.Labels[hostedcluster.OwnerLabel] = o.Owner
	}
	annotate := func(key, value string) {
		if value != "" && hc.Annotations == nil {
			hc.Annotations = map[string]string{}
		}
		if value != "" {
			hc.Annotations[key] = value
		}
	}
	annotate(hyperv1.ControlPlaneOperatorImageAnnotation, o.ControlPlaneOperatorImage)
	annotate(hostedcluster.ExpiresAnnotation, o.Expires)
	annotate(hostedcluster.SpreadAnnotation, placement.Join(o.Spread))
	annotate(hostedcluster.AvoidAnnotation, joinNames(o.Avoid))
	if in.Adopts {
		annotate(hyperv1.SkipControlPlaneNamespaceDeletionAnnotation, "true")
	}
	if o.HasSSHKey() {
		hc.Spec.SSHKey.Name = hostedcluster.SSHKeyName(o.Name)
	}
	if o.AdditionalTrustBundle.Given() {
		hc.Spec.AdditionalTrustBundle = &corev1.LocalObjectReference{Name: hostedcluster.TrustBundleName(o.Name)}
	}
	if o.AuditWebhook.Given() {
		hc.Spec.AuditWebhook = &corev1.LocalObjectReference{Name: hostedcluster.AuditWebhookName(o.Name)}
	}
	if o.PausedUntil != "" {
		hc.Spec.PausedUntil = ptr.To(o.PausedUntil)
	}
	return hc
}

// joinNames joins the names of hosted clusters for an annotation.
func joinNames(names []types.NamespacedName) string {
	words := make([]string, len(names))
	for i, n := range names {
		words[i] = n.String()
	}
	return strings.Join(words, " ")
}

// NewerFields returns fields of the HostedCluster, by path, that HyperShift of 2026 has (v0.1.80) but the Go types
// lack. An API server with an older CRD names them in its error (see createStrictly).
func NewerFields(o options.Validated) map[string]any {
	fields := map[string]any{}
	if o.AllocateNodeCIDRs {
		fields["spec.networking.allocateNodeCIDRs"] = "Enabled"
	}
	if o.OVNKubernetesMTU > 0 {
		fields["spec.operatorConfiguration.clusterNetworkOperator.ovnKubernetesConfig.mtu"] = int64(o.OVNKubernetesMTU)
	}
	return fields
}

// HostedCluster returns the HostedCluster to write. A patch that cannot be applied is left out: see CheckPatches.
func HostedCluster(o options.Validated, in Inputs) client.Object {
	hc, _ := patched(UnpatchedHostedCluster(o, in), o.Patches)
	return hc
}

// UnpatchedHostedCluster returns the HostedCluster without the patch of the options.
func UnpatchedHostedCluster(o options.Validated, in Inputs) client.Object {
	hc := TypedHostedCluster(o, in)
	newer := NewerFields(o)
	if len(newer) == 0 && len(o.OIDC) == 0 && o.ImageAdditionalTrustedCA+o.AppsDomain == "" {
		return hc
	}
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(hc)
	if err != nil {
		return hc
	}
	delete(m, "status")
	for _, path := range []string{"image.imageStreamImportMode", "ingress.domain", "ingress.loadBalancer"} {
		// The Go types write these fields even if they are empty. The CRDs do not have the first one.
		unstructured.RemoveNestedField(m, append([]string{"spec", "configuration"}, strings.Split(path, ".")...)...)
	}
	for _, path := range slices.Sorted(maps.Keys(newer)) {
		_ = unstructured.SetNestedField(m, newer[path], strings.Split(path, ".")...)
	}
	withoutNulls(m)
	return &unstructured.Unstructured{Object: m}
}

// withoutNulls removes fields that the Go types write as null although they are not set. The CRD refuses null for an
// OIDC provider's list of clients and prefix of the user name.
func withoutNulls(v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if value == nil {
				delete(v, key)
				continue
			}
			withoutNulls(value)
		}
	case []any:
		for _, item := range v {
			withoutNulls(item)
		}
	}
}

func capabilitiesOf(o options.Validated) *hyperv1.Capabilities {
	c := &hyperv1.Capabilities{}
	for _, name := range o.EnableClusterCapabilities {
		c.Enabled = append(c.Enabled, hyperv1.OptionalCapability(name))
	}
	for _, name := range o.DisableClusterCapabilities {
		c.Disabled = append(c.Disabled, hyperv1.OptionalCapability(name))
	}
	return c
}

func etcdOf(o options.Validated) hyperv1.EtcdSpec {
	volume := &hyperv1.PersistentVolumeEtcdStorageSpec{Size: ptr.To(o.EtcdStorageSize.DeepCopy())}
	if o.EtcdStorageClass != "" {
		volume.StorageClassName = ptr.To(o.EtcdStorageClass)
	}
	return hyperv1.EtcdSpec{
		ManagementType: hyperv1.Managed,
		Managed: &hyperv1.ManagedEtcdSpec{Storage: hyperv1.ManagedEtcdStorageSpec{
			Type:             hyperv1.PersistentVolumeEtcdStorage,
			PersistentVolume: volume,
		}},
	}
}

// platformOf returns the settings for KubeVirt: the cluster of the VMs, the ingress, and the storage of the guest.
func platformOf(o options.Validated) *hyperv1.KubevirtPlatformSpec {
	spec := &hyperv1.KubevirtPlatformSpec{StorageDriver: storageDriverOf(o)}
	if o.BaseDomain == "" {
		spec.BaseDomainPassthrough = ptr.To(true)
	}
	if o.InfraKubeconfigFile.Given() {
		spec.Credentials = &hyperv1.KubevirtPlatformCredentials{
			InfraKubeConfigSecret: &hyperv1.KubeconfigSecretRef{
				Name: hostedcluster.InfraCredentialsName(o.Name),
				Key:  infraCredentialsKey,
			},
			InfraNamespace: o.InfraNamespace,
		}
	}
	return spec
}

func storageDriverOf(o options.Validated) *hyperv1.KubevirtStorageDriverSpec {
	if len(o.InfraStorageClassMapping)+len(o.InfraVolumeSnapshotClassMapping) == 0 {
		if o.StorageDriver == "" {
			return nil
		}
		return &hyperv1.KubevirtStorageDriverSpec{Type: hyperv1.KubevirtStorageDriverConfigType(o.StorageDriver)}
	}
	return &hyperv1.KubevirtStorageDriverSpec{
		Type: hyperv1.ManualKubevirtStorageDriverConfigType,
		Manual: &hyperv1.KubevirtManualStorageDriverConfig{
			StorageClassMapping:        slices.Clone(o.InfraStorageClassMapping),
			VolumeSnapshotClassMapping: slices.Clone(o.InfraVolumeSnapshotClassMapping),
		},
	}
}
