package options_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
)

// TestLimits has the last value that each rule takes, and the first one that it refuses where no other test has it.
func TestLimits(t *testing.T) {
	const (
		badPort = " is not a node port; they are 30000 to 32767, and without port=P one is chosen"
		count   = " is not a whole number from 1 to 2147483647"
		proxy   = "not the URL of a proxy; write it like http://proxy.example.com:3128"
	)
	for flags, want := range map[string]string{
		// Workers.
		"--cores 1":                                 "",
		"--memory 2Gi":                              "",
		"--memory 2147483647":                       `--memory "2147483647": that is 2147483647 bytes, too little for a worker; did you mean 2147483647Gi?`,
		"--memory 2147483648":                       "",
		"--root-volume-size 16":                     "",
		"--min-replicas 0":                          "",
		"--min-replicas 1 --max-replicas 1":         "",
		"--min-replicas 3 --max-replicas 3":         "",
		"--max-replicas -1":                         `--max-replicas "-1": the number of workers cannot be negative`,
		"--node-drain-timeout 0s":                   "",
		"--host-device-name a/b,count:1":            "",
		"--host-device-name a/b,count:2147483647":   "",
		"--host-device-name a/b,count:2147483648":   `--host-device-name "a/b,count:2147483648": count "2147483648"` + count,
		"--qos-class Guaranteed --cpu-pinning true": "",
		// Control plane.
		"--etcd-storage-size 1Gi":                           "",
		"--etcd-storage-size 1073741823":                    `--etcd-storage-size "1073741823": that is 1073741823 bytes, too little for etcd; did you mean 1073741823Gi?`,
		"--etcd-storage-size 1073741824":                    "",
		"--pausedUntil 2030-01-02T03:04:05.123456789+01:00": "",
		"--pausedUntil 2030-01-02T03:04:05.1234567890+01:00": `--pausedUntil "2030-01-02T03:04:05.1234567890+01:00": ` +
			`must be true, false or a time like 2030-01-02T03:04:05Z`,
		"--annotations example.com/Owner=a": "",
		"--annotations a/b/c=d":             `--annotations "a/b/c": not the name of an annotation`,
		// Networks.
		"--ovn-kubernetes-mtu 576":                        "",
		"--ovn-kubernetes-mtu 9216":                       "",
		"--ovn-internal-join-subnet 100.70.0.0/30":        "",
		"--ovn-internal-join-subnet 0.0.0.0/30":           `--ovn-internal-join-subnet "0.0.0.0/30": must be an IPv4 network of /30 or larger whose first number is not 0`,
		"--ovn-internal-transit-switch-subnet 1.0.0.0/30": "",
		"--http-proxy http://proxy.example.com:3128":      "",
		"--https-proxy https://proxy.example.com:3128":    "",
		"--http-proxy https://proxy.example.com:3128":     "--http-proxy: " + proxy,
		"--http-proxy http:":                              "--http-proxy: " + proxy,
		"--http-proxy http://a:b":                         "--http-proxy: " + proxy,
		"--http-proxy http://a --no-proxy 10.0.0.0/8":     "",
		"--http-proxy http://a --no-proxy 10.0.0.0/33":    `--no-proxy "10.0.0.0/33": neither a domain nor an address nor a network`,
		"--http-proxy http://a --no-proxy b,,c":           `--no-proxy: neither a domain nor an address nor a network`,
		"--ovn-internal-transit-switch-subnet 100.66.0.0/17": `--ovn-internal-transit-switch-subnet "100.66.0.0/17": ` +
			`shares addresses with OVN-Kubernetes' join subnet (100.66.0.0/16)`,
		"--metallb-pool a":                        "",
		"--metallb-addresses 192.0.2.9-192.0.2.9": "",
		// Publishing.
		"--publish Ignition=NodePort,port=0": `--publish "Ignition=NodePort,port=0": port "0"` +
			badPort,
		"--publish Ignition=NodePort,port=30000": "",
		"--publish Ignition=NodePort,port=32767": "",
		"--publish Ignition=NodePort,port=29999": `--publish "Ignition=NodePort,port=29999": port "29999"` + badPort,
		"--publish Ignition=NodePort,port=32768": `--publish "Ignition=NodePort,port=32768": port "32768"` + badPort,
		"--publish Ignition=NodePort,port=a": `--publish "Ignition=NodePort,port=a": port "a"` +
			badPort,
		"--publish Ignition=NodePort,port=":                          `--publish "Ignition=NodePort,port=": give one port`,
		"--publish Ignition=NodePort,port=1,port=2":                  `--publish "Ignition=NodePort,port=1,port=2": give one port`,
		"--publish Ignition=NodePort --api-server-address 192.0.2.7": "",
		"--publish Ignition=Route --api-server-address 192.0.2.7": `--api-server-address "192.0.2.7": only with ` +
			`--service-publishing-strategy NodePort`,
		"--publish Ignition=NodePort --api-server-address localhost": "",
		"--publish Ignition=NodePort --api-server-address 192.0.2": `--api-server-address "192.0.2": neither an IP address ` +
			`nor a full host name`,
		// Storage.
		"--storage-driver None":                             "",
		"--infra-storage-class-mapping a/b,group=c":         "",
		"--infra-storage-class-mapping a/b,group=":          `--infra-storage-class-mapping "a/b,group=": give one group=NAME`,
		"--infra-storage-class-mapping a/b,group=c,group=d": `--infra-storage-class-mapping "a/b,group=c,group=d": give one group=NAME`,
	} {
		t.Run(flags, func(t *testing.T) { refused(t, optionstest.With(t, flags), want) })
	}
}

