package options

import "github.com/hcctl/hcctl/internal/option"

const hostedCluster = "HostedCluster "

func releaseFields() []Field {
	return []Field{
		{Name: "labels", Flag: "labels", Group: option.Cluster,
			Writes: hostedCluster + "metadata.labels", Example: "env=test",
			Text: "labels of the HostedCluster and its NodePools; newer operators copy them to the ManagedCluster"},
		{
			Name:    "annotations",
			Flag:    "annotations",
			Group:   option.Cluster,
			Writes:  hostedCluster + "metadata.annotations",
			Example: "example.com/owner=net,ops",
			Text:    "annotation of the HostedCluster, as KEY=VALUE",
		},
		{
			Name:    "releaseImage",
			Flag:    "release-image",
			Group:   option.Release,
			Writes:  hostedCluster + "spec.release.image, NodePool spec.release.image",
			Example: "registry.example/ocp-release:4.20.1-multi",
			Text:    "OpenShift release of the hosted cluster; by default the newest the operator supports",
		},
		{
			Name:    "arch",
			Flag:    "arch",
			Group:   option.Release,
			Values:  Arches(),
			Writes:  "NodePool spec.arch",
			Example: "s390x",
			Text:    "processor architecture of the workers",
		},
		{Name: "infraID", Flag: "infra-id", Group: option.Cluster,
			Writes: hostedCluster + "spec.infraID", Example: "kv-00-prod1",
			Text: "ties all objects of a cluster together; made from the name unless given"},
		{
			Name:    "fips",
			Flag:    "fips",
			Group:   option.Cluster,
			Writes:  hostedCluster + "spec.fips",
			Example: "true",
			Text:    "run the hosted cluster in FIPS mode",
		},
		{
			Name:    "pausedUntil",
			Flag:    "pausedUntil",
			Group:   option.Cluster,
			Writes:  hostedCluster + "spec.pausedUntil, NodePool spec.pausedUntil",
			Example: "true",
			Text:    "keep HyperShift from working on the cluster and its pools: true, or a time like 2030-01-02T03:04:05Z",
		},
	}
}

func accessFields() []Field {
	return []Field{
		{
			Name:    "pullSecret",
			Flag:    "pull-secret",
			Group:   option.Release,
			Writes:  "Secret <name>-pull-secret data[.dockerconfigjson]",
			Example: "pull-secret.json",
			Text:    "file with the pull secret; by default the management cluster's own",
		},
		{
			Name:    "sshKey",
			Flag:    "ssh-key",
			Group:   option.Cluster,
			Writes:  "Secret <name>-ssh-key data[id_rsa.pub], " + hostedCluster + "spec.sshKey.name",
			Example: "id.pub",
			Text:    "file with the public SSH key for the workers",
		},
		{
			Name:    "generateSSH",
			Flag:    "generate-ssh",
			Group:   option.Cluster,
			Writes:  "Secret <name>-ssh-key data[id_rsa], " + hostedCluster + "spec.sshKey.name",
			Example: "true",
			Text:    "make an SSH key pair for the workers; the Secret holds both halves",
		},
		{Name: "additionalTrustBundle", Flag: "additional-trust-bundle", Group: option.Cluster, Example: "ca.pem",
			Writes: "ConfigMap <name>-user-ca-bundle data[ca-bundle.crt], " + hostedCluster + "spec.additionalTrustBundle.name",
			Text:   "file with PEM certificates that the hosted cluster trusts"},
		{
			Name:    "imageContentSources",
			Flag:    "image-content-sources",
			Group:   option.Cluster,
			Writes:  hostedCluster + "spec.imageContentSources",
			Example: "mirrors.yaml",
			Text:    "file with a YAML list of image sources and their mirrors",
		},
		{
			Name:    "adoptExisting",
			Flag:    AdoptFlag,
			Group:   option.Cluster,
			Beside:  true,
			Writes:  "nothing: what is there is used, and stays when the cluster is deleted",
			Example: "true",
			Text:    "use Secrets, ConfigMaps and pools of a new cluster's names that are there already and are not its own",
		},
		{Name: "manifests", Flag: "manifests", Group: option.Cluster,
			Writes: "objects in the file", Example: "manifests.yaml",
			Text: "file with objects for the cluster's namespace, such as Secrets that other options name; written first"},
	}
}

