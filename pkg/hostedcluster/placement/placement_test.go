package placement

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestParseSpread(t *testing.T) {
	for text, want := range map[string]string{
		"host": "host=required", "host=preferred": "host=preferred", "zone=required": "zone=required",
		"topology.kubernetes.io/zone": "zone=required", "rack,max=2": "rack=required,max=2",
		"example.com/row=required,max=1": "example.com/row=required,max=1",
		"":                               "error: not of the form", "=required": "error: not of the form",
		"host=always": `error: "always" is neither required nor preferred`, "rack,max=0": "error: max=0 is not a number from 1",
		"rack,max=two": "error: max=two is not a number", "rack,max=1001": "error: max=1001 is not a number from 1 to 1000",
		"host=preferred,max=1": "error: max=N holds only where it is required", "a b": `error: "a b" is neither host`,
		"rack,max=1,max=2": "error: not of the form", "rack,even": "error: not of the form",
	} {
		got, err := ParseSpread(text)
		if wanted, isError := strings.CutPrefix(want, "error: "); isError {
			if err == nil || !strings.HasPrefix(err.Error(), wanted) {
				t.Errorf("%q: %v, %v", text, got, err)
			}
			continue
		}
		if err != nil || got.String() != want {
			t.Errorf("%q is %q, want %q: %v", text, got, want, err)
		}
		if again, err := ParseSpread(got.String()); err != nil || again != got {
			t.Errorf("%q read again is %v: %v", got, again, err)
		}
	}
	list := []Spread{{Label: "rack", Required: true, Max: 2}, {Label: corev1.LabelHostname}}
	if got := Join(list); got != "rack=required,max=2 host=preferred" {
		t.Errorf("%q", got)
	}
	if again, repeated := Repeated(append(list, Spread{Label: "rack", Required: true})); !repeated || again.Label != "rack" {
		t.Errorf("%v, %t", again, repeated)
	}
}

// racks makes hosts; "r1:2 r2:1 :1" are two in rack r1, one in r2, and one without a rack.
func racks(text string, pools ...string) []Host {
	may := map[string]bool{}
	for _, p := range pools {
		may[p] = true
	}
	var hosts []Host
	for _, word := range strings.Fields(text) {
		rack, count, _ := strings.Cut(word, ":")
		count, taken := strings.CutSuffix(count, "!")
		n := 0
		_, _ = fmt.Sscan(count, &n)
		for range n {
			name := fmt.Sprintf("n%d", len(hosts)+1)
			h := Host{Name: name, Labels: map[string]string{corev1.LabelHostname: name}, Pools: may, Taken: taken}
			if rack != "" {
				h.Labels["rack"] = rack
			}
			hosts = append(hosts, h)
		}
	}
	return hosts
}

