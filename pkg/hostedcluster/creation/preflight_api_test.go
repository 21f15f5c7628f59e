package creation

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/contracts"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

func TestPreflightByOptions(t *testing.T) {
	const always, places = "preflight/release preflight/unique-name preflight/published-names", " preflight/placement preflight/quotas"
	for text, want := range map[string]string{
		"":                                      always + places,
		"--etcd-storage-class fast":             always + " preflight/storage-classes" + places,
		"--root-volume-storage-class fast":      always + " preflight/storage-classes" + places,
		"--additional-network name:default/lan": always + " preflight/additional-networks" + places,
		"--metallb-pool tenants":                always + " preflight/address-pool" + places,
		"--metallb-addresses 192.0.2.16/30":     always + " preflight/address-pool" + places,
		"--isolate-control-plane shared":        always + places + " preflight/control-plane-nodes",
	} {
		if got := steptest.IDs(prepared(t, world(t), flags(t, text)).Preflight()); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
	o := flags(t, "")
	if steps := prepared(t, created(t, o), o).Preflight(); steps != nil {
		t.Errorf("%s", steptest.IDs(steps))
	}
}

func TestPreflightOfTheRelease(t *testing.T) {
	w := world(t)
	p := prepared(t, w, flags(t, "--release-image registry.example/r:4.20.1-x86_64"))
	const object = "ConfigMap hypershift/supported-versions"
	expect(t, p.Preflight(), preflightRelease, step.StateOK, "4.20.1 is supported", object)
	late := prepared(t, w, flags(t, "--release-image registry.example/r:4.21.0-x86_64"))
	expect(t, late.Preflight(), preflightRelease, step.StateBroken,
		"4.21.0 is not supported; the HyperShift operator supports 4.20, 4.19 on KubeVirt", "--version or --channel", object)
	digest := prepared(t, w, flags(t, "--release-image registry.example/r@sha256:"+
		"0000000000000000000000000000000000000000000000000000000000000000"))
	expect(t, digest.Preflight(), preflightRelease, step.StateOK, "does not say its version; the operator supports "+
		"4.20, 4.19")
	w.Of("ConfigMap").Delete("hypershift", "supported-versions")
	expect(t, p.Preflight(), preflightRelease, step.StateUnknown, "nothing says which versions", "whether it takes 4.20.1",
		"--skip-preflight preflight/release", object)
	expect(t, digest.Preflight(), preflightRelease, step.StateUnknown, "whether it takes registry.example/r@sha256")
	w.Forbid("get " + hostedtest.SupportedPath + "*")
	expect(t, p.Preflight(), preflightRelease, step.StateUnknown, "not allowed")
}

// TestPreflightOfEveryMinorVersion: with HyperShift of each OpenShift, a release of each minor version is taken exactly
// where the operator creates it on KubeVirt.
func TestPreflightOfEveryMinorVersion(t *testing.T) {
	w, taken := world(t), 0
	oldest, newest := contracts.Release{Major: 4, Minor: 12}, contracts.Release{Major: 5, Minor: 1}
	all, err := contracts.Releases{{First: oldest, Last: newest}}.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, minor := range all {
		version := minor.String() + ".9"
		w.Set("ConfigMap", hostedtest.Object{"metadata": hostedtest.MetaOf("hypershift", "supported-versions", nil),
			"data": hostedtest.Object{"supported-versions": `{"versions":["4.21"]}`}})
		p := prepared(t, w, flags(t, "--release-image registry.example/r:"+version+"-multi"))
		for _, hyperShift := range all {
			listed := contracts.HostedVersions(hyperShift)
			text, err := json.Marshal(map[string]any{"versions": listed})
			if err != nil {
				t.Fatal(err)
			}
			w.Set("ConfigMap", hostedtest.Object{"metadata": hostedtest.MetaOf("hypershift", "supported-versions", nil),
				"data": hostedtest.Object{"supported-versions": string(text)}})
			state := step.StateBroken
			// From its own 4.14 on, HyperShift refuses minors before 4.14 on KubeVirt, whatever it lists.
			first := contracts.Release{Major: 4, Minor: 14}
			if slices.Contains(listed, minor.String()) && (hyperShift.Before(first) || !minor.Before(first)) {
				state, taken = step.StateOK, taken+1
			}
			expect(t, p.Preflight(), preflightRelease, state, version+" is", "ConfigMap hypershift/supported-versions")
		}
	}
	if taken < 80 {
		t.Errorf("%d releases are taken", taken)
	}
}

// TestLargeServiceNetworks: whether the API servers take one depends on the release.
func TestLargeServiceNetworks(t *testing.T) {
	for text, want := range map[string]string{
		"4.20.1-x86_64 --service-cidr 192.0.0.0/11": "too large: API servers before OpenShift 4.21 " +
			"take a /12 at most, and the release is 4.20.1",
		"4.20.1-x86_64 --service-cidr 192.0.0.0/12": "",
		"4.21.0-x86_64 --service-cidr 192.0.0.0/11": "",
		"5.0.0-x86_64 --service-cidr 192.0.0.0/11":  "",
	} {
		_, err := Prepare(t.Context(), world(t).Client, nil, flags(t, "--release-image registry.example/r:"+text))
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestPreflightOfS390X(t *testing.T) {
	w := world(t)
	p := prepared(t, w, flags(t, "--release-image registry.example/r:4.20.1-multi --arch s390x"))
	expect(t, p.Preflight(), preflightRelease, step.StateBroken, "workers of s390x need HyperShift 4.21 or later; this "+
		"operator supports 4.20, 4.19", "leave out --arch")
	w.Set("ConfigMap", hostedtest.Object{"metadata": hostedtest.MetaOf("hypershift", "supported-versions", nil),
		"data": hostedtest.Object{"supported-versions": `{"versions":["4.21","4.20"]}`}})
	expect(t, p.Preflight(), preflightRelease, step.StateOK, "4.20.1 is supported")
}

func TestZoneBound(t *testing.T) {
	for version, want := range map[string]bool{"4.17.9": true, "4.18.0": false, "5.0.0": false, "": false} {
		p := &Plan{}
		p.Inputs.ReleaseVersion = version
		if p.ZoneBound() != want {
			t.Errorf("%q: got %t", version, !want)
		}
	}
}

func TestPreflightOfTheName(t *testing.T) {
	w := world(t)
	p := prepared(t, w, flags(t, ""))
	w.Set("HostedCluster", hostedtest.Hosted("clusters", "kv-00", "a", "", "10:00:00"),
		hostedtest.Hosted("team", "kv-01", "b", "", "10:00:00"))
	expect(t, p.Preflight(), preflightUniqueName, step.StateOK, "no other hosted cluster is named kv-00")
	w.Set("HostedCluster", hostedtest.Hosted("team", "kv-00", "c", "", "10:00:00"))
	expect(t, p.Preflight(), preflightUniqueName, step.StateMissing, "has the same name", "HostedCluster team/kv-00",
		"choose another --name")
	w.Forbid("get " + hostedtest.AllPath)
	expect(t, p.Preflight(), preflightUniqueName, step.StateUnknown, "not allowed", "HostedClusters")
}

func TestPreflightOfTheInfrastructure(t *testing.T) {
	w := world(t)
	p := prepared(t, w, flags(t, "--etcd-storage-class fast --root-volume-storage-class slow "+
		"--additional-network name:default/lan"))
	class := func(name string) hostedtest.Object {
		return hostedtest.Object{"metadata": hostedtest.Object{"name": name}}
	}
	w.Set("StorageClass", class("fast"), class("other"))
	expect(t, p.Preflight(), preflightStorageClasses, step.StateMissing, "does not exist; there are fast, other",
		"StorageClass slow")
	w.Set("StorageClass", class("slow"))
	expect(t, p.Preflight(), preflightStorageClasses, step.StateOK, "fast, slow", "StorageClasses")
	w.Forbid("get /apis/storage.k8s.io/*")
	expect(t, p.Preflight(), preflightStorageClasses, step.StateUnknown, "not allowed", "StorageClasses")

	const network = "NetworkAttachmentDefinition default/lan"
	expect(t, p.Preflight(), preflightNetworks, step.StateMissing, "so that no VM of the pool could start", network)
	w.Set("NetworkAttachmentDefinition", hostedtest.Object{"metadata": hostedtest.MetaOf("default", "lan", nil)})
	expect(t, p.Preflight(), preflightNetworks, step.StateOK, "all 1 exist", "NetworkAttachmentDefinitions")

	// Multus may keep pods to the networks of their own namespace and of global ones.
	multus := func(settings string) {
		w.Set("ConfigMap", hostedtest.Object{"metadata": hostedtest.MetaOf("openshift-multus", "multus-daemon-config", nil),
			"data": hostedtest.Object{"daemon-config.json": settings}})
	}
	multus(`{"namespaceIsolation":true,"globalNamespaces":"default,openshift-multus"}`)
	expect(t, p.Preflight(), preflightNetworks, step.StateOK, "all 1 exist")
	multus(`{"namespaceIsolation":true,"globalNamespaces":"openshift-multus"}`)
	expect(t, p.Preflight(), preflightNetworks, step.StateBroken, "multus isolates namespaces: pods of Namespace "+
		"clusters-kv-00 may use networks of that namespace, and of openshift-multus", network, "--adopt-namespace")
	multus(`{"namespaceIsolation":false}`)
	expect(t, p.Preflight(), preflightNetworks, step.StateOK, "all 1 exist")
	multus(`[`)
	expect(t, p.Preflight(), preflightNetworks, step.StateUnknown, "cannot be known", network)
	multus(`{}`)
	w.Forbid("get /apis/k8s.cni.cncf.io/*")
	expect(t, p.Preflight(), preflightNetworks, step.StateUnknown, "not allowed", network)
}

func TestPreflightOfTheAddressPool(t *testing.T) {
	w := world(t)
	p := prepared(t, w, flags(t, "--metallb-pool tenants"))
	expect(t, p.Preflight(), preflightAddressPool, step.StateMissing, "does not exist; there are: none",
		"IPAddressPool tenants")
	w.Set("IPAddressPool", hostedtest.AddressPool("other", nil, "x"), hostedtest.AddressPool("more", nil, "x"))
	expect(t, p.Preflight(), preflightAddressPool, step.StateMissing, "there are: more, other")
	w.Set("IPAddressPool", hostedtest.AddressPool("tenants", nil, "x"))
	expect(t, p.Preflight(), preflightAddressPool, step.StateOK, "can serve the cluster: it is for [x], not yet for",
		"IPAddressPool metallb-system/tenants")
	w.Set("IPAddressPool", hostedtest.AddressPool("tenants", nil))
	expect(t, p.Preflight(), preflightAddressPool, step.StateBroken, "close it to all others")
	w.Forbid("get " + hostedtest.AddressPoolsPath)
	expect(t, p.Preflight(), preflightAddressPool, step.StateUnknown, "not allowed",
		"IPAddressPools in namespace metallb-system")
	w.Allow()
	w.Remove("IPAddressPool")
	expect(t, p.Preflight(), preflightAddressPool, step.StateBroken, "MetalLB is not installed", "hcctl bootstrap")
}

// TestPreflightOfPublishedNames: what another cluster, a Route or a Service has is refused, and named.
func TestPreflightOfPublishedNames(t *testing.T) {
	other := func(fields string) func(*hostedtest.World) {
		return func(w *hostedtest.World) {
			w.Put(t, `{apiVersion: hypershift.openshift.io/v1beta1, kind: HostedCluster, metadata: {name: kv-09, namespace: lab},
  spec: {`+fields+`}}`)
		}
	}
	route := func(namespace, host, more string) func(*hostedtest.World) {
		return func(w *hostedtest.World) {
			w.Put(t, `{apiVersion: hypershift.openshift.io/v1beta1, kind: HostedCluster, metadata: {name: kv-09, namespace: lab}}
---
{apiVersion: route.openshift.io/v1, kind: Route, metadata: {name: r, namespace: `+namespace+`}, spec: {host: `+host+more+`}}`)
		}
	}
	service := func(w *hostedtest.World) {
		w.Put(t, `{apiVersion: v1, kind: Service, metadata: {name: s, namespace: shop}, spec: {type: LoadBalancer, ports: [
  {port: 443, nodePort: 30443}]}, status: {loadBalancer: {ingress: [{ip: 192.0.2.9}]}}}`)
	}
	const passes = "platform: {type: KubeVirt, kubevirt: {baseDomainPassthrough: true}}, dns: {baseDomain: apps.mgmt.example.com}"
	const oauth = "--publish OAuthServer=Route,hostname=login.example.com"
	for name, tc := range map[string]struct {
		flags string
		there func(*hostedtest.World)
		want  string
	}{
		"nobody": {oauth + " --base-domain example.com", other("dns: {baseDomain: example.org}"), ""},
		"a Route of a cluster": {oauth, route("lab-kv-09", "login.example.com", ""),
			"host login.example.com is that of Route lab-kv-09/r of hosted cluster lab/kv-09"},
		"a Route": {oauth, route("shop", "Login.example.com", ""), "host login.example.com is that of Route shop/r"},
		"its own": {oauth, route("clusters-kv-00", "login.example.com", ""), ""},
		"the domain of a wildcard": {oauth, route("shop", "a.example.com", ", wildcardPolicy: Subdomain"),
			"host login.example.com is that of Route shop/r"},
		"its own wildcard": {"--base-domain example.com", route("shop", "a.apps.kv-00.example.com", ""),
			"host *.apps.kv-00.example.com is that of Route shop/r"},
		"deeper than a wildcard": {"--base-domain example.com", route("shop", "a.b.apps.kv-00.example.com", ""), ""},
		"another cluster that has no Route yet": {oauth, other("services: [{service: OAuthServer, servicePublishingStrategy: " +
			"{type: Route, route: {hostname: login.example.com}}}]"), "host login.example.com is that of hosted cluster lab/kv-09"},
		"the name of a load balancer": {"--api-hostname api.example.com", other("services: [{service: APIServer, " +
			"servicePublishingStrategy: {type: LoadBalancer, loadBalancer: {hostname: api.example.com}}}]"),
			"host api.example.com is that of hosted cluster lab/kv-09"},
		"the name of an API server": {"--kas-dns-name kube.example.com", other("kubeAPIServerDNSName: kube.example.com"),
			"host kube.example.com is that of hosted cluster lab/kv-09"},
		"external DNS": {"--external-dns-domain example.com", route("shop", "ignition-kv-00.example.com", ""),
			"host ignition-kv-00.example.com is that of Route shop/r"},
		"a domain by its prefix": {"--base-domain example.com", other("dns: {baseDomain: example.com, baseDomainPrefix: kv-00}"),
			"host *.apps.kv-00.example.com is that of hosted cluster lab/kv-09"},
		"below the management cluster's domain": {"", func(w *hostedtest.World) {
			w.Put(t, `{apiVersion: hypershift.openshift.io/v1beta1, kind: HostedCluster, metadata: {name: kv-00, namespace: lab},
  spec: {`+passes+`}}`)
		}, "host *.apps.kv-00 below the management cluster's domain is that of hosted cluster lab/kv-00"},
		"another name there": {"", other(passes), ""},
		"a node port":        {"--publish Ignition=NodePort,port=30443,address=192.0.2.7", service, "node port 30443 is that of Service shop/s"},
		"another cluster's node port": {"--publish Ignition=NodePort,port=30443,address=192.0.2.7", other("services: [{service: " +
			"Ignition, servicePublishingStrategy: {type: NodePort, nodePort: {address: 192.0.2.7, port: 30443}}}]"),
			"node port 30443 is that of hosted cluster lab/kv-09"},
		"an address": {"--publish Ignition=NodePort,address=192.0.2.9", service, "address 192.0.2.9 is that of Service shop/s"},
		"an address that others share": {"--publish Ignition=NodePort,address=192.0.2.7", other("services: [{service: " +
			"Ignition, servicePublishingStrategy: {type: NodePort, nodePort: {address: 192.0.2.7}}}]"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := world(t)
			tc.there(w)
			state := step.StateBroken
			if tc.want == "" {
				state = step.StateOK
			}
			expect(t, prepared(t, w, flags(t, tc.flags)).Preflight(), preflightPublished, state, tc.want,
				"HostedCluster clusters/kv-00")
		})
	}
	w := world(t)
	p := prepared(t, w, flags(t, oauth))
	w.Forbid("get /apis/route.openshift.io/*")
	expect(t, p.Preflight(), preflightPublished, step.StateUnknown, "list Routes", "not allowed")
}

// TestPreflightOfOwnAddresses: MetalLB refuses pools that overlap, and gives Services addresses of their family alone.
func TestPreflightOfOwnAddresses(t *testing.T) {
	for name, tc := range map[string]struct {
		flags, there string
		state        step.State
		words        string
	}{
		"free": {"--metallb-addresses 192.0.2.16/30", "", step.StateOK, "can serve the cluster"},
		"a part of a pool": {"--metallb-addresses 192.0.2.16/30", `{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: p,
  namespace: metallb-system}, spec: {addresses: [192.0.2.19-192.0.2.40]}}`, step.StateBroken,
			"it has 192.0.2.19-192.0.2.40, which shares addresses with --metallb-addresses 192.0.2.16/30"},
		"a Service's": {"--metallb-addresses 192.0.2.16/30", `{apiVersion: v1, kind: Service, metadata: {name: s, namespace: shop},
  status: {loadBalancer: {ingress: [{ip: 192.0.2.18}]}}}`, step.StateBroken, "it has 192.0.2.18"},
		"another family": {"--metallb-addresses 2001:db8::/120", `{apiVersion: config.openshift.io/v1, kind: Network, metadata: {name: cluster},
  status: {serviceNetwork: [172.30.0.0/16]}}`, step.StateBroken, "has no IPv4 address"},
		"the second family alone": {"--metallb-addresses 2001:db8::/120", `{apiVersion: config.openshift.io/v1, kind: Network, metadata: {name:
  cluster}, status: {serviceNetwork: [172.30.0.0/16, 'fd02::/112']}}`, step.StateBroken, "has no IPv4 address"},
		"the first of two families": {"--metallb-addresses 2001:db8::/120", `{apiVersion: config.openshift.io/v1, kind: Network, metadata: {name:
  cluster}, status: {serviceNetwork: ['fd02::/112', 172.30.0.0/16]}}`, step.StateOK, "can serve the cluster"},
		"a pool of another family": {"--metallb-pool p", `{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: p, namespace:
  metallb-system}, spec: {addresses: ['2001:db8::/120'], serviceAllocation: {namespaces: [x]}}}
---
{apiVersion: config.openshift.io/v1, kind: Network, metadata: {name: cluster}, status: {serviceNetwork: [172.30.0.0/16]}}`,
			step.StateBroken, "has no IPv4 address"},
	} {
		t.Run(name, func(t *testing.T) {
			w := world(t)
			w.Put(t, tc.there)
			expect(t, prepared(t, w, flags(t, tc.flags)).Preflight(), preflightAddressPool, tc.state, tc.words)
		})
	}
}

func TestPreflightOfTheClusterSet(t *testing.T) {
	w := world(t)
	p := prepared(t, w, flags(t, "--cluster-set dev"))
	expect(t, p.Preflight(), preflightClusterSet, step.StateMissing, "does not exist; there are: none",
		"ManagedClusterSet dev")
	w.Set("ManagedClusterSet", hostedtest.Object{"metadata": hostedtest.MetaOf("", "dev", nil)})
	expect(t, p.Preflight(), preflightClusterSet, step.StateOK, "exists", "ManagedClusterSet dev")
	w.Forbid("get /apis/cluster.open-cluster-management.io/*")
	expect(t, p.Preflight(), preflightClusterSet, step.StateUnknown, "not allowed", "ManagedClusterSets")
}

func TestPreflightOfPlaces(t *testing.T) {
	w := world(t)
	host := func(name, rack string, more ...string) hostedtest.Object {
		node := hostedtest.Object{"metadata": hostedtest.Object{"name": name, "labels": hostedtest.Object{
			"kubernetes.io/hostname": name, "rack": rack, "kubevirt.io/schedulable": "true"}}}
		if len(more) > 0 {
			node["spec"] = hostedtest.Object{"taints": []any{hostedtest.Object{"key": more[0], "effect": "NoSchedule"}}}
		}
		return node
	}
	closed := host("n7", "r4")
	closed["metadata"].(hostedtest.Object)["labels"].(hostedtest.Object)["kubevirt.io/schedulable"] = "false"
	w.Set("Node", host("n1", "r1"), host("n2", "r1"), host("n3", "r2"), host("n4", "r2"), host("n5", "r3"),
		host("n6", "r4", "dedicated"), closed)
	places := func(text string) []step.Step { return prepared(t, w, flags(t, text)).Preflight() }
	expect(t, places("--replicas 5 --spread rack"), preflightPlacement, step.StateOK,
		"3 racks, 5 workers, at most 2 each", "Nodes")
	expect(t, places("--replicas 5 --spread rack --vm-toleration operator=Exists"), preflightPlacement,
		step.StateOK, "4 racks, 5 workers, at most 2 each")
	expect(t, places("--replicas 7 --spread rack,max=2"), preflightPlacement, step.StateMissing,
		"3 racks, 7 workers of pool kv-00, at most 2 each: only 6 find a place", "a weaker --spread")
	expect(t, places("--min-replicas 2 --max-replicas 7 --spread rack,max=2"), preflightPlacement, step.StateMissing,
		"7 workers of pool kv-00")
	expect(t, places("--replicas 6 --spread rack,max=2"), preflightPlacement, step.StateOK,
		"3 racks, 6 workers, at most 2 each; no place for one more")
	expect(t, places("--replicas 2 --spread rack --vm-node-selector rack=r1"), preflightPlacement,
		step.StateMissing, "1 rack, 2 workers: there is nothing to spread over")
	expect(t, places("--replicas 2 --spread row"), preflightPlacement, step.StateMissing,
		"no node that may run the worker VMs has the label row")
	w.Set("VirtualMachineInstance", hostedtest.Object{
		"metadata": hostedtest.MetaOf("clusters-kv-01", "w-1", hostedtest.Object{"hypershift.openshift.io/nodepool-name": "kv-01"}),
		"status":   hostedtest.Object{"nodeName": "n1"}})
	expect(t, places("--replicas 5 --spread host,max=1 --avoid kv-01"), preflightPlacement, step.StateMissing,
		"5 hosts, 5 workers of pool kv-00, at most 1 each, 1 host left to clusters to avoid: only 4 find a place")
	expect(t, places("--replicas 4 --avoid kv-01,lab/kv-02"), preflightPlacement, step.StateOK,
		"1 host left to clusters to avoid; 2 clusters to avoid not there yet: clusters/kv-01, lab/kv-02")
	w.Forbid("get /api/v1/nodes*")
	expect(t, places("--spread rack"), preflightPlacement, step.StateUnknown, "not allowed")
}

func TestPreflightOfTheControlPlanesNodes(t *testing.T) {
	const key, cluster = "hypershift.openshift.io/control-plane", "hypershift.openshift.io/cluster"
	host := func(name, label, value, effect string) hostedtest.Object {
		node := hostedtest.Object{"metadata": hostedtest.Object{"name": name, "labels": hostedtest.Object{label: value,
			"kubevirt.io/schedulable": "true"}}}
		if effect != "" {
			node["spec"] = hostedtest.Object{"taints": []any{hostedtest.Object{"key": label, "value": value, "effect": effect}}}
		}
		return node
	}
	const flag = "--isolate-control-plane shared"
	const apart = "NoSchedule"
	for name, tc := range map[string]struct {
		flags string
		nodes []hostedtest.Object
		state step.State
		words string
	}{
		"none": {flag, []hostedtest.Object{host("a", "role", "x", "")}, step.StateMissing, "no node has the label " + key + "=true"},
		"three": {flag, []hostedtest.Object{host("a", key, "true", apart), host("b", key, "true", apart), host("c", key, "true", apart)},
			step.StateOK, "3 nodes for the control plane, closed to worker VMs: a, b, c"},
		"two": {flag, []hostedtest.Object{host("a", key, "true", apart), host("b", key, "true", apart)}, step.StateMissing,
			"2 nodes with the label " + key + "=true, of which 2 take the control plane"},
		"one is enough": {flag + " --control-plane-availability-policy SingleReplica", []hostedtest.Object{host("a", key, "true", apart)},
			step.StateOK, "1 node for"},
		"no taint": {flag + " --control-plane-availability-policy SingleReplica", []hostedtest.Object{host("a", key, "true", "")},
			step.StateMissing, "worker VMs of this cluster may run on a: without the taint " + key + "=true:NoSchedule"},
		"no taint, but VMs elsewhere": {flag + " --control-plane-availability-policy SingleReplica --vm-node-selector vms=yes",
			[]hostedtest.Object{host("a", key, "true", "")}, step.StateOK, "1 node for"},
		"VMs tolerate it": {flag + " --control-plane-availability-policy SingleReplica --vm-toleration operator=Exists",
			[]hostedtest.Object{host("a", key, "true", apart)}, step.StateMissing, "worker VMs of this cluster may run on a"},
		"another effect": {flag + " --control-plane-availability-policy SingleReplica",
			[]hostedtest.Object{host("a", key, "true", "NoExecute")}, step.StateMissing, "of which 0 take the control plane"},
		"another cluster's": {"--isolate-control-plane dedicated --control-plane-availability-policy SingleReplica",
			[]hostedtest.Object{host("a", cluster, "clusters-kv-01", apart)}, step.StateMissing,
			"no node has the label " + cluster + "=clusters-kv-00"},
		"its own": {"--isolate-control-plane dedicated --control-plane-availability-policy SingleReplica",
			[]hostedtest.Object{host("a", cluster, "clusters-kv-00", apart)}, step.StateOK, "1 node for"},
	} {
		t.Run(name, func(t *testing.T) {
			w := world(t)
			w.Set("Node", tc.nodes...)
			expect(t, prepared(t, w, flags(t, tc.flags)).Preflight(), preflightPlaneNodes, tc.state, tc.words, "Nodes")
		})
	}
}
