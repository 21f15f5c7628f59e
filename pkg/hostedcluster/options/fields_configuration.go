package options

import (
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

func configurationFields() []Field {
	const configuration, scaler = hostedCluster + "spec.configuration.", hostedCluster + "spec.autoscaling."
	return []Field{
		{Name: "olmCatalogPlacement", Flag: "olm-catalog-placement", Group: option.Cluster,
			Values: []string{"management", "guest"}, Effect: option.Fixed,
			Writes: hostedCluster + "spec.olmCatalogPlacement", Example: "guest",
			Text: "where the operator catalogs run; it cannot be changed later"},
		{Name: "olmDisableDefaultSources", Flag: "olm-disable-default-sources", Group: option.Cluster, Needs: "2.4",
			Effect: option.RestartsNothing, Writes: configuration + "operatorhub.disableAllDefaultSources",
			Example: "true", Text: "leave out the default operator catalogs"},
		{Name: "featureSet", Flag: "feature-set", Group: option.Cluster, Values: FeatureSets(),
			Effect: option.RestartsControlPlane, Writes: configuration + "featureGate.featureSet",
			Example: "TechPreviewNoUpgrade", Text: "features beyond the supported ones; such clusters cannot be upgraded"},
		{Name: "enableClusterCapabilities", Flag: "enable-cluster-capabilities", Group: option.Cluster, Needs: "2.10",
			Values: capabilityNames(), Max: 25, Effect: option.Fixed, Writes: hostedCluster + "spec.capabilities.enabled",
			Example: "baremetal", Text: "optional parts of the hosted cluster to have; it cannot be changed later"},
		{Name: "disableClusterCapabilities", Flag: "disable-cluster-capabilities", Group: option.Cluster, Needs: "2.8",
			Values: capabilityNames(), Max: 25, Effect: option.Fixed, Writes: hostedCluster + "spec.capabilities.disabled",
			Example: "ImageRegistry",
			Text:    "optional parts of the hosted cluster to leave out; it cannot be changed later"},
		{Name: "identityProviders", Flag: "identity-providers", Group: option.Cluster,
			Effect: option.RestartsControlPlane, Writes: configuration + "oauth.identityProviders",
			Example: "identity-providers.yaml",
			Text:    "file with a YAML list as in spec.identityProviders of an OAuth (config.openshift.io)"},
		{Name: "oidc", Flag: "oidc", Group: option.Cluster, Needs: "2.4", Effect: option.RestartsControlPlane,
			Writes: configuration + "authentication.oidcProviders", Example: "oidc.yaml",
			Text: "file with a YAML list as in spec.oidcProviders of an Authentication (config.openshift.io), instead " +
				"of the hosted cluster's own OAuth server"},
		{Name: "auditProfile", Flag: "audit-profile", Group: option.Cluster, Values: auditProfiles(),
			Effect: option.RestartsControlPlane, Writes: configuration + "apiServer.audit.profile",
			Example: "WriteRequestBodies", Text: "what the API server's audit log records"},
		{Name: "auditWebhook", Flag: "audit-webhook", Group: option.Cluster,
			Why: "the kubeconfig is in the Secret NAME-audit-webhook, not in the HostedCluster",
			Way: hint.New("oc set data secret/NAME-audit-webhook --from-file=webhook-kubeconfig=FILE, for a cluster that " +
				"was created with one"),
			Writes:  "Secret <name>-audit-webhook data[webhook-kubeconfig], " + hostedCluster + "spec.auditWebhook.name",
			Example: "kubeconfig", Text: "file with a kubeconfig of where the API server sends audit events"},
		{Name: "imageAdditionalTrustedCA", Flag: "image-additional-trusted-ca", Group: option.Cluster,
			Check: objectName("a name of a ConfigMap"), Effect: option.ReplacesNodes,
			Writes: configuration + "image.additionalTrustedCA.name", Example: "registry-cas",
			Text: "ConfigMap of the cluster's namespace with a certificate for each registry to trust, such as one of " +
				"--manifests; its keys are HOST or HOST..PORT"},
		{Name: "servingCert", Flag: "serving-cert", Group: option.Publishing, Max: 32,
			Effect: option.RestartsControlPlane, Writes: configuration + "apiServer.servingCerts.namedCertificates",
			Example: "api-cert,api.kv-00.example.com",
			Text: "Secret of the cluster's namespace with a certificate that the API server serves, as SECRET[,HOST]...; " +
				"the hosts are those of the certificate unless given"},
		{Name: "operatorConfiguration", Flag: "operator-configuration", Group: option.Cluster, Needs: "2.11",
			Inline: true, Why: "it is kept as a patch by the document that has it", Way: byApply,
			Writes:  hostedCluster + "spec.operatorConfiguration, " + patchRecord,
			Example: "operator-configuration.yaml",
			Text:    "file with YAML as in spec.operatorConfiguration, merged with what other options write there"},
		{Name: "maxNodesTotal", Flag: "max-nodes-total", Group: option.Workers, Effect: option.RestartsControlPlane,
			Writes: scaler + "maxNodesTotal", Example: "12",
			Text: "maximum number of nodes to which autoscaling brings all pools together; 0 means no limit"},
		{Name: "maxNodeProvisionTime", Flag: "max-node-provision-time", Group: option.Workers, Check: checkDuration,
			Effect: option.RestartsControlPlane, Writes: scaler + "maxNodeProvisionTime", Example: "25m",
			Text: "how long autoscaling waits for a new node; 15 minutes unless given"},
		{Name: "maxPodGracePeriod", Flag: "max-pod-grace-period", Group: option.Workers, Check: checkDuration,
			Effect: option.RestartsControlPlane, Writes: scaler + "maxPodGracePeriod", Example: "5m",
			Text: "how long autoscaling waits for pods to end before it removes a node; 10 minutes unless given"},
		{Name: "autoscalerScaling", Flag: "autoscaler-scaling", Group: option.Workers, Needs: "2.8",
			Values: []string{"ScaleUpAndScaleDown", "ScaleUpOnly"}, Effect: option.RestartsControlPlane,
			Writes: scaler + "scaling", Example: "ScaleUpOnly", Text: "whether autoscaling also removes nodes"},
	}
}

// patchRecord is the annotation that stores the patches, so that apply keeps them.
const patchRecord = hostedCluster + "metadata.annotations[" + hostedcluster.PatchesAnnotation + "]"

func infrastructureFields() []Field {
	const platform = hostedCluster + "spec.platform.kubevirt."
	return []Field{
		{Name: "infraKubeconfigFile", Flag: "infra-kubeconfig-file", Group: option.Workers, Needs: "2.4",
			Effect:  option.Fixed,
			Writes:  "Secret <name>-infra-credentials data.kubeconfig, " + platform + "credentials.infraKubeConfigSecret.name",
			Example: "kubeconfig", With: "--infra-namespace guests",
			Text: "file with a kubeconfig of another cluster that runs the worker VMs; needs --infra-namespace"},
		{Name: "infraNamespace", Flag: "infra-namespace", Group: option.Workers, Needs: "2.4", Check: checkNamespace,
			Effect: option.Fixed, Writes: platform + "credentials.infraNamespace", Example: "guests",
			With: "--infra-kubeconfig-file kubeconfig",
			Text: "existing namespace there that the worker VMs run in; needs --infra-kubeconfig-file"},
		{Name: "storageDriver", Flag: "storage-driver", Group: option.Storage, Needs: "2.4",
			Values: []string{"Default", "Manual", "None"}, Effect: option.Fixed, Writes: platform + "storageDriver.type",
			Example: "None",
			Text:    "storage of the hosted cluster: Default maps all classes, Manual those of the mappings, None has none"},
		{Name: "infraStorageClassMapping", Flag: "infra-storage-class-mapping", Group: option.Storage, Needs: "2.6",
			Max: 50, Effect: option.Fixed, Writes: platform + "storageDriver.manual.storageClassMapping",
			Example: "fast/guest-fast,group=ssd", Text: "StorageClass for the hosted cluster, as INFRA/GUEST[,group=NAME]"},
		{Name: "infraVolumesnapshotClassMapping", Flag: "infra-volumesnapshot-class-mapping", Group: option.Storage,
			Needs: "2.6", Max: 50, Effect: option.Fixed,
			Writes: platform + "storageDriver.manual.volumeSnapshotClassMapping", Example: "snap/guest-snap,group=ssd",
			With: "--infra-storage-class-mapping fast/guest-fast,group=ssd",
			Text: "VolumeSnapshotClass for the hosted cluster, as INFRA/GUEST[,group=NAME]; needs a StorageClass mapping"},
		{Name: "guestDefaultStorageClass", Flag: "guest-default-storage-class", Group: option.Storage, Beside: true,
			Why: "the class is marked in the hosted cluster", Way: byApply,
			Writes: "annotation of the StorageClass in the hosted cluster", Example: "guest-fast",
			With: "--infra-storage-class-mapping fast/guest-fast",
			Text: "GUEST of a mapping that claims in the hosted cluster get unless they name a class; without it a " +
				"cluster with mappings has no default class"},
	}
}

// FeatureSets are those of the vendor's CLI. Default is the feature set if nothing is written.
func FeatureSets() []string {
	return []string{"Default", "TechPreviewNoUpgrade", "DevPreviewNoUpgrade"}
}

// capabilityNames are the capabilities of the HostedCluster CRD.
func capabilityNames() []string {
	return []string{"ImageRegistry", "openshift-samples", "Insights", "baremetal", "Console", "NodeTuning", "Ingress"}
}

func auditProfiles() []string {
	return []string{"Default", "WriteRequestBodies", "AllRequestBodies", "None"}
}