// TestNeverWorks has values that the CRD takes, and that HyperShift, the hosted cluster's operators or Kubernetes
// refuse once the cluster exists; and the values beside them that work.
func TestNeverWorks(t *testing.T) {
	const (
		nodePort = "--service-publishing-strategy NodePort --api-server-address "
		families = `pods and Services must have the same IP families: give --cluster-cidr and --service-cidr one network of ` +
			`each family`
		noAddress = "neither an IP address nor a full host name"
		both      = "--cluster-cidr fd01::/48,10.132.0.0/14 --service-cidr fd02::/112,172.31.0.0/16"
	)
	for flags, want := range map[string]string{
		"--network-type OpenShiftSDN": `--network-type "OpenShiftSDN": HyperShift takes it for OpenShift 4.10 and older ` +
			`only, and hosted clusters on KubeVirt are newer; use OVNKubernetes`,
		"--root-volume-access-modes ReadOnly": `--root-volume-access-modes "ReadOnly": no volume has that access mode, and ` +
			`workers write to theirs; use ReadWriteMany or ReadWriteOnce`,
		"--root-volume-access-modes ReadWriteOncePod": "",
		"--root-volume-access-modes ReadWriteOncePod,ReadWriteMany": `--root-volume-access-modes "ReadWriteOncePod": not ` +
			`together with another access mode`,
		// Networks: the cluster network operator of the hosted cluster.
		both:                                     "",
		"--cluster-cidr 10.132.0.0/14,fd01::/48": `--service-cidr "172.31.0.0/16": ` + families,
		"--cluster-cidr fd01::/48 --service-cidr fd02::/112,172.31.0.0/16":               `--service-cidr "fd02::/112,172.31.0.0/16": ` + families,
		"--cluster-cidr fd01::/48 --service-cidr fd02::/112":                             "",
		"--cluster-cidr fd01::/48 --service-cidr fd02::/112 --machine-cidr 192.0.2.0/24": `--cluster-cidr "fd01::/48": the first of --cluster-cidr, --service-cidr and --machine-cidr must be of one IP family: all IPv4 or all IPv6`,
		"--cluster-cidr 10.140.0.0/24":                                                   `--cluster-cidr "10.140.0.0/24": too small: each node gets a /23 of it`,
		"--cluster-cidr 10.140.0.0/22":                                                   "",
		"--cluster-cidr 10.140.0.0/22 --replicas 3": `--cluster-cidr "10.140.0.0/22": too small for 3 workers: ` +
			`each gets a /23 of it, so that there is room for 2`,
		"--cluster-cidr fd01::/65 --service-cidr fd02::/112": `--cluster-cidr "fd01::/65": too small: each node gets a /64 ` +
			`of it`,
		"--service-cidr 172.31.0.0/29": `--service-cidr "172.31.0.0/29": too small: the hosted cluster's DNS has its tenth ` +
			`address; at least a /28 is needed`,
		"--service-cidr 172.31.0.0/28":      "",
		both + " --ovn-kubernetes-mtu 1279": `--ovn-kubernetes-mtu "1279": must be at least 1280 where pods have IPv6 addresses`,
		both + " --ovn-kubernetes-mtu 1280": "",
		// The address at which nodes reach the API server is of the first family.
		"--cluster-cidr fd01::/48,10.132.0.0/14 --service-cidr fd02::/112,172.20.0.0/16": "",
		"--cluster-cidr fd01::/48 --service-cidr fd00::/112": `--service-cidr "fd00::/112": shares addresses with the address ` +
			`at which nodes reach the API server (fd00::1/128)`,
		// Publishing: the HyperShift operator, and Kubernetes.
		nodePort + "192.0.2.7":        "",
		nodePort + "172.31.0.7":       `--service-cidr "172.31.0.0/16": has 172.31.0.7, the address of the node port of APIServer`,
		nodePort + "0.0.0.0":          `--api-server-address "0.0.0.0": ` + noAddress,
		nodePort + "fe80::1%eth0":     `--api-server-address "fe80::1%eth0": ` + noAddress,
		nodePort + "::ffff:192.0.2.7": `--api-server-address "::ffff:192.0.2.7": ` + noAddress,
		nodePort + "-a.example.com":   `--api-server-address "-a.example.com": ` + noAddress,
		"--publish OAuthServer=Route,hostname=O.example.com": `--publish "OAuthServer=Route,hostname=O.example.com": hostname ` +
			`"O.example.com": the host of a Route is in lower case`,
		"--publish OAuthServer=Route,hostname=-o.example.com": `--publish "OAuthServer=Route,hostname=-o.example.com": ` +
			`"-o.example.com" is not a full host name; write it like api.kv-00.example.com`,
		"--api-hostname " + letters(64) + ".example.com": `--api-hostname "` + letters(64) + `.example.com": not a full host ` +
			`name; write it like api.kv-00.example.com`,
		"--allowed-cidr-blocks 64:ff9b::192.0.2.0/120": "",
		// The webhook, and the bounds of the CRD.
		"--annotations hypershift.openshift.io/kubevirt-vm-jsonpatch={": `--annotations ` +
			`"hypershift.openshift.io/kubevirt-vm-jsonpatch": the value is not JSON`,
		"--taints " + strings.Repeat("a.", 100) + "a/" + letters(53) + ":NoSchedule": `--taints "` + strings.Repeat("a.", 100) +
			"a/" + letters(53) + `:NoSchedule": "` + strings.Repeat("a.", 100) + "a/" + letters(53) + `" is not the name of a taint`,
		"--channel stable-4." + strings.Repeat("1", 95): `--channel "stable-4.` + strings.Repeat("1", 95) + `": not an update ` +
			`channel; write it like stable-4.20, fast-4.20, candidate-4.20 or eus-4.20`,
	} {
		t.Run(flags, func(t *testing.T) { refused(t, optionstest.With(t, flags), want) })
	}
}

