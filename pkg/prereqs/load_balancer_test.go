package prereqs

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

func pool(name string, spec map[string]any) addressPool {
	u := object(kube.IPAddressPool, "metallb-system", name, spec)
	u.SetLabels(map[string]string{"zone": "a"})
	return readPool(u)
}

func addresses(texts ...any) map[string]any { return map[string]any{"addresses": texts} }

func TestJudgePools(t *testing.T) {
	theirs := pool("theirs", addresses("192.0.2.0/28"))
	closed := pool("closed", map[string]any{"addresses": []any{"192.0.2.0/28"}, "autoAssign": false})
	tenant := pool("tenant", map[string]any{"addresses": []any{"192.0.2.0/28"}, "serviceAllocation": map[string]any{"namespaces": []any{"x"}}})
	for name, tc := range map[string]struct {
		ranges []string
		pools  []addressPool
		want   step.State
		says   string
	}{
		"none, none given":          {nil, nil, step.Missing, "no addresses"},
		"theirs, none given":        {nil, []addressPool{theirs}, step.OK, "192.0.2.0/28"},
		"closed, none given":        {nil, []addressPool{closed}, step.Missing, "no addresses"},
		"a tenant's, none given":    {nil, []addressPool{tenant}, step.Missing, "no addresses"},
		"given, none there":         {[]string{"192.0.2.0/28"}, nil, step.Missing, "no pool has 192.0.2.0/28"},
		"given, theirs covers":      {[]string{"192.0.2.4-192.0.2.7"}, []addressPool{theirs}, step.OK, "192.0.2.0/28"},
		"given, theirs in part":     {[]string{"192.0.2.8-192.0.2.20"}, []addressPool{theirs}, step.Broken, "shares addresses"},
		"given, theirs elsewhere":   {[]string{"198.51.100.0/28"}, []addressPool{theirs}, step.Missing, "no pool has 198.51.100.0/28"},
		"given, our own is smaller": {[]string{"192.0.2.0/24"}, []addressPool{pool(poolName, addresses("192.0.2.0/28"))}, step.Missing, "no pool has 192.0.2.0/24"},
	} {
		t.Run(name, func(t *testing.T) {
			if f := judgePools(parseRanges(tc.ranges), tc.pools); f.State != tc.want || !strings.Contains(f.Message, tc.says) {
				t.Errorf("got %+v, want %s with %q", f, tc.want, tc.says)
			}
		})
	}
}

func TestKeptAddresses(t *testing.T) {
	p := pool(poolName, addresses("192.0.2.0/28", "198.51.100.0/28"))
	got := keptAddresses(p, parseRanges([]string{"192.0.2.0/24"}))
	if len(got) != 1 || got[0] != "198.51.100.0/28" {
		t.Errorf("got %v, want what the new range does not hold", got)
	}
}

func TestJudgeAdvertised(t *testing.T) {
	own, theirs := pool(poolName, addresses("192.0.2.0/28")), pool("theirs", addresses("198.51.100.0/28"))
	l2 := func(spec map[string]any) unstructured.Unstructured {
		return *object(kube.L2Advertisement, "metallb-system", "a", spec)
	}
	elsewhere := l2(map[string]any{})
	elsewhere.SetNamespace("other")
	selector := func(value string) map[string]any {
		return map[string]any{"ipAddressPoolSelectors": []any{map[string]any{"matchLabels": map[string]any{"zone": value}}}}
	}
	for name, tc := range map[string]struct {
		pools []addressPool
		all   []unstructured.Unstructured
		want  step.State
	}{
		"no pool":                   {nil, nil, step.Missing},
		"none for ours":             {[]addressPool{own}, nil, step.Missing},
		"none for theirs":           {[]addressPool{theirs}, nil, step.Broken},
		"empty selects all":         {[]addressPool{own, theirs}, []unstructured.Unstructured{l2(map[string]any{})}, step.OK},
		"empty, another namespace":  {[]addressPool{own}, []unstructured.Unstructured{elsewhere}, step.Missing},
		"by name":                   {[]addressPool{own}, []unstructured.Unstructured{l2(map[string]any{"ipAddressPools": []any{"hcctl"}})}, step.OK},
		"by another name":           {[]addressPool{own}, []unstructured.Unstructured{l2(map[string]any{"ipAddressPools": []any{"theirs"}})}, step.Missing},
		"by label":                  {[]addressPool{own}, []unstructured.Unstructured{l2(selector("a"))}, step.OK},
		"by a label it has not":     {[]addressPool{own}, []unstructured.Unstructured{l2(selector("b"))}, step.Missing},
		"bgp, by name, for theirs":  {[]addressPool{theirs}, []unstructured.Unstructured{*object(kube.BGPAdvertisement, "metallb-system", "b", map[string]any{"ipAddressPools": []any{"theirs"}})}, step.OK},
		"only one of two is chosen": {[]addressPool{own, theirs}, []unstructured.Unstructured{l2(map[string]any{"ipAddressPools": []any{"hcctl"}})}, step.Broken},
	} {
		t.Run(name, func(t *testing.T) {
			if f := judgeAdvertised(tc.pools, tc.all); f.State != tc.want {
				t.Errorf("got %+v, want %s", f, tc.want)
			}
		})
	}
}

func TestOnLoopback(t *testing.T) {
	for server, want := range map[string]bool{
		"https://127.0.0.1:6443": true, "https://localhost:6443": true, "https://[::1]:6443": true,
		"https://api.example.com:6443": false, "https://192.0.2.1:6443": false,
	} {
		if got := onLoopback(server); got != want {
			t.Errorf("%s: got %t", server, got)
		}
	}
}