func networkFields() []Field {
	const networking, services = hostedCluster + "spec.networking.", hostedCluster + "spec.services"
	const cno = hostedCluster + "spec.operatorConfiguration.clusterNetworkOperator."
	return []Field{
		{Name: "baseDomain", Flag: "base-domain", Group: option.Cluster,
			Writes: hostedCluster + "spec.dns.baseDomain", Example: "example.com",
			Text: "base domain of the hosted cluster; by default a subdomain of the management cluster's *.apps"},
		{
			Name:    "ingress",
			Flag:    "ingress",
			Group:   option.Publishing,
			Values:  []string{string(IngressAuto), string(IngressService), string(IngressOperator)},
			Beside:  true,
			Writes:  "Service and Route in the control plane's namespace, once there are nodes",
			Example: "service",
			Text: "what makes the ingress for *.apps: auto means hcctl where the operator does not (guests before " +
				"4.12.2, a base domain)",
		},
		{Name: "externalDNSDomain", Flag: "external-dns-domain", Group: option.Publishing,
			Writes: services, Example: "ext.example.com",
			Text: "publish all services by Routes with names below this domain, such as api-NAME.DOMAIN; they have to be in " +
				"DNS"},
		{
			Name:    "servicePublishingStrategy",
			Flag:    "service-publishing-strategy",
			Group:   option.Publishing,
			Values:  []string{"Ingress", "NodePort"},
			Writes:  services,
			Example: "NodePort",
			With:    "--api-server-address 192.0.2.7",
			Text:    "how the services are published: Ingress is a load balancer for the API server and Routes for the others",
		},
		{
			Name:    "apiServerAddress",
			Flag:    "api-server-address",
			Group:   option.Publishing,
			Writes:  services,
			Example: "192.0.2.7",
			With:    "--service-publishing-strategy NodePort",
			Text:    "address of the node ports; by default that of the management cluster's first node",
		},
		{Name: "publish", Flag: "publish", Group: option.Publishing,
			Writes: services, Example: "OAuthServer=Route,hostname=oauth.kv-00.example.com",
			Text: "how one service is published, as SERVICE=STRATEGY[,hostname=H][,address=A][,port=P]"},
		{
			Name:    "apiHostname",
			Flag:    "api-hostname",
			Group:   option.Publishing,
			Writes:  services,
			Example: "api.kv-00.example.com",
			Text:    "fixed host name of the API server; it has to be in DNS",
		},
		{
			Name:    "kasDNSName",
			Flag:    "kas-dns-name",
			Group:   option.Publishing,
			Writes:  hostedCluster + "spec.kubeAPIServerDNSName",
			Example: "kube.kv-00.example.com",
			Text:    "additional name of the API server, with a kubeconfig of its own",
		},
		{
			Name:    "metallbPool",
			Flag:    "metallb-pool",
			Group:   option.Publishing,
			Beside:  true,
			Writes:  "IPAddressPool <pool> spec.serviceAllocation.namespaces",
			Example: "tenants",
			Text:    "IPAddressPool that also serves this cluster; one for chosen namespaces only",
		},
		{
			Name:    "metallbAddresses",
			Flag:    "metallb-addresses",
			Group:   option.Publishing,
			Writes:  "IPAddressPool <namespace>-<name> spec.addresses, L2Advertisement <namespace>-<name> spec.ipAddressPools",
			Example: "192.0.2.16/30",
			Text:    "addresses that only this cluster's services get, as FIRST-LAST or CIDR",
		},
		{
			Name:    "allowedCIDRBlocks",
			Flag:    "allowed-cidr-blocks",
			Group:   option.Publishing,
			Writes:  networking + "apiServer.allowedCIDRBlocks",
			Example: "192.0.2.0/24",
			Text:    "networks that may reach the API server's load balancer; all unless given",
		},

		{
			Name:    "networkType",
			Flag:    "network-type",
			Group:   option.Network,
			Values:  networkTypes(),
			Writes:  networking + "networkType",
			Example: "Calico",
			Text:    "network plug-in of the hosted cluster",
		},
		{
			Name:    "clusterCIDR",
			Flag:    "cluster-cidr",
			Group:   option.Network,
			Writes:  networking + "clusterNetwork",
			Example: "10.140.0.0/14",
			Text:    "network of the pods; a second one for the other IP family",
		},
		{
			Name:    "serviceCIDR",
			Flag:    "service-cidr",
			Group:   option.Network,
			Writes:  networking + "serviceNetwork",
			Example: "172.29.0.0/16",
			Text:    "network of the Services; a second one for the other IP family",
		},
		{
			Name:    "machineCIDR",
			Flag:    "machine-cidr",
			Group:   option.Network,
			Writes:  networking + "machineNetwork",
			Example: "192.0.2.0/24",
			Text:    "network of the nodes; a second one for the other IP family",
		},
		{
			Name:    "disableMultiNetwork",
			Flag:    "disable-multi-network",
			Group:   option.Network,
			Writes:  cno + "disableMultiNetwork",
			Example: "true",
			With:    "--network-type Other",
			Text:    "leave Multus out; only with --network-type Other",
		},
		{
			Name:    "allocateNodeCIDRs",
			Flag:    "allocate-node-cidrs",
			Group:   option.Network,
			Writes:  networking + "allocateNodeCIDRs",
			Example: "true",
			With:    "--network-type Other",
			Text: "let the controller manager assign pod networks to nodes, as Flannel needs; only with --network-type Other " +
				"and a HyperShift release of 2026",
		},
		{
			Name:    "ovnKubernetesMTU",
			Flag:    "ovn-kubernetes-mtu",
			Group:   option.Network,
			Writes:  cno + "ovnKubernetesConfig.mtu",
			Example: "1400",
			Text: "MTU of OVN-Kubernetes' tunnels, 576 to 9216; chosen by the hosted cluster unless given; only with a " +
				"HyperShift release of 2026",
		},
		{
			Name:    "ovnInternalJoinSubnet",
			Flag:    "ovn-internal-join-subnet",
			Group:   option.Network,
			Writes:  cno + "ovnKubernetesConfig.ipv4.internalJoinSubnet",
			Example: "100.70.0.0/16",
			Text:    "OVN-Kubernetes' own join subnet; 100.66.0.0/16 unless given",
		},
		{
			Name:    "ovnInternalTransitSwitchSubnet",
			Flag:    "ovn-internal-transit-switch-subnet",
			Group:   option.Network,
			Writes:  cno + "ovnKubernetesConfig.ipv4.internalTransitSwitchSubnet",
			Example: "100.90.0.0/16",
			Text:    "OVN-Kubernetes' own transit switch subnet; 100.88.0.0/16 unless given",
		},
		{
			Name:    "httpProxy",
			Flag:    "http-proxy",
			Group:   option.Network,
			Writes:  hostedCluster + "spec.configuration.proxy.httpProxy",
			Example: "http://proxy.example.com:3128",
			Text:    "proxy for HTTP requests of the hosted cluster",
		},
		{
			Name:    "httpsProxy",
			Flag:    "https-proxy",
			Group:   option.Network,
			Writes:  hostedCluster + "spec.configuration.proxy.httpsProxy",
			Example: "http://proxy.example.com:3128",
			Text:    "proxy for HTTPS requests of the hosted cluster",
		},
		{
			Name:    "noProxy",
			Flag:    "no-proxy",
			Group:   option.Network,
			Writes:  hostedCluster + "spec.configuration.proxy.noProxy",
			Example: ".example.com",
			With:    "--http-proxy http://proxy.example.com:3128",
			Text:    "domains, addresses and networks that are reached without the proxy",
		},
	}
}

