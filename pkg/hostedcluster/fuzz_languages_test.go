package hostedcluster

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// tellsOneLine fails for an error that is empty or that a terminal would show on several lines.
func tellsOneLine(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	for _, line := range eachOf(err) {
		if s := line.Error(); strings.TrimSpace(s) == "" || strings.ContainsAny(s, "\n\r\x1b") {
			t.Fatalf("want one line: %q", s)
		}
	}
}

// eachOf are the errors that were joined, each of which is printed by itself.
func eachOf(err error) []error {
	var many interface{ Unwrap() []error }
	if !errors.As(err, &many) {
		return []error{err}
	}
	var out []error
	for _, one := range many.Unwrap() {
		out = append(out, eachOf(one)...)
	}
	return out
}

// again fails unless what was parsed, printed and parsed again is the same.
func again[T any](t *testing.T, parse func(string) (T, error), first T, printed string) {
	t.Helper()
	second, err := parse(printed)
	if err != nil || !reflect.DeepEqual(first, second) {
		t.Fatalf("%+v printed as %q reads as %+v, %v", first, printed, second, err)
	}
}

func FuzzToleration(f *testing.F) {
	for _, s := range []string{"key=a,operator=Exists", "key=node.example.com/x,value=v,effect=NoExecute,tolerationSeconds=-3", "operator=exists", "Key = a , VALUE=", "tolerationseconds=9223372036854775808,effect=noexecute"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := parseToleration(s)
		tellsOneLine(t, err)
		if err != nil {
			return
		}
		if got.Key != "" && len(validation.IsQualifiedName(got.Key)) > 0 || got.Key == "" && got.Operator != corev1.TolerationOpExists {
			t.Fatalf("%q gives %+v, which no API server takes", s, got)
		}
		printed := fmt.Sprintf("key=%s,value=%s,operator=%s,effect=%s", got.Key, got.Value, got.Operator, got.Effect)
		if got.TolerationSeconds != nil {
			printed += fmt.Sprintf(",tolerationSeconds=%d", *got.TolerationSeconds)
		}
		again(t, parseToleration, got, printed)
	})
}

func FuzzTaint(f *testing.F) {
	for _, s := range []string{"dedicated=gpu:NoSchedule", "a:noexecute", "a=:PreferNoSchedule", "a=b:c:NoSchedule", ":NoSchedule"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := parseTaint(s)
		tellsOneLine(t, err)
		if err == nil {
			again(t, parseTaint, got, fmt.Sprintf("%s=%s:%s", got.Key, got.Value, got.Effect))
		}
	})
}

func FuzzHostDevice(f *testing.F) {
	for _, s := range []string{"nvidia.com/GA102GL_A10", "nvidia.com/A10,count:2", "a,count:2147483648", "a,count:1,count:2", " a , COUNT : 3 "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := parseHostDevice(s)
		tellsOneLine(t, err)
		if err != nil {
			return
		}
		if got.Count < 1 || int64(got.Count) > 1<<31-1 {
			t.Fatalf("%q gives %d devices", s, got.Count)
		}
		again(t, parseHostDevice, got, fmt.Sprintf("%s,count:%d", got.DeviceName, got.Count))
	})
}

func FuzzNetworkInterface(f *testing.F) {
	for _, s := range []string{"name:vlans/vlan-100", "NAME:a/b", "name:a/b/c", "name:a.b/c", "a/b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := parseNetwork(s)
		tellsOneLine(t, err)
		if err != nil {
			return
		}
		if namespace, name, ok := strings.Cut(got.Name, "/"); !ok || len(validation.IsDNS1123Label(namespace)) > 0 || len(validation.IsDNS1123Subdomain(name)) > 0 {
			t.Fatalf("%q gives %q, which no object can be", s, got.Name)
		}
		again(t, parseNetwork, got, "name:"+got.Name)
	})
}

func FuzzMapping(f *testing.F) {
	for _, s := range []string{"a/b", "a/b,group=g", "a/b,group=g=h", "a/b,GROUP= g ", "a/b,group=g,group=h", "/b", "a/b,"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		infra, guest, group, err := parseMapping(s)
		tellsOneLine(t, err)
		if err != nil {
			return
		}
		printed := infra + "/" + guest
		if group != "" {
			printed += ",group=" + group
		}
		infra2, guest2, group2, err := parseMapping(printed)
		if err != nil || infra2 != infra || guest2 != guest || group2 != group {
			t.Fatalf("%q printed as %q reads as %q %q %q, %v", s, printed, infra2, guest2, group2, err)
		}
	})
}

func FuzzPublish(f *testing.F) {
	for _, s := range []string{"APIServer=LoadBalancer,hostname=api.kv-00.example.com", "ignition=nodeport,address=192.0.2.1,port=30001", "OAuthServer=Route", "Konnectivity=Route,hostname=a.b.cd", "APIServer=Route", "apiserver=nodeport,address=::1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := parsePublish(s)
		tellsOneLine(t, err)
		if err != nil {
			return
		}
		if !slices.Contains(strategies()[got.Service], got.Type) {
			t.Fatalf("%q publishes %s by %s", s, got.Service, got.Type)
		}
		printed := fmt.Sprintf("%s=%s", got.Service, got.Type)
		if h := hostnameOf(got); h != "" {
			printed += ",hostname=" + h
		}
		if n := got.NodePort; n != nil && n.Address != "" {
			printed += ",address=" + n.Address
		}
		if n := got.NodePort; n != nil && n.Port != 0 {
			printed += fmt.Sprintf(",port=%d", n.Port)
		}
		again(t, func(s string) (hyperv1.ServicePublishingStrategyMapping, error) {
			m, err := parsePublish(s)
			if m.NodePort != nil && got.NodePort != nil && m.NodePort.Address == "" {
				m.NodePort.Address = got.NodePort.Address
			}
			return m, err
		}, got, printed)
	})
}

