package config

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

const fleetHeader = "apiVersion: hcctl.dev/v1alpha1\nkind: Fleet\n"

func TestFleetSharesItsDefaults(t *testing.T) {
	all, err := ParseClusters("fleet.yaml", "labs", []byte(fleetHeader+`
clusters:
- metadata: {name: kv-%02d, labels: {rack: b, team: b}}
  count: 2
  first: 9
- metadata: {name: big, namespace: other}
  spec:
    baseDomain: big.example.com
    nodePools: [{cores: 8}, {name: more}]
defaults:
  spec: {baseDomain: example.com, pullSecret: ps.json}
  nodePool: {memory: 16Gi}
  metadata: {namespace: lab, labels: {team: a}}
---
apiVersion: hcctl.dev/v1alpha1
kind: Cluster
metadata: {name: alone}
`), "")
	if err != nil {
		t.Fatal(err)
	}
	cluster := func(name string, change func(*options.Cluster)) options.Cluster {
		o := options.Defaults()
		o.Name = name
		if change != nil {
			o.Namespace, o.Labels, o.BaseDomain, o.PullSecret = "lab", map[string]string{"team": "a"}, "example.com",
				options.File{Path: "labs/ps.json", Directory: "labs"}
			o.Pool().Memory = "16Gi"
			change(&o)
		}
		return o
	}
	numbered := func(o *options.Cluster) { o.Labels = map[string]string{"team": "b", "rack": "b"} }
	want := []options.Cluster{
		cluster("kv-09", numbered), cluster("kv-10", numbered),
		cluster("big", func(o *options.Cluster) {
			o.Namespace, o.BaseDomain = "other", "big.example.com"
			more := *o.Pool()
			o.Pool().Cores, more.Name = 8, "more"
			o.NodePools = append(o.NodePools, more)
		}),
		cluster("alone", nil),
	}
	var got []options.Cluster
	for _, c := range all {
		got = append(got, c.Options)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got[0].NodePools[0].Memory = "changed"
	if got[1].NodePools[0].Memory != "16Gi" {
		t.Error("clusters of one entry share their pools")
	}
	if where := all[2].Where(); where != "fleet.yaml:8" {
		t.Errorf("the third begins at %s", where)
	}
}

func TestFleetMistakesNameTheirLine(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"none":    {"clusters: []\n", "fleet.yaml:1: clusters is missing or empty"},
		"no list": {"", "fleet.yaml:1: clusters is missing or empty"},
		"pattern, no count": {"clusters:\n- metadata: {name: kv-%d}\n",
			`fleet.yaml:4: clusters[0].metadata.name "kv-%d": has a pattern for a number, but there is no count`},
		"count, no pattern": {"clusters:\n- metadata: {name: kv}\n  count: 3\n",
			`fleet.yaml:4: clusters[0].metadata.name "kv": with a count, the name has one pattern`},
		"two patterns": {"clusters:\n- metadata: {name: kv-%d-%d}\n  count: 3\n",
			`fleet.yaml:4: clusters[0].metadata.name "kv-%d-%d": with a count`},
		"too many": {"clusters:\n- metadata: {name: kv-%d}\n  count: 1001\n",
			"fleet.yaml:5: clusters[0].count 1001: has to be between 1 and 1000"},
		"count of none": {"clusters:\n- metadata: {name: kv-%d}\n  count: 0\n",
			"fleet.yaml:5: clusters[0].count 0: has to be between 1 and 1000"},
		"first, no count": {"clusters:\n- metadata: {name: kv}\n  first: 3\n",
			"fleet.yaml:5: clusters[0].first 3: there is no count"},
		"twice": {"clusters:\n- metadata: {name: a}\n- metadata: {name: a}\n",
			`fleet.yaml:5: clusters[1].metadata.name "a": the cluster clusters/a is described already, at fleet.yaml:4`},
		"a name for all":    {"defaults:\n  metadata: {name: a}\n", "fleet.yaml:4: defaults.metadata.name is not a field"},
		"spec at the top":   {"spec: {}\n", "fleet.yaml:3: spec is not a field"},
		"pool name for all": {"defaults:\n  nodePool: {name: x}\n", "fleet.yaml:4: defaults.nodePool.name is not a field"},
		"no pools for all": {"defaults:\n  spec: {nodePools: []}\nclusters: [{metadata: {name: a}}]\n",
			"fleet.yaml:4: defaults.spec.nodePools is an empty list"},
		"misplaced": {"clusters:\n- name: a\n", "fleet.yaml:4: clusters[0].name is not a field; did you mean " +
			"clusters[].metadata.name?"},
		"a setting too many": {"clusters:\n- metadata: {name: a}\n  spec: {nodePools: [{memry: 1}]}\n",
			"fleet.yaml:5: clusters[0].spec.nodePools[0].memry is not a field; did you mean memory?"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseClusters("fleet.yaml", ".", []byte(fleetHeader+tc.text), "")
			if err == nil || !strings.HasPrefix(err.Error(), tc.want) {
				t.Fatalf("got %v\nwant %s", err, tc.want)
			}
		})
	}
}

