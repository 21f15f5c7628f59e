package options

import (
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

const hostedCluster = "HostedCluster "

func releaseFields() []Field {
	return []Field{
		{Name: "labels", Flag: "labels", Group: option.Cluster, Check: checkLabel, Effect: option.RestartsNothing,
			Writes: hostedCluster + "metadata.labels", Example: "env=test",
			Text: "labels of the HostedCluster and its NodePools; newer operators copy them to the ManagedCluster"},
		{Name: "annotations", Flag: "annotations", Group: option.Cluster, Effect: option.RestartsNothing,
			Writes: hostedCluster + "metadata.annotations", Example: "example.com/owner=net,ops",
			Text: "annotation of the HostedCluster, as KEY=VALUE"},
		{Name: "owner", Flag: "owner", Group: option.Cluster, Check: checkOwner, Effect: option.RestartsNothing,
			Writes: hostedCluster + "metadata.labels[" + hostedcluster.OwnerLabel + "]", Example: "net-e2e",
			Text: "to whom the cluster belongs, such as a pipeline; with an expiry the default is what CI variables say"},
		{Name: "expires", Flag: "expires", Group: option.Cluster, Check: checkExpiry, Effect: option.RestartsNothing,
			Writes: hostedCluster + "metadata.annotations[" + hostedcluster.ExpiresAnnotation + "]", Example: "6h",
			Text: "when it may be deleted: how long after its creation, or a time like 2030-01-02T03:04:05Z"},
		{Name: "releaseImage", Flag: "release-image", Group: option.Release, Check: releaseReference(),
			Why:     "a release is changed by an upgrade",
			Way:     hint.Run("upgrade cluster", "NAME").Flag("release-image", "IMAGE").Text(),
			Writes:  hostedCluster + "spec.release.image, NodePool spec.release.image",
			Example: "registry.example/ocp-release:4.20.1-multi",
			Text:    "OpenShift release of the hosted cluster; by default the newest the operator supports"},
		{Name: "arch", Flag: "arch", Group: option.Release, Needs: "2.11", NeedsFor: "s390x", Values: Arches(),
			Why:     "the architecture belongs to a node pool and cannot be changed",
			Way:     hint.Run("create nodepool", "POOL").Flag("cluster-name", "NAME").Flag("arch", "ARCH").Text(),
			Writes:  "NodePool spec.arch",
			Example: "s390x", Text: "processor architecture of the workers"},
		{Name: "infraID", Flag: "infra-id", Group: option.Cluster, Check: checkInfraID, Effect: option.Fixed,
			Writes: hostedCluster + "spec.infraID", Example: "kv-00-prod1",
			Text: "ties all objects of a cluster together; made from the name unless given"},
		{Name: "fips", Flag: "fips", Group: option.Cluster, Effect: option.Fixed, Writes: hostedCluster + "spec.fips",
			Example: "true", Text: "run the hosted cluster in FIPS mode"},
		{Name: "pausedUntil", Flag: "pausedUntil", Group: option.Cluster, Check: checkPause,
			Why: "a pause is a command of its own", Way: hint.New("%s, %s", hint.Run("pause", "NAME"),
				hint.Run("resume", "NAME")),
			Command: hint.Run("pause", "NAME").Flag("until", "VALUE").Text(),
			Writes:  hostedCluster + "spec.pausedUntil, NodePool spec.pausedUntil", Example: "true",
			Text: "keep HyperShift from working on the cluster and its pools: true, or a time like 2030-01-02T03:04:05Z"},
	}
}

func accessFields() []Field {
	return []Field{
		{Name: "pullSecret", Flag: "pull-secret", Group: option.Release,
			Why: "the pull secret is in the Secret NAME-pull-secret, not in the HostedCluster",
			Way: hint.New("oc set data secret/NAME-pull-secret --from-file=.dockerconfigjson=FILE; nodes get it when they " +
				"are replaced"), Writes: "Secret <name>-pull-secret data[.dockerconfigjson]", Example: "pull-secret.json",
			Text: "file with the pull secret; by default the management cluster's own"},
		{Name: "sshKey", Flag: "ssh-key", Group: option.Cluster,
			Why: "the key is in the Secret NAME-ssh-key, not in the HostedCluster",
			Way: hint.New("oc set data secret/NAME-ssh-key --from-file=id_rsa.pub=FILE, for a cluster that was created " +
				"with a key"),
			Writes: "Secret <name>-ssh-key data[id_rsa.pub], " + hostedCluster + "spec.sshKey.name", Example: "id.pub",
			Text: "file with the public SSH key for the workers"},
		{Name: "generateSSH", Flag: "generate-ssh", Group: option.Cluster,
			Why: "a key pair is made when a cluster is created",
			Way: hint.New("oc set data secret/NAME-ssh-key --from-file=id_rsa.pub=FILE, for a cluster that was created " +
				"with a key"),
			Writes: "Secret <name>-ssh-key data[id_rsa], " + hostedCluster + "spec.sshKey.name", Example: "true",
			Text: "make an SSH key pair for the workers; the Secret holds both halves"},
		{Name: "additionalTrustBundle", Flag: "additional-trust-bundle", Group: option.Cluster,
			Why: "the certificates are in the ConfigMap NAME-user-ca-bundle, not in the HostedCluster",
			Way: hint.New("oc set data configmap/NAME-user-ca-bundle --from-file=ca-bundle.crt=FILE, for a cluster that " +
				"was created with one"),
			Writes:  "ConfigMap <name>-user-ca-bundle data[ca-bundle.crt], " + hostedCluster + "spec.additionalTrustBundle.name",
			Example: "ca.pem", Text: "file with PEM certificates that the hosted cluster trusts"},
		{Name: "imageContentSources", Flag: "image-content-sources", Group: option.Cluster,
			Effect: option.ReplacesNodes, Writes: hostedCluster + "spec.imageContentSources", Example: "mirrors.yaml",
			Text: "file with a YAML list of image sources and their mirrors, or with ImageDigestMirrorSets, " +
				"ImageTagMirrorSets and ImageContentSourcePolicies"},
		{Name: "adoptExisting", Flag: AdoptFlag, Group: option.Cluster, Beside: true,
			Why:    "it is about objects that are there before the cluster is created",
			Way:    hint.Run("create cluster").Flag("help").Text(),
			Writes: "nothing: what is there is used, and stays when the cluster is deleted", Example: "true",
			Text: "use Secrets, ConfigMaps and pools of a new cluster's names that are there already and are not its own"},
		{Name: "adoptNamespace", Flag: AdoptNamespaceFlag, Group: option.Cluster, Needs: "2.6", Beside: true,
			Why: "it is about a namespace that is there before the cluster is created",
			Way: hint.Run("create cluster").Flag("help").Text(),
			Writes: hostedCluster + "metadata.annotations[hypershift.openshift.io/" +
				"skip-delete-hosted-controlplane-namespace], Namespace <namespace>-<name> metadata.annotations[hcctl.dev/adopted]",
			Example: "true",
			Text: "take over the control plane's namespace, NAMESPACE-NAME, where it exists with objects of your own; delete " +
				"leaves it and them"},
		{Name: "manifests", Flag: "manifests", Group: option.Cluster,
			Why: "the objects of a file are not fields of the HostedCluster", Way: hint.New("oc apply -f FILE"),
			Writes: "objects in the file", Example: "manifests.yaml",
			Text: "file with objects for the cluster's namespace, such as Secrets that other options name; written first"},
		{Name: "patches", Flag: "patch-hosted-cluster", Group: option.Cluster, Inline: true,
			Why: "a patch is kept by the document that has it", Way: byApply,
			Writes:  patchRecord,
			Example: "hosted-cluster-patch.yaml",
			Text: "file with a patch of the HostedCluster for fields without an option: a map is a merge patch, a list a " +
				"JSON Patch; a document may have it in place of the file's name"},
	}
}

func controlPlaneFields() []Field {
	const volume = hostedCluster + "spec.etcd.managed.storage.persistentVolume."
	return []Field{
		{Name: "controlPlaneAvailabilityPolicy", Flag: "control-plane-availability-policy", Group: option.ControlPlane,
			Values: availabilities(), Effect: option.Fixed, Writes: hostedCluster + "spec.controllerAvailabilityPolicy",
			Example: "SingleReplica", Text: "replicas of the control plane"},
		{Name: "infraAvailabilityPolicy", Flag: "infra-availability-policy", Group: option.ControlPlane,
			Values: availabilities(), Effect: option.RestartsControlPlane,
			Writes: hostedCluster + "spec.infrastructureAvailabilityPolicy", Example: "HighlyAvailable",
			Text: "replicas of the hosted cluster's own router, registry and monitoring; SingleReplica unless given"},
		{Name: "nodeSelector", Flag: "node-selector", Group: option.ControlPlane, Max: 20, Check: checkLabel,
			Effect: option.RestartsControlPlane, Writes: hostedCluster + "spec.nodeSelector",
			Example: "role=control-planes", Text: "labels of the nodes that may run the control plane"},
		{Name: "podsLabels", Flag: "pods-labels", Group: option.ControlPlane, Needs: "2.9", Max: 20, Check: checkLabel,
			Effect: option.RestartsControlPlane, Writes: hostedCluster + "spec.labels", Example: "cost-centre=a1",
			Text: "labels of the control plane's pods"},
		{Name: "toleration", Flag: "toleration", Group: option.ControlPlane, Needs: "2.7", Max: 25,
			Effect: option.RestartsControlPlane, Writes: hostedCluster + "spec.tolerations",
			Example: "key=dedicated,operator=Exists,effect=NoSchedule",
			Text:    "taint that the control plane's pods tolerate, as key=K,value=V,operator=O,effect=E,tolerationSeconds=S"},
		{Name: "controlPlaneOperatorImage", Flag: "control-plane-operator-image", Group: option.ControlPlane,
			Check: checkReference, Effect: option.RestartsControlPlane,
			Writes:  hostedCluster + "metadata.annotations[hypershift.openshift.io/control-plane-operator-image]",
			Example: "registry.example/cpo:dev",
			Text:    "control plane operator instead of the release's own; for HyperShift developers"},
		{Name: "etcdStorageClass", Flag: "etcd-storage-class", Group: option.Storage,
			Check: objectName("a name of a StorageClass"), Effect: option.Fixed, Writes: volume + "storageClassName",
			Example: "fast", Text: "StorageClass of etcd's volumes; by default the management cluster's default class"},
		{Name: "etcdStorageSize", Flag: "etcd-storage-size", Group: option.Storage, Effect: option.Fixed,
			Writes: volume + "size", Example: "20Gi", Text: "size of each of etcd's volumes; it cannot be changed later"},
	}
}

func availabilities() []string { return []string{"HighlyAvailable", "SingleReplica"} }

// AdoptFlag is the flag that lets a new cluster use existing objects that are not its own.
const AdoptFlag = "adopt-existing"

// AdoptNamespaceFlag is the flag that takes over a control plane's namespace.
const AdoptNamespaceFlag = "adopt-namespace"