// TestLongest has texts of just the length that the API server takes, and of one character more.
func TestLongest(t *testing.T) {
	const dns = "must consist of lower case letters, digits and dashes, begin and end with a letter or digit, and have at " +
		"most 63 characters"
	for name, tc := range map[string]struct {
		longest int
		text    func(length int) string
		set     func(o *options.Cluster, s string)
		flag    string
		want    string
	}{
		"infra ID": {63, letters, func(o *options.Cluster, s string) { o.InfraID = s }, "infra-id", dns},
		"release image": {253, letters, func(o *options.Cluster, s string) { o.ReleaseImage = s }, "release-image",
			"has 254 characters, at most 253 are allowed"},
		"container disk": {2048, letters, func(o *options.Cluster, s string) { o.Pool().ContainerDisk = s },
			"containerdisk", "not an image reference"},
		"group of a class": {255, letters, func(o *options.Cluster, s string) {
			o.InfraStorageClassMapping = []string{"a/b,group=" + s}
		}, "infra-storage-class-mapping", "the group has 256 characters, at most 255 are allowed"},
		"API server's name": {253, hostname, func(o *options.Cluster, s string) { o.APIHostname = s }, "api-hostname",
			"not a full host name; write it like api.kv-00.example.com"},
		"API server's address": {253, hostname, func(o *options.Cluster, s string) {
			o.ServicePublishingStrategy, o.APIServerAddress = "NodePort", s
		}, "api-server-address", "neither an IP address nor a full host name"},
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, optionstest.Named(func(o *options.Cluster) { tc.set(o, tc.text(tc.longest)) }), "")
			err := optionstest.Refusal(optionstest.Named(func(o *options.Cluster) { tc.set(o, tc.text(tc.longest+1)) }))
			if err == nil || !strings.HasPrefix(err.Error(), "--"+tc.flag+` "`) ||
				!strings.HasSuffix(err.Error(), `": `+tc.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestLongestName(t *testing.T) {
	name := letters(63)
	refused(t, optionstest.Named(func(o *options.Cluster) { o.Name = name }), `--name "`+name+`": too long together with `+
		`its namespace: the control plane's namespace would be "clusters-`+name+`", 72 characters; namespaces have at `+
		`most 63, so the name may have 54 here`)
	refused(t, optionstest.Named(func(o *options.Cluster) { o.Name = name + "a" }), `--name "`+name+`a": must consist of `+
		`lower case letters, digits and dashes, begin and end with a letter or digit, and have at most 63 characters`)
}

func TestNotTooMany(t *testing.T) {
	refused(t, optionstest.Named(func(o *options.Cluster) {
		o.NodeSelector, o.PodsLabels = optionstest.Many(20), optionstest.Many(20)
		o.InfraStorageClassMapping, o.InfraVolumeSnapshotClassMapping = numbered(50), numbered(50)
	}), "")
}

// TestOverlapsWithReservedNetworks shows that each network is told that shares addresses with one and the same reserved
// network.
func TestOverlapsWithReservedNetworks(t *testing.T) {
	const join = "shares addresses with OVN-Kubernetes' join subnet (100.66.0.0/16)"
	refused(t, optionstest.With(t, "--cluster-cidr 100.66.0.0/17 --machine-cidr 100.66.128.0/17"),
		`--cluster-cidr "100.66.0.0/17": `+join+"\n"+`--machine-cidr "100.66.128.0/17": `+join)

	const address = "shares addresses with the address at which nodes reach the API server (172.20.0.1/32)"
	refused(t, optionstest.With(t, "--cluster-cidr 172.20.0.0/14 --service-cidr 172.20.0.0/16"),
		`--service-cidr "172.20.0.0/16": shares addresses with the network of the pods (172.20.0.0/14)`+"\n"+
			`--cluster-cidr "172.20.0.0/14": `+address+"\n"+`--service-cidr "172.20.0.0/16": `+address)
}

func TestPoolNames(t *testing.T) {
	named := func(names ...string) options.Cluster {
		return optionstest.Named(func(o *options.Cluster) {
			o.NodePools = nil
			for _, name := range names {
				pool := options.DefaultNodePool()
				pool.Name = name
				o.NodePools = append(o.NodePools, pool)
			}
		})
	}
	var got []string
	for _, pool := range optionstest.Valid(t, named("", "b", letters(63))).NodePools {
		got = append(got, pool.Name)
	}
	if diff := cmp.Diff([]string{"kv-00", "b", letters(63)}, got); diff != "" {
		t.Error(diff)
	}
	for _, tc := range []struct {
		names []string
		want  string
	}{
		{[]string{"", "kv-00"}, `nodePools[1].name "kv-00": another NodePool of this cluster has that name`},
		{[]string{"b", "b"}, `nodePools[1].name "b": another NodePool of this cluster has that name`},
		{[]string{letters(64)}, `nodePools[0].name "` + letters(64) + `": must consist of lower case letters, digits and ` +
			`dashes, begin and end with a letter or digit, and have at most 63 characters`},
	} {
		_, err := named(tc.names...).Validate()
		if err == nil || err.Error() != tc.want {
			t.Errorf("%v: got %v, want %s", tc.names, err, tc.want)
		}
	}
}

// refused compares why the options are not valid with want, which is empty if they are.
func refused(t *testing.T, o options.Cluster, want string) {
	t.Helper()
	got := ""
	if err := optionstest.Refusal(o); err != nil {
		got = err.Error()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func letters(n int) string { return strings.Repeat("a", n) }

// hostname is a host name of n characters.
func hostname(n int) string { return strings.Repeat("a.", (n-4)/2) + letters((n-4)%2) + "b.cd" }

// The longest name of a resource has 253 characters, a slash and 63 more. The NodePool's CRD takes 255 in all.
func TestLongestHostDevice(t *testing.T) {
	longest := strings.Repeat("a", 253) + "/b"
	if _, err := options.ParseHostDevice(longest + ",count:2"); err != nil {
		t.Error(err)
	}
	if _, err := options.ParseHostDevice(longest + "b"); err == nil {
		t.Error("a name of 256 characters is taken")
	}
}
