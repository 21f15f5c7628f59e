package options

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/fuzztest"
)

func FuzzToleration(f *testing.F) {
	for _, s := range []string{"key=a,operator=Exists",
		"key=node.example.com/x,value=v,effect=NoExecute,tolerationSeconds=-3", "operator=exists", "Key = a , VALUE=", "tolerationseconds=9223372036854775808,effect=noexecute"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := ParseToleration(s)
		fuzztest.TellsOneLine(t, err)
		if err != nil {
			return
		}
		if got.Key != "" && len(validation.IsQualifiedName(got.Key)) > 0 ||
			got.Key == "" && got.Operator != corev1.TolerationOpExists {
			t.Fatalf("%q gives %+v, which no API server takes", s, got)
		}
		printed := fmt.Sprintf("key=%s,value=%s,operator=%s,effect=%s", got.Key, got.Value, got.Operator, got.Effect)
		if got.TolerationSeconds != nil {
			printed += fmt.Sprintf(",tolerationSeconds=%d", *got.TolerationSeconds)
		}
		fuzztest.Again(t, ParseToleration, got, printed)
	})
}

func FuzzTaint(f *testing.F) {
	for _, s := range []string{"dedicated=gpu:NoSchedule", "a:noexecute", "a=:PreferNoSchedule", "a=b:c:NoSchedule",
		":NoSchedule"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := ParseTaint(s)
		fuzztest.TellsOneLine(t, err)
		if err == nil {
			fuzztest.Again(t, ParseTaint, got, fmt.Sprintf("%s=%s:%s", got.Key, got.Value, got.Effect))
		}
	})
}

func FuzzHostDevice(f *testing.F) {
	for _, s := range []string{"nvidia.com/GA102GL_A10", "nvidia.com/A10,count:2", "a,count:2147483648",
		"a,count:1,count:2", " a , COUNT : 3 "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := ParseHostDevice(s)
		fuzztest.TellsOneLine(t, err)
		if err != nil {
			return
		}
		if got.Count < 1 || int64(got.Count) > 1<<31-1 {
			t.Fatalf("%q gives %d devices", s, got.Count)
		}
		fuzztest.Again(t, ParseHostDevice, got, fmt.Sprintf("%s,count:%d", got.DeviceName, got.Count))
	})
}

func FuzzNetworkInterface(f *testing.F) {
	for _, s := range []string{"name:default/vlan-100", "NAME:a/b", "name:a/b/c", "name:a.b/c", "a/b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := ParseNetwork(s)
		fuzztest.TellsOneLine(t, err)
		if err != nil {
			return
		}
		if len(validation.IsDNS1123Label(got.Namespace)) > 0 || len(validation.IsDNS1123Subdomain(got.Name)) > 0 {
			t.Fatalf("%q gives %q, which no object can be", s, got)
		}
		fuzztest.Again(t, ParseNetwork, got, "name:"+got.String())
	})
}

func FuzzMapping(f *testing.F) {
	for _, s := range []string{"a/b", "a/b,group=g", "a/b,group=g=h", "a/b,GROUP= g ", "a/b,group=g,group=h", "/b",
		"a/b,"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := ParseMapping(s)
		fuzztest.TellsOneLine(t, err)
		if err != nil {
			return
		}
		printed := got.Infra + "/" + got.Guest
		if got.Group != "" {
			printed += ",group=" + got.Group
		}
		fuzztest.Again(t, ParseMapping, got, printed)
	})
}

func FuzzPublish(f *testing.F) {
	for _, s := range []string{"APIServer=LoadBalancer,hostname=api.kv-00.example.com",
		"ignition=nodeport,address=192.0.2.1,port=30001", "OAuthServer=Route", "Konnectivity=Route,hostname=a.b.cd", "APIServer=Route", "apiserver=nodeport,address=::1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := parsePublish(s)
		fuzztest.TellsOneLine(t, err)
		if err != nil {
			return
		}
		if !slices.Contains(strategies()[got.Service], got.Type) {
			t.Fatalf("%q publishes %s by %s", s, got.Service, got.Type)
		}
		printed := fmt.Sprintf("%s=%s", got.Service, got.Type)
		if h := HostnameOf(got); h != "" {
			printed += ",hostname=" + h
		}
		if n := got.NodePort; n != nil && n.Address != "" {
			printed += ",address=" + n.Address
		}
		if n := got.NodePort; n != nil && n.Port != 0 {
			printed += fmt.Sprintf(",port=%d", n.Port)
		}
		fuzztest.Again(t, func(s string) (hyperv1.ServicePublishingStrategyMapping, error) {
			m, err := parsePublish(s)
			if m.NodePort != nil && got.NodePort != nil && m.NodePort.Address == "" {
				m.NodePort.Address = got.NodePort.Address
			}
			return m, err
		}, got, printed)
	})
}

func FuzzAddresses(f *testing.F) {
	for _, s := range []string{"192.0.2.16-192.0.2.19", "192.0.2.16/30", "fd00::1-fd00::9",
		"::ffff:192.0.2.1-::ffff:192.0.2.9", "fe80::1%a-fe80::2%a", "192.0.2.9-192.0.2.1", "::ffff:0:0/96"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		err := checkAddresses(s)
		fuzztest.TellsOneLine(t, err)
		if err != nil {
			return
		}
		if first, last, ok := strings.Cut(s, "-"); ok {
			a, b := net.ParseIP(first), net.ParseIP(last)
			if a == nil || b == nil || (a.To4() == nil) != (b.To4() == nil) ||
				strings.Contains(first, ".") != (a.To4() != nil && !strings.Contains(first, ":")) {
				t.Fatalf("%q was taken; MetalLB reads %v and %v", s, a, b)
			}
			return
		}
		if _, n, err := net.ParseCIDR(s); err != nil || strings.Contains(s, ":") && n.IP.To4() != nil {
			t.Fatalf("%q was taken; MetalLB reads %v, %v", s, n, err)
		}
	})
}