func TestPlace(t *testing.T) {
	rule := func(text, pool string) Rule {
		s, err := ParseSpread(text)
		if err != nil {
			t.Fatal(err)
		}
		return Rule{Spread: s, Pool: pool}
	}
	for name, tc := range map[string]struct {
		hosts            string
		rules            []Rule
		vms              []int
		standing         map[string]int
		words, not       string
		tight, elsewhere bool
	}{
		"three racks, five workers": {hosts: "r1:2 r2:2 r3:2", rules: []Rule{rule("rack", "")}, vms: []int{5},
			words: "3 racks, 5 workers, at most 2 each"},
		"at most two each": {hosts: "r1:2 r2:2 r3:2", rules: []Rule{rule("rack,max=2", "")}, vms: []int{6},
			words: "3 racks, 6 workers, at most 2 each", tight: true},
		"more than fit": {hosts: "r1:2 r2:2 r3:2", rules: []Rule{rule("rack,max=2", "")}, vms: []int{7},
			not: "3 racks, 7 workers of pool a, at most 2 each: only 6 find a place"},
		"one host each": {hosts: "r1:3", rules: []Rule{rule("host,max=1", "")}, vms: []int{3},
			words: "3 hosts, 3 workers, at most 1 each", tight: true},
		"no such label": {hosts: ":3", rules: []Rule{rule("rack", "")}, vms: []int{2},
			not: "no node that may run the worker VMs has the label rack"},
		"no such label, no workers": {hosts: ":3", rules: []Rule{rule("rack", "")}, vms: []int{0},
			words: "0 racks, 0 workers"},
		"no such label, preferred": {hosts: ":3", rules: []Rule{rule("rack=preferred", "")}, vms: []int{2},
			words: "0 racks, 2 workers"},
		"one rack": {hosts: "r1:3", rules: []Rule{rule("rack", "")}, vms: []int{2},
			not: "1 rack, 2 workers: there is nothing to spread over"},
		"one rack, one worker": {hosts: "r1:3", rules: []Rule{rule("rack", "")}, vms: []int{1},
			words: "1 rack, 1 worker, at most 1 each"},
		"one rack, limited": {hosts: "r1:3", rules: []Rule{rule("rack,max=3", "")}, vms: []int{3},
			words: "1 rack, 3 workers, at most 3 each", tight: true},
		"nodes without the label do not count": {hosts: "r1:1 r2:1 :4", rules: []Rule{rule("rack,max=1", "")},
			vms: []int{3}, not: "2 racks, 3 workers of pool a, at most 1 each: only 2 find a place"},
		"a small rack holds the others back": {hosts: "r1:1 r2:4", rules: []Rule{rule("rack", ""), rule("host,max=1", "")},
			vms: []int{4}, not: "2 racks, 4 workers of pool a, as even as required: only 3 find a place"},
		"a taken host is a domain that stays empty": {hosts: "r1:1 r2:1 r3:1!", rules: []Rule{rule("host", "")},
			vms: []int{3}, not: "3 hosts, 3 workers of pool a, as even as required, 1 host left to clusters to avoid: only 2 find a place"},
		"avoiding without spreading": {hosts: "r1:1 r2:1!", vms: []int{9}, words: "1 host left to clusters to avoid"},
		"all hosts are taken":        {hosts: "r1:2!", vms: []int{1}, not: "2 hosts, and VMs of clusters to avoid stand on all of them"},
		"no host at all":             {hosts: "r1:1", vms: []int{1}, elsewhere: true, not: "no node may run the worker VMs of pool a"},
		"all pools count": {hosts: "r1:2 r2:2", rules: []Rule{rule("host,max=1", "")}, vms: []int{2, 2},
			words: "4 hosts, 4 workers, at most 1 each", tight: true},
		"all pools count, one too many": {hosts: "r1:2 r2:2", rules: []Rule{rule("host,max=1", "")}, vms: []int{2, 3},
			not: "4 hosts, 3 workers of pool b, at most 1 each: only 2 find a place"},
		"one pool counts": {hosts: "r1:2 r2:2", rules: []Rule{rule("host,max=1", "a")}, vms: []int{4, 9},
			words: "4 hosts, 4 workers of pool a, at most 1 each", tight: true},
		"what stands stays": {hosts: "r1:1 r2:1", rules: []Rule{rule("host,max=2", "")}, vms: []int{4},
			standing: map[string]int{"n1": 3}, words: "", not: ""},
		"growing an uneven pool": {hosts: "r1:1 r2:1", rules: []Rule{rule("host", "")}, vms: []int{5},
			standing: map[string]int{"n1": 3}, words: "2 hosts, 5 workers, at most 3 each"},
	} {
		t.Run(name, func(t *testing.T) {
			names, pools := []string{"a", "b"}, []Pool{}
			for i, n := range tc.vms {
				pools = append(pools, Pool{Name: names[i], VMs: n})
			}
			pools[0].Standing = tc.standing
			hosts := racks(tc.hosts, names...)
			if tc.elsewhere {
				hosts = racks(tc.hosts)
			}
			if name == "what stands stays" {
				if c := Place(hosts, tc.rules, pools); c.Impossible != "" || c.Words != "2 hosts, 4 workers, at most 3 each" {
					t.Errorf("%+v", c)
				}
				return
			}
			if c := Place(hosts, tc.rules, pools); c.Words != tc.words || c.Impossible != tc.not || c.Tight != tc.tight {
				t.Errorf("%+v", c)
			}
		})
	}
}

func operations(t *testing.T, text string) []Operation {
	t.Helper()
	var ops []Operation
	if text != "" {
		if err := json.Unmarshal([]byte(text), &ops); err != nil {
			t.Fatal(err)
		}
	}
	return ops
}

