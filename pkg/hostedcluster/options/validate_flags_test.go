package options_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
)

// TestEarlyErrors has every rule that needs no cluster: the flags given, and what is said about them.
func TestEarlyErrors(t *testing.T) {
	for flags, want := range map[string]string{
		// What the vendor's CLI takes, drops or panics at.
		"--host-device-name nvidia.com/GPU": "",
		"--host-device-name nvidia.com/GPU,count:0": `--host-device-name "nvidia.com/GPU,count:0": count "0" is not a ` +
			`whole number from 1 to 2147483647`,
		"--host-device-name nvidia.com/GPU,number:1": `--host-device-name "nvidia.com/GPU,number:1": unknown option ` +
			`"number"; there is count:N`,
		"--host-device-name ,count:1": `--host-device-name ",count:1": ` +
			`"" is not the resource name of a device, such as nvidia.com/GA102GL_A10`,
		"--root-volume-access-modes RWX": `--root-volume-access-modes ` +
			`"RWX": must be one of ReadWriteOnce, ReadWriteMany, ReadWriteOncePod`,
		"--additional-network ns/nad": `--additional-network "ns/nad": ` +
			`not of the form name:NAMESPACE/NETWORK, the NetworkAttachmentDefinition NETWORK in NAMESPACE, such as ` +
			`name:default/vlan-100`,
		"--additional-network name:nad": `--additional-network ` +
			`"name:nad": not of the form name:NAMESPACE/NETWORK, the NetworkAttachmentDefinition NETWORK in NAMESPACE, such ` +
			`as name:default/vlan-100`,
		"--infra-storage-class-mapping a/b,group": `--infra-storage-class-mapping ` +
			`"a/b,group": "group" is not of the form name=value`,
		"--infra-storage-class-mapping a/b,groups=x": `--infra-storage-class-mapping ` +
			`"a/b,groups=x": unknown option "groups"; there is group=NAME`,
		"--infra-storage-class-mapping a/b/c": `--infra-storage-class-mapping ` +
			`"a/b/c": not of the form INFRA/GUEST[,group=NAME], class INFRA here as class GUEST in the hosted cluster`,
		"--infra-storage-class-mapping a": `--infra-storage-class-mapping ` +
			`"a": not of the form INFRA/GUEST[,group=NAME], class INFRA here as class GUEST in the hosted cluster`,
		"--infra-volumesnapshot-class-mapping a/b": `--infra-volumesnapshot-class-mapping "a/b": needs ` +
			`--infra-storage-class-mapping: the hosted cluster would have no StorageClass that could be snapshotted`,
		"--etcd-storage-size 8": `--etcd-storage-size "8": that ` +
			`is 8 bytes, too little for etcd; did you mean 8Gi?`,
		"--etcd-storage-size 8MB": `--etcd-storage-size "8MB": not ` +
			`a size; write it like 8Gi`,
		"--etcd-storage-size 0": `--etcd-storage-size "0": that ` +
			`is 0 bytes, too little for etcd; did you mean 1Gi?`,
		"--etcd-storage-size 100Mi": `--etcd-storage-size "100Mi": ` +
			`too little for etcd, which needs at least 1Gi`,
		"--attach-default-network false": `--attach-default-network ` +
			`"false": needs --additional-network: the workers would have no network at all`,
		"--api-server-address 192.0.2.7": `--api-server-address ` +
			`"192.0.2.7": only with --service-publishing-strategy NodePort`,
		"--ingress service --infra-namespace guests --infra-kubeconfig-file kubeconfig": `--ingress "service": not with ` +
			`--infra-kubeconfig-file: the Service would have to be where the VMs are, and hcctl writes nothing to that cluster`,
		"--infra-namespace guests": `--infra-namespace "guests": ` +
			`needs --infra-kubeconfig-file, the cluster that it is a namespace of`,
		"--infra-kubeconfig-file kubeconfig": `--infra-kubeconfig-file ` +
			`"kubeconfig": needs --infra-namespace, an existing namespace of that cluster`,
		"--generate-ssh true --ssh-key id.pub": `--generate-ssh "true": not ` +
			`together with --ssh-key: give only one of the two`,
		"--pausedUntil tomorrow": `--pausedUntil "tomorrow": must ` +
			`be true, false or a time like 2030-01-02T03:04:05Z`,
		"--arch arm64": `--arch "arm64": must be one of ` +
			`amd64, s390x`,
		"--feature-set Preview": `--feature-set "Preview": must ` +
			`be one of Default, TechPreviewNoUpgrade, DevPreviewNoUpgrade`,
		"--node-upgrade-type inplace": `--node-upgrade-type "inplace": ` +
			`must be one of Replace, InPlace`,
		"--network-multiqueue off": `--network-multiqueue "off": ` +
			`must be one of Enable, Disable`,
		"--service-publishing-strategy Route": `--service-publishing-strategy ` +
			`"Route": must be one of Ingress, NodePort`,
		"--disable-cluster-capabilities Ingress": `--disable-cluster-capabilities ` +
			`"Ingress": the console needs ingress: disable Console as well`,
		"--disable-cluster-capabilities Ingress,Console": "",
		"--enable-cluster-capabilities Web": `--enable-cluster-capabilities ` +
			`"Web": must be one of ImageRegistry, openshift-samples, Insights, baremetal, Console, NodeTuning, Ingress`,
		"--cni cni.yaml":                      `--cni "cni.yaml": only with --network-type Other: OVNKubernetes brings its own`,
		"--cni cni.yaml --network-type Other": "",
		"--cni pull-secret.json --network-type Other": `--cni "pull-secret.json": ` +
			`pull-secret.json, line 1: apiVersion or kind is missing`,
		"--guest-manifests guest.yaml": "",
		"--guest-manifests mirrors.yaml": `--guest-manifests "mirrors.yaml": ` +
			`mirrors.yaml, line 1: an unexpected array`,
		"--cni cni.yaml --network-type Other --guest-manifests cni.yaml": `--guest-manifests: Namespace cni is among those ` +
			`of --cni as well`,
		"--disable-multi-network true": `--disable-multi-network ` +
			`"true": only with --network-type Other`,
		"--allocate-node-cidrs true": `--allocate-node-cidrs "true": ` +
			`only with --network-type Other`,
		"--ovn-kubernetes-mtu 575": `--ovn-kubernetes-mtu "575": ` +
			`must be from 576 to 9216`,
		"--ovn-kubernetes-mtu 9217": `--ovn-kubernetes-mtu "9217": ` +
			`must be from 576 to 9216`,
		"--ovn-kubernetes-mtu 1400 --network-type Calico": `--ovn-kubernetes-mtu "1400": ` +
			`only with --network-type OVNKubernetes`,
		"--ovn-internal-join-subnet 100.70.0.0/16 --network-type Calico": `--ovn-internal-join-subnet ` +
			`"100.70.0.0/16": only with --network-type OVNKubernetes`,
		"--ovn-internal-join-subnet fd98::/64": `--ovn-internal-join-subnet ` +
			`"fd98::/64": must be an IPv4 network of /30 or larger whose first number is not 0`,
		"--ovn-internal-join-subnet 100.70.0.0/31": `--ovn-internal-join-subnet ` +
			`"100.70.0.0/31": must be an IPv4 network of /30 or larger whose first number is not 0`,
		"--ovn-internal-join-subnet 10.132.0.0/16": `--ovn-internal-join-subnet ` +
			`"10.132.0.0/16": shares addresses with the network of the pods (10.132.0.0/14)`,
		"--cluster-cidr 10.132.1.0/14": `--cluster-cidr "10.132.1.0/14": an address within a network, not a network; did ` +
			`you mean 10.132.0.0/14?`,
		"--cluster-cidr 10.132.0.0": `--cluster-cidr "10.132.0.0": ` +
			`not a network in CIDR notation; write it like 10.140.0.0/14`,
		"--cluster-cidr 10.140.0.0/14,10.148.0.0/14":                                     `--cluster-cidr "10.140.0.0/14,10.148.0.0/14": two networks must be one of IPv4 and one of IPv6`,
		"--cluster-cidr 10.132.0.0/14,fd01::/48 --service-cidr 172.31.0.0/16,fd02::/112": "",
		"--cluster-cidr fd01::/48": `--cluster-cidr "fd01::/48": ` +
			`the first of --cluster-cidr, --service-cidr and --machine-cidr must be of one IP family: all IPv4 or all IPv6`,
		"--service-cidr 10.133.0.0/16": `--service-cidr "10.133.0.0/16": shares ` +
			`addresses with the network of the pods (10.132.0.0/14)`,
		"--machine-cidr 172.31.5.0/24": `--machine-cidr "172.31.5.0/24": shares ` +
			`addresses with the network of the Services (172.31.0.0/16)`,
		"--cluster-cidr 100.66.0.0/17": `--cluster-cidr "100.66.0.0/17": shares ` +
			`addresses with OVN-Kubernetes' join subnet (100.66.0.0/16)`,
		"--cluster-cidr 100.66.0.0/17 --ovn-internal-join-subnet 100.70.0.0/16": "",
		"--cluster-cidr 100.66.0.0/17 --network-type Calico":                    "",
		"--service-cidr 172.20.0.0/16": `--service-cidr "172.20.0.0/16": shares ` +
			`addresses with the address at which nodes reach the API server (172.20.0.1/32)`,
		// Publishing.
		"--publish APIServer": `--publish "APIServer": not of the form ` +
			`SERVICE=STRATEGY[,hostname=H][,address=A][,port=P], such as APIServer=LoadBalancer,hostname=api.kv-00.example.com`,
		"--publish Web=Route": `--publish "Web=Route": unknown service "Web"; there are APIServer, ` +
			`Ignition, Konnectivity, OAuthServer, OIDC, OVNSbDb`,
		"--publish Ignition=LoadBalancer": `--publish "Ignition=LoadBalancer": Ignition cannot be published by ` +
			`"LoadBalancer"; there are Route, NodePort`,
		"--publish OAuthServer=LoadBalancer": `--publish "OAuthServer=LoadBalancer": OAuthServer cannot be published ` +
			`by "LoadBalancer"; there are Route, NodePort`,
		"--publish konnectivity=loadbalancer": "",
		"--publish APIServer=Route": `--publish "APIServer=Route": the API server by Route needs hostname=H: ` +
			`it cannot share the name of the management cluster's router`,
		"--publish APIServer=Route,hostname=api": `--publish "APIServer=Route,hostname=api": "api" is not a full host ` +
			`name; write it like api.kv-00.example.com`,
		"--publish APIServer=Route,hostname=a.example.com --api-hostname b.example.com": `--api-hostname "b.example.com": ` +
			`not together with --publish APIServer=Route,hostname=a.example.com; say hostname=b.example.com there`,
		"--publish Ignition=Route,port=1": `--publish "Ignition=Route,port=1": address and port are ` +
			`for NodePort, not for Route`,
		"--publish Ignition=NodePort,hostname=a.example.com": `--publish "Ignition=NodePort,hostname=a.example.com": a ` +
			`NodePort has address=A, not hostname`,
		"--publish Ignition=NodePort,address=999.1.1.1": `--publish "Ignition=NodePort,address=999.1.1.1": address ` +
			`"999.1.1.1" is neither an IP address nor a full host name`,
		"--publish Ignition=NodePort,port=70000": `--publish "Ignition=NodePort,port=70000": port "70000" is ` +
			`not a node port; they are 30000 to 32767, and without port=P one is chosen`,
		"--publish Ignition=Route,name=a": `--publish "Ignition=Route,name=a": unknown option "name"; ` +
			`there are hostname, address and port`,
		"--publish OAuthServer=Route,hostname=api.example.com --api-hostname api.example.com": `--publish: APIServer and ` +
			`OAuthServer both have api.example.com; each service needs its own`,
		"--api-hostname api": `--api-hostname "api": not ` +
			`a full host name; write it like api.kv-00.example.com`,
		"--api-hostname a.example.com --service-publishing-strategy NodePort": `--api-hostname "a.example.com": not with ` +
			`--service-publishing-strategy NodePort; use --api-server-address`,
		"--kas-dns-name a.example.com --api-hostname a.example.com": `--kas-dns-name "a.example.com": APIServer ` +
			`has that name already; it must be an additional one`,
		"--kas-dns-name Kube": `--kas-dns-name "Kube": ` +
			`not a DNS name; write it like kube.kv-00.example.com, in lower case`,
		"--external-dns-domain example.com --service-publishing-strategy NodePort": `--external-dns-domain ` +
			`"example.com": not with --service-publishing-strategy NodePort: node ports have an address instead of names`,
		"--external-dns-domain Example.com": `--external-dns-domain ` +
			`"Example.com": not a DNS domain; write it like example.com, in lower case`,
		"--allowed-cidr-blocks 192.0.2.0/24 --external-dns-domain example.com": `--allowed-cidr-blocks ` +
			`"192.0.2.0/24": has an effect only where the API server is published by LoadBalancer, here it is by Route`,
		"--allowed-cidr-blocks 192.0.2.0/24,192.0.2.0/24": `--allowed-cidr-blocks ` +
			`"192.0.2.0/24": given twice`,
		"--base-domain example.c0m": `--base-domain "example.c0m": not a DNS name; write it like example.com, in lower case`,
		"--metallb-pool a --metallb-addresses 192.0.2.0/30": `--metallb-pool "a": not ` +
			`together with --metallb-addresses, which makes a pool for this cluster`,
		"--metallb-addresses 192.0.2.9-192.0.2.1": `--metallb-addresses ` +
			`"192.0.2.9-192.0.2.1": ends before it begins`,
		"--metallb-addresses 192.0.2.9-fd00::1": `--metallb-addresses ` +
			`"192.0.2.9-fd00::1": begins and ends in different IP families`,
		"--metallb-addresses 192.0.2.9": `--metallb-addresses ` +
			`"192.0.2.9": neither FIRST-LAST nor a network; write it like 192.0.2.16-192.0.2.19 or 192.0.2.16/30`,
		"--http-proxy proxy:3128": `--http-proxy: not the URL ` +
			`of a proxy; write it like http://proxy.example.com:3128`,
		"--no-proxy example.com": `--no-proxy "example.com": ` +
			`of no use without --http-proxy or --https-proxy`,
		"--oidc oidc.yaml --identity-providers identity-providers.yaml": `--oidc "oidc.yaml": not ` +
			`together with --identity-providers: with OIDC the hosted cluster has no OAuth server that could use them`,
		"--storage-driver Manual": `--storage-driver "Manual": needs --infra-storage-class-mapping: the hosted cluster ` +
			`would have no StorageClass; for none at all use None`,
		"--storage-driver None --infra-storage-class-mapping a/b": `--storage-driver "None": ` +
			`mappings need the storage driver Manual, which they imply`,
		// Where worker VMs stand.
		"--spread host=always":          `--spread "host=always": "always" is neither required nor preferred`,
		"--spread rack,max=0":           `--spread "rack,max=0": max=0 is not a number from 1 to 1000`,
		"--spread rack=preferred,max=2": `--spread "rack=preferred,max=2": max=N holds only where it is required; leave preferred out`,
		"--avoid kv-01,lab/kv-02":       "",
		"--avoid KV":                    `--avoid "KV": not a hosted cluster, as [NAMESPACE/]NAME`,
		"--avoid kv-00":                 `--avoid "kv-00": is this cluster itself; spread its workers with --spread host`,
		"--avoid kv-01 --infra-kubeconfig-file kubeconfig --infra-namespace guests": `--avoid "kv-01": not together with ` +
			`--infra-namespace: the VMs run on another cluster`,
		"--isolate-control-plane shared --node-selector a=b": "",
		"--isolate-control-plane own":                        `--isolate-control-plane "own": must be one of shared, dedicated`,
		"--isolate-control-plane dedicated --node-selector hypershift.openshift.io/cluster=x": `--node-selector ` +
			`"hypershift.openshift.io/cluster=x": --isolate-control-plane dedicated writes ` +
			`hypershift.openshift.io/cluster=clusters-kv-00`,
		"--node-topology host,rack,topology.kubernetes.io/zone": "",
		"--node-topology kubernetes.io/hostname": `--node-topology "kubernetes.io/hostname": a label of Kubernetes' own ` +
			`is not overwritten, but for topology.kubernetes.io/zone and topology.kubernetes.io/region; write host, ` +
			`zone or region`,
		"--node-topology host=preferred": `--node-topology "host=preferred": neither host nor zone nor region nor the ` +
			`name of a label`,
		"--guest-default-storage-class b --infra-storage-class-mapping a/b": "",
		"--guest-default-storage-class a --infra-storage-class-mapping a/b": `--guest-default-storage-class "a": is not ` +
			`GUEST of a --infra-storage-class-mapping; without mappings HyperShift makes the one class that there is the default`,
		// Workers.
		"--cpu-pinning true": `--cpu-pinning "true": needs --qos-class Guaranteed: ` +
			`only such VMs can have dedicated CPUs`,
		"--min-replicas 2":                  `--min-replicas "2": of no use without --max-replicas`,
		"--min-replicas 3 --max-replicas 2": `--max-replicas "2": less than --min-replicas 3`,
		"--min-replicas 0 --max-replicas 2": `--min-replicas "0": a pool of KubeVirt VMs that ` +
			`scales by itself has at least 1 worker; use --min-replicas 1 or more`,
		"--taints dedicated=gpu": `--taints "dedicated=gpu": not of the form ` +
			`key[=value]:effect, such as dedicated=gpu:NoSchedule`,
		"--taints dedicated=gpu:Never": `--taints "dedicated=gpu:Never": unknown effect ` +
			`"Never"; there are NoSchedule, PreferNoSchedule, NoExecute`,
		"--taints dedicated:": `--taints "dedicated:": the effect is missing; there ` +
			`are NoSchedule, PreferNoSchedule, NoExecute`,
		"--node-labels a/b/c=d": `--node-labels "a/b/c=d": "a/b/c" is not the ` +
			`name of a label`,
		"--node-selector a=b!": `--node-selector "a=b!": "b!" is not a value that a ` +
			`label can have`,
		"--toleration key=a,operator=exist": `--toleration "key=a,operator=exist": unknown ` +
			`operator "exist"; there are Equal, Exists`,
		"--toleration key=a,operator=exists,effect=noschedule": "",
		"--toleration key=a,operator=Exists,value=b": `--toleration "key=a,operator=Exists,value=b": ` +
			`operator Exists takes no value`,
		"--toleration value=b": `--toleration "value=b": without key the operator ` +
			`must be Exists, which tolerates every taint`,
		"--toleration key=a,tolerationSeconds=5": `--toleration "key=a,tolerationSeconds=5": ` +
			`tolerationSeconds needs effect NoExecute`,
		"--toleration key=a,tolerationSeconds=x,effect=NoExecute": `--toleration "key=a,tolerationSeconds=x,effect=NoExecute": tolerationSeconds "x" is not a whole number`,
		"--toleration key": `--toleration "key": "key" is not of the ` +
			`form name=value`,
		"--vm-toleration colour=red": `--vm-toleration "colour=red": unknown field ` +
			`"colour"; there are key, value, operator, effect and tolerationSeconds`,
		"--node-drain-timeout -1m": `--node-drain-timeout "-1m0s": cannot be negative; 0 ` +
			`is without limit`,
		"--infra-id KV": `--infra-id "KV": must consist of lower case ` +
			`letters, digits and dashes, begin and end with a letter or digit, and have at most 63 characters`,
		"--labels hypershift.openshift.io/auto-created-for-infra=x": `--labels "hypershift.openshift.io/auto-created-for-infra=x": this label is hcctl's own; use --infra-id`,
	} {
		t.Run(flags, func(t *testing.T) {
			got := ""
			if err := optionstest.Refusal(optionstest.With(t, flags)); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestFilesThatCannotBe are files whose content is refused, each with what is said about it; nothing of a secret is
// shown.
func TestFilesThatCannotBe(t *testing.T) {
	for name, tc := range map[string]struct {
		flag, content, want string
	}{
		"no certificate": {"additional-trust-bundle", "hello", `not PEM certificates`},
		"a key": {"additional-trust-bundle", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END " +
			"PRIVATE KEY-----\n", "block 1 is a PRIVATE KEY, not a CERTIFICATE"},
		"mirrors no list":   {"image-content-sources", "source: a", "neither a YAML list of source and mirrors nor an object"},
		"mirrors unknown":   {"image-content-sources", "- {source: a, mirror: [b]}", `line 1: unknown field "[0].mirror"`},
		"no mirrors":        {"image-content-sources", "- {source: a}", "line 1: source a has no mirrors"},
		"provider unknown":  {"identity-providers", "- {name: a, typ: OpenID}", `line 1: unknown field "[0].typ"`},
		"oidc whole object": {"oidc", "oidcProviders: []", "not a YAML list of spec.oidcProviders of an Authentication"},
		"oidc empty":        {"oidc", "[]", "the list is empty"},
		"no kubeconfig":     {"audit-webhook", "hello: 1", "the kubeconfig has no current context"},
		"config in ConfigMap": {"config", "apiVersion: v1\nkind: ConfigMap", `line 1: it is a "ConfigMap"; the operator ` +
			`takes MachineConfig`},
		"config empty":     {"config", "---\n", "there is nothing in it"},
		"affinity unknown": {"vm-affinity", "nodeAfinity: {}", `unknown field "nodeAfinity"`},
		"affinity empty": {"vm-affinity", "{}", "there is neither nodeAffinity nor podAffinity nor " +
			"podAntiAffinity in it"},
		"patch no list": {"vm-json-patch", "{}", "not a JSON patch"},
		"patch op":      {"vm-json-patch", `[{"op":"put","path":"/a","value":1}]`, `operation 1: unknown op "put"`},
		"patch path": {"vm-json-patch", `[{"op":"remove","path":"a"}]`, `operation 1: path "a" is no JSON ` +
			`pointer: it begins with /`},
		"patch value": {"vm-json-patch", `[{"op":"add","path":"/a"}]`, "operation 1: add needs a value"},
		"patch from":  {"vm-json-patch", `[{"op":"move","path":"/a"}]`, "operation 1: move needs from"},
		"manifest elsewhere": {"manifests", "{apiVersion: v1, kind: Secret, metadata: {name: a, " +
			"namespace: b}}", "is for namespace b, but the cluster's is clusters"},
		"manifest of all": {"manifests", "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, " +
			"metadata: {name: a}}", "belongs to the whole management cluster"},
		"manifest role": {"manifests", "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: a}}",
			"allow the kind with --allow-kind RoleBinding.rbac.authorization.k8s.io"},
		"manifest cron job": {"manifests", "{apiVersion: batch/v1, kind: CronJob, metadata: {name: a}}", "only Secrets and " +
			"ConfigMaps"},
		"manifest account":   {"manifests", "{apiVersion: v1, kind: ServiceAccount, metadata: {name: a}}", "ServiceAccount"},
		"manifest pod":       {"manifests", "{apiVersion: v1, kind: Pod, metadata: {name: a}}", "--allow-kind Pod"},
		"manifest of hosted": {"manifests", "{apiVersion: hypershift.openshift.io/v1beta1, kind: HostedCluster, metadata: {name: a}}", "only Secrets"},
		"manifest of others": {"manifests", "{apiVersion: example.com/v1, kind: Secret, metadata: {name: a}}", "--allow-kind Secret.example.com"},
		"manifest token": {"manifests", "{apiVersion: v1, kind: Secret, type: kubernetes.io/service-account-token, " +
			"metadata: {name: a, annotations: {kubernetes.io/service-account.name: default}}}",
			"--allow-kind Secret/kubernetes.io/service-account-token"},
		"manifest without name": {"manifests", "{apiVersion: v1, kind: Secret}", "has no name that an object can have"},
		"manifest twice a key":  {"manifests", "apiVersion: v1\nkind: Secret\nkind: Secret", `line 3: field "kind" is there twice`},
		"manifest list": {"manifests", "{apiVersion: v1, kind: List, items: [{kind: Secret}]}", "line 1: apiVersion or kind is " +
			"missing"},
	} {
		t.Run(name, func(t *testing.T) {
			o := optionstest.Named(nil)
			file := options.File{Path: "f.yaml", Content: []byte(tc.content)}
			target := map[string]*options.File{
				"additional-trust-bundle": &o.AdditionalTrustBundle, "image-content-sources": &o.ImageContentSources,
				"identity-providers": &o.IdentityProviders,
				"oidc":               &o.OIDC, "audit-webhook": &o.AuditWebhook, "vm-affinity": &o.Pool().VMAffinity,
				"vm-json-patch": &o.Pool().VMJSONPatch,
			}[tc.flag]
			switch tc.flag {
			case "config":
				o.Pool().Config = options.Files{file}
			case "manifests":
				o.Manifests = options.Files{file}
			default:
				*target = file
			}
			err := optionstest.Refusal(o)
			if err == nil || !strings.HasPrefix(err.Error(), `--`+tc.flag+` "f.yaml": `) ||
				!strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// The command line allows a kind of manifests by its name, and no other by it.
func TestAllowedKinds(t *testing.T) {
	o := optionstest.Named(nil)
	o.Manifests = options.Files{{Path: "f.yaml", Content: []byte("{apiVersion: k8s.cni.cncf.io/v1, " +
		"kind: NetworkAttachmentDefinition, metadata: {name: a}}")}}
	o.AllowKinds = []string{"NetworkAttachmentDefinition"}
	if err := optionstest.Refusal(o); err == nil {
		t.Error("the kind of another group is taken")
	}
	o.AllowKinds = []string{"NetworkAttachmentDefinition.k8s.cni.cncf.io"}
	if err := optionstest.Refusal(o); err != nil {
		t.Error(err)
	}
}

func TestTooMany(t *testing.T) {
	for flag, change := range map[string]func(*options.Cluster){
		"node-selector": func(o *options.Cluster) { o.NodeSelector = optionstest.Many(21) },
		"pods-labels":   func(o *options.Cluster) { o.PodsLabels = optionstest.Many(21) },
		"toleration": func(o *options.Cluster) {
			o.Toleration = slices.Repeat([]string{"operator=Exists"}, 26)
		},
		"infra-storage-class-mapping": func(o *options.Cluster) { o.InfraStorageClassMapping = numbered(51) },
		"infra-volumesnapshot-class-mapping": func(o *options.Cluster) {
			o.InfraStorageClassMapping, o.InfraVolumeSnapshotClassMapping = numbered(1), numbered(51)
		},
		"additional-network": func(o *options.Cluster) {
			o.Pool().AdditionalNetwork = slices.Repeat([]string{"name:a/b"}, 21)
		},
		"host-device-name": func(o *options.Cluster) { o.Pool().HostDeviceName = slices.Repeat([]string{"a/b"}, 11) },
		"taints": func(o *options.Cluster) {
			o.Pool().Taints = slices.Repeat([]string{"a:NoSchedule"}, 51)
		},
		"config": func(o *options.Cluster) { o.Pool().Config = make(options.Files, 11) },
		"root-volume-access-modes": func(o *options.Cluster) {
			o.Pool().RootVolumeAccessModes = slices.Repeat(options.List{"ReadWriteMany"}, 11)
		},
	} {
		t.Run(flag, func(t *testing.T) {
			err := optionstest.Refusal(optionstest.Named(change))
			if err == nil || !strings.HasPrefix(err.Error(), "--"+flag+": given ") || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func numbered(n int) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(optionstest.Many(n))) {
		out = append(out, "a/"+key)
	}
	return out
}
