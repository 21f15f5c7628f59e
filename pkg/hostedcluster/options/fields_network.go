package options

import (
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/option"
)

func networkFields() []Field {
	const networking, services = hostedCluster + "spec.networking.", hostedCluster + "spec.services"
	const cno = hostedCluster + "spec.operatorConfiguration.clusterNetworkOperator."
	return []Field{
		{Name: "baseDomain", Flag: "base-domain", Group: option.Cluster, Check: dnsName("example.com"),
			Effect: option.Fixed, Writes: hostedCluster + "spec.dns.baseDomain", Example: "example.com",
			Text: "base domain of the hosted cluster; by default a subdomain of the management cluster's *.apps"},
		{Name: "baseDomainPrefix", Flag: "base-domain-prefix", Group: option.Cluster, Check: checkPrefix,
			Effect: option.Fixed, Writes: hostedCluster + "spec.dns.baseDomainPrefix", Example: "east",
			With: "--base-domain example.com",
			Text: "what stands before the base domain in place of the cluster's name, none for nothing; needs --base-domain"},
		{Name: "appsDomain", Flag: "apps-domain", Group: option.Publishing, Check: dnsName("apps.example.com"),
			Effect: option.RestartsControlPlane, Writes: hostedCluster + "spec.configuration.ingress.appsDomain",
			Example: "apps.example.com", With: "--base-domain example.com",
			Text: "domain of the hosted cluster's Routes, instead of apps.NAME.BASE-DOMAIN; needs --base-domain"},
		{Name: "ingress", Flag: "ingress", Group: option.Publishing, Beside: true,
			Values: []string{string(IngressAuto), string(IngressService), string(IngressOperator)},
			Why:    "the Service and the Route are made when the cluster is created",
			Way:    hint.New("%s shows where its ingress is", hint.Run("status", "NAME")),
			Writes: "Service and Route in the control plane's namespace, once there are nodes", Example: "service",
			Text: "what makes the ingress for *.apps: auto means hcctl where the operator does not (guests before " +
				"4.12.2, a base domain)"},
		{Name: "externalDNSDomain", Flag: "external-dns-domain", Group: option.Publishing, Effect: option.Fixed,
			Writes: services, Example: "ext.example.com",
			Text: "publish all services by Routes with names below this domain, such as api-NAME.DOMAIN; they have to " +
				"be in DNS"},
		{Name: "servicePublishingStrategy", Flag: "service-publishing-strategy", Group: option.Publishing,
			Values: []string{"Ingress", "NodePort"}, Effect: option.Fixed, Writes: services, Example: "NodePort",
			With: "--api-server-address 192.0.2.7",
			Text: "how the services are published: Ingress is a load balancer for the API server and Routes for the " +
				"others"},
		{Name: "apiServerAddress", Flag: "api-server-address", Group: option.Publishing, Effect: option.Fixed,
			Writes: services, Example: "192.0.2.7", With: "--service-publishing-strategy NodePort",
			Text: "address of the node ports; by default that of the management cluster's first node"},
		{Name: "publish", Flag: "publish", Group: option.Publishing, Effect: option.Fixed, Writes: services,
			Example: "OAuthServer=Route,hostname=oauth.kv-00.example.com",
			Text:    "how one service is published, as SERVICE=STRATEGY[,hostname=H][,address=A][,port=P]"},
		{Name: "apiHostname", Flag: "api-hostname", Group: option.Publishing, Effect: option.Fixed, Writes: services,
			Example: "api.kv-00.example.com", Text: "fixed host name of the API server; it has to be in DNS"},
		{Name: "kasDNSName", Flag: "kas-dns-name", Group: option.Publishing, Needs: "2.9",
			Check: dnsName("kube.kv-00.example.com"), Effect: option.RestartsControlPlane,
			Writes: hostedCluster + "spec.kubeAPIServerDNSName", Example: "kube.kv-00.example.com",
			Text: "additional name of the API server, with a kubeconfig of its own"},
		{Name: "metallbPool", Flag: "metallb-pool", Group: option.Publishing, Beside: true,
			Check: objectName("a name of an IPAddressPool"), Why: "addresses belong to an IPAddressPool",
			Way:    hint.New("oc edit ipaddresspool POOL -n metallb-system"),
			Writes: "IPAddressPool <pool> spec.serviceAllocation.namespaces", Example: "tenants",
			Text: "IPAddressPool that also serves this cluster; one for chosen namespaces only"},
		{Name: "metallbAddresses", Flag: "metallb-addresses", Group: option.Publishing, Check: checkAddresses,
			Why: "addresses belong to an IPAddressPool", Way: hint.New("oc edit ipaddresspool NAMESPACE-NAME -n metallb-system"),
			Writes: "IPAddressPool <namespace>-<name> spec.addresses, L2Advertisement <namespace>-<name> " +
				"spec.ipAddressPools", Example: "192.0.2.16/30",
			Text: "addresses that only this cluster's services get, as FIRST-LAST or CIDR"},
		{Name: "allowedCIDRBlocks", Flag: "allowed-cidr-blocks", Group: option.Publishing, Max: 500,
			Effect: option.RestartsNothing, Writes: networking + "apiServer.allowedCIDRBlocks", Example: "192.0.2.0/24",
			Text: "networks that may reach the API server's load balancer; all unless given"},

		{Name: "networkType", Flag: "network-type", Group: option.Network, Values: networkTypes(), Refused: refusedTypes(),
			Effect: option.Fixed, Writes: networking + "networkType", Example: "Calico",
			Text: "network plug-in of the hosted cluster"},
		{Name: "clusterCIDR", Flag: "cluster-cidr", Group: option.Network, Effect: option.Fixed,
			Writes: networking + "clusterNetwork", Example: "10.140.0.0/14",
			Text: "network of the pods; a second one for the other IP family"},
		{Name: "serviceCIDR", Flag: "service-cidr", Group: option.Network, Effect: option.Fixed,
			Writes: networking + "serviceNetwork", Example: "172.29.0.0/16",
			Text: "network of the Services; a second one for the other IP family"},
		{Name: "machineCIDR", Flag: "machine-cidr", Group: option.Network, Effect: option.Fixed,
			Writes: networking + "machineNetwork", Example: "192.0.2.0/24",
			Text: "network of the nodes; a second one for the other IP family"},
		{Name: "disableMultiNetwork", Flag: "disable-multi-network", Group: option.Network, Needs: "2.10",
			Effect: option.Fixed, Writes: cno + "disableMultiNetwork", Example: "true", With: "--network-type Other",
			Text: "leave Multus out; only with --network-type Other"},
		{Name: "allocateNodeCIDRs", Flag: "allocate-node-cidrs", Group: option.Network, Needs: "2.17",
			Effect: option.Fixed, Writes: networking + "allocateNodeCIDRs", Example: "true", With: "--network-type Other",
			Text: "let the controller manager assign pod networks to nodes, as Flannel needs; only with --network-type " +
				"Other and a HyperShift release of 2026"},
		{Name: "ovnKubernetesMTU", Flag: "ovn-kubernetes-mtu", Group: option.Network, Needs: "2.17",
			Effect: option.Fixed, Writes: cno + "ovnKubernetesConfig.mtu", Example: "1400",
			Text: "MTU of OVN-Kubernetes' tunnels, 576 to 9216; chosen by the hosted cluster unless given; only with a " +
				"HyperShift release of 2026"},
		{Name: "ovnInternalJoinSubnet", Flag: "ovn-internal-join-subnet", Group: option.Network, Needs: "2.10",
			Effect: option.RestartsControlPlane, Writes: cno + "ovnKubernetesConfig.ipv4.internalJoinSubnet",
			Example: "100.70.0.0/16", Text: "OVN-Kubernetes' own join subnet; 100.66.0.0/16 unless given"},
		{Name: "ovnInternalTransitSwitchSubnet", Flag: "ovn-internal-transit-switch-subnet", Group: option.Network,
			Needs: "2.10", Effect: option.RestartsControlPlane,
			Writes: cno + "ovnKubernetesConfig.ipv4.internalTransitSwitchSubnet", Example: "100.90.0.0/16",
			Text: "OVN-Kubernetes' own transit switch subnet; 100.88.0.0/16 unless given"},
		{Name: "httpProxy", Flag: "http-proxy", Group: option.Network, Effect: option.ReplacesNodes,
			Writes: hostedCluster + "spec.configuration.proxy.httpProxy", Example: "http://proxy.example.com:3128",
			Text: "proxy for HTTP requests of the hosted cluster"},
		{Name: "httpsProxy", Flag: "https-proxy", Group: option.Network, Effect: option.ReplacesNodes,
			Writes: hostedCluster + "spec.configuration.proxy.httpsProxy", Example: "http://proxy.example.com:3128",
			Text: "proxy for HTTPS requests of the hosted cluster"},
		{Name: "noProxy", Flag: "no-proxy", Group: option.Network, Check: checkNoProxy, Effect: option.ReplacesNodes,
			Writes: hostedCluster + "spec.configuration.proxy.noProxy", Example: ".example.com",
			With: "--http-proxy http://proxy.example.com:3128",
			Text: "domains, addresses and networks that are reached without the proxy"},
	}
}

func networkTypes() []string { return []string{"OVNKubernetes", "Calico", "Other"} }

func refusedTypes() map[string]string {
	return map[string]string{"OpenShiftSDN": "HyperShift takes it for OpenShift 4.10 and older only, and hosted " +
		"clusters on KubeVirt are newer; use OVNKubernetes"}
}