func FuzzGoal(f *testing.F) {
	for _, s := range []string{"api", "version=4.20.3", "condition=Available", "condition=a.b/c=false", "replicas=3", "ready", "replicas=-1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, parse := range []func(...string) ([]Goal, error){ParseClusterGoals, ParsePoolGoals} {
			got, err := parse(s)
			tellsOneLine(t, err)
			if err == nil {
				again(t, func(s string) ([]Goal, error) { return parse(s) }, got, got[0].String())
			}
		}
	})
}

func FuzzSize(f *testing.F) {
	for _, s := range []string{"3", "2-5", "0", "1-0", "-1", "+2", "2147483648", "1-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := ParseSize(s)
		if !ok {
			return
		}
		if got.Least < 0 || got.Most < got.Least || !got.Auto && got.Most != got.Least {
			t.Fatalf("%q gives %+v", s, got)
		}
		if second, ok := ParseSize(got.Code()); !ok || second != got {
			t.Fatalf("%+v written as %q reads as %+v, %v", got, got.Code(), second, ok)
		}
	})
}

func FuzzVersion(f *testing.F) {
	f.Add("quay.io/ocp/release:4.20.3-x86_64", "4.21.0-rc.1", "img4.20.3-x86-64-appsub")
	f.Add("4.20.0-0.nightly-2025-01-01-000000", "4.20.0-ec.10", "4.20.0-ec.9")
	f.Add("99999999999999999999.1.1", "x@sha256:1.2.3", "4.20.3-multi")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		var all []Version
		for _, s := range []string{a, b, c} {
			v, ok := ParseVersion(s)
			if !ok {
				continue
			}
			if second, ok := ParseVersion(v.String()); !ok || second != v {
				t.Fatalf("%q printed as %s reads as %+v", s, v, second)
			}
			if exactVersion(s) != (v.String() == s) || !exactVersion(v.String()) {
				t.Fatalf("%q is exact: %v", s, exactVersion(s))
			}
			if tagged, ok := ImageVersion("registry.example:5000/1.2.3/ocp:" + v.String()); !ok || tagged != v {
				t.Fatalf("the tag %s reads as %+v", v, tagged)
			}
			all = append(all, v)
		}
		for _, x := range all {
			for _, y := range all {
				if x.Before(y) && y.Before(x) || (x != y) != (x.Before(y) || y.Before(x)) || x.Compare(y) != -y.Compare(x) {
					t.Fatalf("%s and %s have no order", x, y)
				}
				for _, z := range all {
					if x.Before(y) && y.Before(z) && !x.Before(z) || x.Compare(y) < 0 && y.Compare(z) < 0 && x.Compare(z) >= 0 {
						t.Fatalf("%s, %s, %s are in no order", x, y, z)
					}
				}
			}
		}
	})
}

// FuzzNetworks: what is accepted can be written into the objects, and no two of it share addresses.
func FuzzNetworks(f *testing.F) {
	f.Add("10.132.0.0/14", "172.31.0.0/16", "192.0.2.0/24")
	f.Add("fd01::/48", "fd02::/112", "")
	f.Add("::ffff:10.0.0.0/104", "10.0.0.0/8", "10.1.0.0/16")
	f.Add("0.0.0.0/0", "::/0", "::1/128")
	f.Fuzz(func(t *testing.T, pods, services, nodes string) {
		o := Defaults()
		o.ClusterCIDR, o.ServiceCIDR, o.MachineCIDR = List{pods}, List{services}, nil
		if nodes != "" {
			o.MachineCIDR = List{nodes}
		}
		err := o.validateNetworks()
		tellsOneLine(t, err)
		if err != nil {
			return
		}
		networkingOf(o) // panics for what its types do not take
		all := slices.Concat(o.ClusterCIDR, o.ServiceCIDR, o.MachineCIDR)
		for i, a := range all {
			p, err := netip.ParsePrefix(a)
			if err != nil || p.Addr().Is4In6() {
				t.Fatalf("%q was taken", a)
			}
			if _, n, err := net.ParseCIDR(a); err != nil || n.String() != p.String() {
				t.Fatalf("%q is %v here and %v for Kubernetes", a, p, n)
			}
			for _, b := range all[:i] {
				if netip.MustParsePrefix(b).Overlaps(p) {
					t.Fatalf("%s and %s share addresses", a, b)
				}
			}
		}
	})
}

func FuzzAddresses(f *testing.F) {
	for _, s := range []string{"192.0.2.16-192.0.2.19", "192.0.2.16/30", "fd00::1-fd00::9", "::ffff:192.0.2.1-::ffff:192.0.2.9", "fe80::1%a-fe80::2%a", "192.0.2.9-192.0.2.1", "::ffff:0:0/96"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		err := checkAddresses(s)
		tellsOneLine(t, err)
		if err != nil {
			return
		}
		if first, last, ok := strings.Cut(s, "-"); ok {
			a, b := net.ParseIP(first), net.ParseIP(last)
			if a == nil || b == nil || (a.To4() == nil) != (b.To4() == nil) || strings.Contains(first, ".") != (a.To4() != nil && !strings.Contains(first, ":")) {
				t.Fatalf("%q was taken; MetalLB reads %v and %v", s, a, b)
			}
			return
		}
		if _, n, err := net.ParseCIDR(s); err != nil || strings.Contains(s, ":") && n.IP.To4() != nil {
			t.Fatalf("%q was taken; MetalLB reads %v, %v", s, n, err)
		}
	})
}