func TestProblemsOfAFleetAreFoundWhereTheyAreSaid(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"in the cluster": {"clusters:\n- metadata: {name: KV}\n",
			`fleet.yaml:4: clusters[0].metadata.name "KV": must consist`},
		"in the defaults": {"defaults:\n  spec: {baseDomain: -x}\nclusters:\n- metadata: {name: a}\n",
			`fleet.yaml:4: defaults.spec.baseDomain "-x": not a DNS name`},
		"in the pools": {"defaults:\n  nodePool: {memory: 1}\n", ""},
		"in all pools": {"defaults:\n  nodePool: {cores: 0}\nclusters:\n- metadata: {name: a}\n",
			`fleet.yaml:4: defaults.nodePool.cores "0": a worker needs`},
		"in a pool": {"defaults:\n  nodePool: {cores: 2}\nclusters:\n- metadata: {name: a}\n  spec:\n    " +
			"nodePools:\n    - cores: 0\n", `fleet.yaml:9: clusters[0].spec.nodePools[0].cores "0": a worker needs`},
		"name that is absent": {"clusters:\n- spec: {}\n", "fleet.yaml:4: clusters[0].metadata.name: a name is needed"},
	} {
		t.Run(name, func(t *testing.T) {
			all, err := ParseClusters("fleet.yaml", ".", []byte(fleetHeader+tc.text), "")
			if tc.want == "" {
				if err == nil {
					t.Error("a number for text is taken")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var p *options.Error
			if _, err := all[0].Options.Validate(); !errors.As(err, &p) {
				t.Fatalf("got %v", err)
			}
			if got := all[0].Locate(p); got == nil || !strings.HasPrefix(got.Error(), tc.want) {
				t.Errorf("got %v\nwant %s", got, tc.want)
			}
		})
	}
}

func FuzzParseClusters(f *testing.F) {
	f.Add([]byte(fleetHeader + "clusters: [{metadata: {name: a-%d}, count: 2}]\ndefaults: {nodePool: {cores: 1}}\n"))
	f.Add(InitialCluster())
	f.Add([]byte(fleetHeader + "clusters: &c [*c]\n"))
	f.Add([]byte(environmentsFleet))
	f.Add([]byte(fleetHeader + "clusters: [{metadata: {name: a}}]\nenvironments: &e {dev: *e}\n"))
	f.Add([]byte(fleetHeader + "defaults: &d {spec: {nodePools: [*d]}}\nclusters: [*d]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		env := ""
		if all, err := Environments("f.yaml", data); err == nil && len(all) > 0 {
			env = all[0]
		}
		all, err := ParseClusters("f.yaml", ".", data, env)
		var e *Error
		if err != nil && (!errors.As(err, &e) || strings.Contains(err.Error(), "\n")) {
			t.Fatalf("%T %q: want an *Error of one line", err, err)
		}
		for _, c := range all {
			if len(c.Options.NodePools) == 0 {
				t.Fatalf("accepted a cluster without pools: %+v", c.Options)
			}
		}
		for _, c := range all[:min(3, len(all))] {
			writesItself(t, c.Options)
		}
	})
}

// writesItself fails unless a cluster can be written as a document that reads as the same.
func writesItself(t *testing.T, o options.Cluster) {
	t.Helper()
	first, err := WriteCluster(o, ".")
	if err != nil {
		t.Fatal(err)
	}
	read, err := ParseCluster("w.yaml", ".", first)
	if err != nil {
		t.Fatalf("%v\n%s", err, first)
	}
	second, err := WriteCluster(read.Options, ".")
	if err != nil || string(first) != string(second) {
		t.Fatalf("%v: it was\n%s\nand is\n%s", err, first, second)
	}
}