// TestJSONPatchJoins holds what a patch says in the places that --spread and --avoid write to what else was asked for.
func TestJSONPatchJoins(t *testing.T) {
	const (
		ours   = `{"maxSkew":1,"topologyKey":"rack","whenUnsatisfiable":"DoNotSchedule",`
		theirs = `{"maxSkew":3,"topologyKey":"row","whenUnsatisfiable":"ScheduleAnyway","labelSelector":{}}`
		set    = `[{"op":"add","path":"/spec/template/spec/topologySpreadConstraints","value":[` + theirs + `]}]`
		item   = `[{"op":"add","path":"/spec/template/spec/topologySpreadConstraints/-","value":` + theirs + `}]`
		other  = `[{"op":"add","path":"/spec/template/spec/hostname","value":"a"}]`
		gpu    = `[{"op":"add","path":"/spec/template/spec/affinity","value":{"nodeAffinity":{}}}]`
	)
	for name, tc := range map[string]struct {
		own, earlier string
		avoid        []string
		none         bool
		has, not     []string
		conflict     string
	}{
		"alone": {has: []string{ours, `"hypershift.openshift.io/infra-id":"kv-00-abcde"`, `"nodeTaintsPolicy":"Honor"`,
			`"topologyKey":"kubernetes.io/hostname","whenUnsatisfiable":"ScheduleAnyway"`}},
		"beside another":          {own: other, has: []string{ours, `"/spec/template/spec/hostname"`}},
		"joined with a list":      {own: set, has: []string{ours, `"topologyKey":"row"`}},
		"joined with an item":     {own: item, has: []string{ours, `"topologyKey":"row"`}, not: []string{"Constraints/-"}},
		"of the HostedCluster":    {earlier: set, has: []string{ours, `"topologyKey":"row"`}},
		"the pool's wins":         {earlier: set, own: strings.Replace(set, `"row"`, `"isle"`, 1), has: []string{ours, `"isle"`}, not: []string{`"row"`}},
		"affinity is joined":      {own: gpu, avoid: []string{"clusters-kv-01"}, has: []string{`"nodeAffinity":{}`, `"namespaces":["clusters-kv-01"]`, `"kubevirt.io":"virt-launcher"`}},
		"affinity is left":        {own: gpu, has: []string{`"nodeAffinity":{}`}},
		"affinity of the cluster": {earlier: gpu, avoid: []string{"x"}, has: []string{`"nodeAffinity":{}`, `"namespaces":["x"]`}},
		"nothing to say":          {none: true, own: set, has: []string{`"row"`}, not: []string{"rack"}},
		"the same twice": {own: strings.NewReplacer(`"row"`, `"rack"`, "ScheduleAnyway", "DoNotSchedule").Replace(set),
			conflict: "operation 1 (/spec/template/spec/topologySpreadConstraints) spreads over rack with DoNotSchedule, as --spread does"},
		"a part": {own: `[{"op":"remove","path":"/spec/template/spec/topologySpreadConstraints/0"}]`,
			conflict: "operation 1 (/spec/template/spec/topologySpreadConstraints/0) changes what --spread and --avoid write"},
		"the whole": {own: `[{"op":"test","path":"/a","value":1},{"op":"replace","path":"/spec/template","value":{}}]`,
			conflict: "operation 2 (/spec/template) changes what"},
		"moved away": {earlier: `[{"op":"move","from":"/spec/template/spec/affinity","path":"/a"}]`, avoid: []string{"x"},
			conflict: "operation 1 (/a) changes what"},
		"unknown": {own: strings.Replace(set, "maxSkew", "skew", 1), conflict: "operation 1 (/spec/template/spec/topologySpreadConstraints) has a value"},
	} {
		t.Run(name, func(t *testing.T) {
			v := VMs{InfraID: "kv-00-abcde", Pool: "kv-00", Avoid: tc.avoid, Own: operations(t, tc.own),
				Earlier: operations(t, tc.earlier), Spread: []Spread{{Label: "rack", Required: true}}}
			if tc.none {
				v.Spread = nil
			}
			patch, err := v.JSONPatch()
			if tc.conflict != "" {
				if err == nil || !strings.HasPrefix(err.Error(), tc.conflict) {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tc.has {
				if !strings.Contains(patch, want) {
					t.Errorf("no %s in %s", want, patch)
				}
			}
			for _, not := range tc.not {
				if strings.Contains(patch, not) {
					t.Errorf("%s in %s", not, patch)
				}
			}
		})
	}
}

func TestReadIsWhatWasWritten(t *testing.T) {
	v := VMs{InfraID: "kv-00-abcde", Pool: "b", Avoid: []string{"clusters-kv-02", "clusters-kv-01"},
		Spread:      []Spread{{Label: "rack", Required: true, Max: 2}, {Label: "row"}},
		PoolSpread:  []Spread{{Label: corev1.LabelHostname, Required: true}},
		Tolerations: []corev1.Toleration{{Key: "dedicated"}}}
	patch, err := v.JSONPatch()
	if err != nil {
		t.Fatal(err)
	}
	w, err := Read(patch)
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string]string{}
	for _, r := range w.Rules {
		rules[r.String()] = r.Pool
	}
	if want := map[string]string{"rack=required,max=2": "", "host=required": "b"}; !maps.Equal(rules, want) {
		t.Errorf("%v, want %v", rules, want)
	}
	if !slices.Equal(w.Avoid, []string{"clusters-kv-01", "clusters-kv-02"}) || len(w.Tolerations) != 1 {
		t.Errorf("%+v", w)
	}
	for _, none := range []string{"", "[]"} {
		if w, err := Read(none); err != nil || len(w.Rules)+len(w.Avoid) > 0 {
			t.Errorf("%q: %+v, %v", none, w, err)
		}
	}
	if _, err := Read("{"); err == nil {
		t.Error("half a patch was read")
	}
}

func TestForeignIsWhatOthersSaid(t *testing.T) {
	own := `[{"op":"add","path":"/spec/template/spec/affinity","value":{"nodeAffinity":{}}},` +
		`{"op":"add","path":"/spec/template/spec/hostname","value":"a"}]`
	v := VMs{InfraID: "kv-00-abcde", Pool: "b", Avoid: []string{"clusters-kv-01"}, Own: operations(t, own),
		Spread: []Spread{{Label: "rack", Required: true}}, PoolSpread: []Spread{{Label: "row"}}}
	patch, err := v.JSONPatch()
	if err != nil {
		t.Fatal(err)
	}
	w, err := Read(patch)
	if err != nil || Join(w.PoolSpread) != "row=preferred" {
		t.Errorf("%q, %v", Join(w.PoolSpread), err)
	}
	rest, err := Foreign(patch)
	if err != nil {
		t.Fatal(err)
	}
	if data, _ := json.Marshal(rest); string(data) != own {
		t.Errorf("%s\nwant %s", data, own)
	}
	v.Own = rest
	if again, err := v.JSONPatch(); err != nil || again != patch {
		t.Errorf("made again it is %s, %v\nwant %s", again, err, patch)
	}
	v = VMs{InfraID: "x", Pool: "b", Avoid: []string{"clusters-kv-01"}, Spread: v.Spread}
	if patch, err = v.JSONPatch(); err != nil {
		t.Fatal(err)
	}
	if rest, err := Foreign(patch); err != nil || len(rest) > 0 {
		t.Errorf("%v, %v", rest, err)
	}
}

// TestPoolsThatStandNeedNoNode: no node takes VMs of a pool any more, all of which stand, and another pool grows.
func TestPoolsThatStandNeedNoNode(t *testing.T) {
	hosts := []Host{{Name: "n1", Pools: map[string]bool{"new": true}}}
	stands := Pool{Name: "old", VMs: 2, Standing: map[string]int{"n2": 2}}
	if c := Place(hosts, nil, []Pool{stands, {Name: "new", VMs: 1}}); c.Impossible != "" {
		t.Error(c.Impossible)
	}
	stands.VMs = 3
	want := "no node may run the worker VMs of pool old"
	if c := Place(hosts, nil, []Pool{stands, {Name: "new", VMs: 1}}); c.Impossible != want {
		t.Errorf("%q, want %q", c.Impossible, want)
	}
}