func controlPlaneFields() []Field {
	const volume = hostedCluster + "spec.etcd.managed.storage.persistentVolume."
	return []Field{
		{
			Name:    "controlPlaneAvailabilityPolicy",
			Flag:    "control-plane-availability-policy",
			Group:   option.ControlPlane,
			Values:  availabilities(),
			Writes:  hostedCluster + "spec.controllerAvailabilityPolicy",
			Example: "SingleReplica",
			Text:    "replicas of the control plane",
		},
		{
			Name:    "infraAvailabilityPolicy",
			Flag:    "infra-availability-policy",
			Group:   option.ControlPlane,
			Values:  availabilities(),
			Writes:  hostedCluster + "spec.infrastructureAvailabilityPolicy",
			Example: "HighlyAvailable",
			Text:    "replicas of the hosted cluster's own router, registry and monitoring; SingleReplica unless given",
		},
		{
			Name:    "nodeSelector",
			Flag:    "node-selector",
			Group:   option.ControlPlane,
			Writes:  hostedCluster + "spec.nodeSelector",
			Example: "role=control-planes",
			Text:    "labels of the nodes that may run the control plane",
		},
		{
			Name:    "podsLabels",
			Flag:    "pods-labels",
			Group:   option.ControlPlane,
			Writes:  hostedCluster + "spec.labels",
			Example: "cost-centre=a1",
			Text:    "labels of the control plane's pods",
		},
		{
			Name:    "toleration",
			Flag:    "toleration",
			Group:   option.ControlPlane,
			Writes:  hostedCluster + "spec.tolerations",
			Example: "key=dedicated,operator=Exists,effect=NoSchedule",
			Text:    "taint that the control plane's pods tolerate, as key=K,value=V,operator=O,effect=E,tolerationSeconds=S",
		},
		{
			Name:    "controlPlaneOperatorImage",
			Flag:    "control-plane-operator-image",
			Group:   option.ControlPlane,
			Writes:  hostedCluster + "metadata.annotations[hypershift.openshift.io/control-plane-operator-image]",
			Example: "registry.example/cpo:dev",
			Text:    "control plane operator instead of the release's own; for HyperShift developers",
		},
		{Name: "etcdStorageClass", Flag: "etcd-storage-class", Group: option.Storage,
			Writes: volume + "storageClassName", Example: "fast",
			Text: "StorageClass of etcd's volumes; by default the management cluster's default class"},
		{
			Name:    "etcdStorageSize",
			Flag:    "etcd-storage-size",
			Group:   option.Storage,
			Writes:  volume + "size",
			Example: "20Gi",
			Text:    "size of each of etcd's volumes; it cannot be changed later",
		},
	}
}

func networkTypes() []string { return []string{"OVNKubernetes", "Calico", "OpenShiftSDN", "Other"} }

func availabilities() []string { return []string{"HighlyAvailable", "SingleReplica"} }

// AdoptFlag is the flag that takes objects which are there already and are not the new cluster's own.
const AdoptFlag = "adopt-existing"
