package loadbalancer

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/addresses"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

func pool(name string, spec map[string]any) addresses.Pool {
	u := prereq.NewObject(kube.IPAddressPool, "metallb-system", name, spec)
	u.SetLabels(map[string]string{"zone": "a"})
	return addresses.ReadPool(u)
}

func poolSpec(texts ...any) map[string]any { return map[string]any{"addresses": texts} }

func TestJudgePools(t *testing.T) {
	theirs := pool("theirs", poolSpec("192.0.2.0/28"))
	closed := pool("closed", map[string]any{"addresses": []any{"192.0.2.0/28"}, "autoAssign": false})
	tenant := pool("tenant", map[string]any{"addresses": []any{"192.0.2.0/28"},
		"serviceAllocation": map[string]any{"namespaces": []any{"x"}}})
	for name, tc := range map[string]struct {
		ranges []string
		pools  []addresses.Pool
		want   step.State
		says   string
	}{
		"none, none given":   {nil, nil, step.StateMissing, "no addresses"},
		"theirs, none given": {nil, []addresses.Pool{theirs}, step.StateOK, "192.0.2.0/28"},
		"closed, none given": {nil, []addresses.Pool{closed}, step.StateMissing, "closed (spec.autoAssign is false)"},
		"a tenant's, none given": {nil, []addresses.Pool{tenant}, step.StateMissing,
			"tenant (it is reserved for namespaces x)"},
		"given, none there":    {[]string{"192.0.2.0/28"}, nil, step.StateMissing, "no pool has 192.0.2.0/28"},
		"given, theirs covers": {[]string{"192.0.2.4-192.0.2.7"}, []addresses.Pool{theirs}, step.StateOK, "192.0.2.0/28"},
		"given, theirs in part": {[]string{"192.0.2.8-192.0.2.20"}, []addresses.Pool{theirs}, step.StateBroken,
			"shares addresses"},
		"given, theirs elsewhere": {[]string{"198.51.100.0/28"}, []addresses.Pool{theirs}, step.StateMissing,
			"no pool has 198.51.100.0/28"},
		"given, a tenant's covers": {[]string{"192.0.2.4-192.0.2.7"}, []addresses.Pool{tenant}, step.StateBroken,
			"reserved for namespaces x"},
		"given, a closed one too": {[]string{"192.0.2.4-192.0.2.7"}, []addresses.Pool{closed, theirs}, step.StateOK,
			"192.0.2.0/28"},
		"given, our own is smaller": {[]string{"192.0.2.0/24"}, []addresses.Pool{pool(poolName, poolSpec("192.0.2.0/28"))},
			step.StateMissing, "no pool has 192.0.2.0/24"},
	} {
		t.Run(name, func(t *testing.T) {
			if f := judgePools(addresses.ParseAll(tc.ranges), tc.pools); f.State != tc.want ||
				!strings.Contains(f.Message, tc.says) {
				t.Errorf("got %+v, want %s with %q", f, tc.want, tc.says)
			} else if missing := f.State == step.StateMissing; f.Final != (missing && tc.ranges == nil) {
				t.Errorf("final %t: only a user can bring addresses if none are given", f.Final)
			}
		})
	}
}

func TestKeptAddresses(t *testing.T) {
	p := pool(poolName, poolSpec("192.0.2.0/28", "198.51.100.0/28"))
	got := keptAddresses(p, addresses.ParseAll([]string{"192.0.2.0/24"}))
	if len(got) != 1 || got[0] != "198.51.100.0/28" {
		t.Errorf("got %v, want what the new range does not hold", got)
	}
}

func TestJudgeAdvertised(t *testing.T) {
	own, theirs := pool(poolName, poolSpec("192.0.2.0/28")), pool("theirs", poolSpec("198.51.100.0/28"))
	advertisement := func(kind kube.Kind, spec map[string]any) unstructured.Unstructured {
		return *prereq.NewObject(kind, "metallb-system", "a", spec)
	}
	l2 := func(spec map[string]any) announcements {
		return announcements{list: []unstructured.Unstructured{advertisement(kube.L2Advertisement, spec)}}
	}
	elsewhere := l2(map[string]any{})
	elsewhere.list[0].SetNamespace("other")
	selector := func(value string) []any {
		return []any{map[string]any{"matchLabels": map[string]any{"zone": value}}}
	}
	byLabel := func(value string) announcements {
		return l2(map[string]any{"ipAddressPoolSelectors": selector(value)})
	}
	onNodes := l2(map[string]any{"nodeSelectors": selector("n")})
	noNode, someNode := onNodes, onNodes
	noNode.nodes = nodesOf("other", "")
	someNode.nodes = nodesOf("other", "n")
	both := onNodes
	both.list = append(l2(map[string]any{}).list, both.list...)
	bgp := announcements{list: []unstructured.Unstructured{advertisement(kube.BGPAdvertisement,
		map[string]any{"ipAddressPools": []any{"theirs"}})}}
	peered := bgp
	peered.peers = 1
	for name, tc := range map[string]struct {
		pools []addresses.Pool
		all   announcements
		want  step.State
		says  string
	}{
		"no pool": {nil, announcements{}, step.StateMissing, "no pool"},
		"none for ours": {[]addresses.Pool{own}, announcements{}, step.StateMissing,
			"no advertisement selects pool hcctl"},
		"none for theirs": {[]addresses.Pool{theirs}, announcements{}, step.StateBroken,
			"no advertisement selects it"},
		"empty selects all": {[]addresses.Pool{own, theirs}, l2(map[string]any{}), step.StateOK,
			"selects pool theirs"},
		"empty, another namespace": {[]addresses.Pool{own}, elsewhere, step.StateMissing, "no advertisement"},
		"by name": {[]addresses.Pool{own}, l2(map[string]any{"ipAddressPools": []any{"hcctl"}}), step.StateOK,
			"selects"},
		"by another name": {[]addresses.Pool{own}, l2(map[string]any{"ipAddressPools": []any{"theirs"}}),
			step.StateMissing, "no advertisement"},
		"by label":              {[]addresses.Pool{own}, byLabel("a"), step.StateOK, "selects"},
		"by a label it has not": {[]addresses.Pool{own}, byLabel("b"), step.StateMissing, "no advertisement"},
		"only one of two is chosen": {[]addresses.Pool{own, theirs}, l2(map[string]any{"ipAddressPools": []any{"hcctl"}}),
			step.StateBroken, "no advertisement"},
		"from no node":              {[]addresses.Pool{theirs}, noNode, step.StateBroken, "match no node"},
		"from no node, for ours":    {[]addresses.Pool{own}, noNode, step.StateMissing, "match no node"},
		"from some node":            {[]addresses.Pool{theirs}, someNode, step.StateOK, "selects"},
		"from no node, and another": {[]addresses.Pool{theirs}, both, step.StateOK, "selects"},
		"bgp, to nobody":            {[]addresses.Pool{theirs}, bgp, step.StateBroken, "no BGPPeer"},
		"bgp, by name, for theirs":  {[]addresses.Pool{theirs}, peered, step.StateOK, "selects"},
	} {
		t.Run(name, func(t *testing.T) {
			if f := judgeAdvertised(tc.pools, tc.all); f.State != tc.want || !strings.Contains(f.Message, tc.says) {
				t.Errorf("got %+v, want %s with %q", f, tc.want, tc.says)
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
