package config

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

const environmentsFleet = fleetHeader + `
defaults:
  metadata: {labels: {team: a, env: none}}
  spec: {baseDomain: example.com, etcdStorageSize: 8Gi}
  nodePool: {memory: 16Gi, cores: 4}
environments:
  dev:
    metadata: {namespace: dev, labels: {team: b}}
    spec: {etcdStorageSize: 4Gi}
    nodePool: {replicas: 1, memory: 8Gi}
  prod:
    metadata: {namespace: prod, labels: {env: production}}
clusters:
- metadata: {name: kv-%d}
  count: 2
- metadata: {name: big}
  environments: [prod]
  spec: {nodePools: [{cores: 8, memory: 32Gi}, {name: more, replicas: 7}]}
- metadata: {name: small}
  environments: [dev]
  spec: {nodePools: [{memory: 12Gi}]}
`

// What an environment says wins over the cluster, which wins over the defaults.
func TestAnEnvironmentLiesOverTheClusters(t *testing.T) {
	type pool struct {
		Name, Memory string
		Cores        int32
		Replicas     int32
		Env          string
	}
	type cluster struct {
		Name, Namespace, Domain, Etcd string
		Labels                        map[string]string
		Pools                         []pool
	}
	read := func(env string) []cluster {
		all, err := ParseClusters("fleet.yaml", ".", []byte(environmentsFleet), env)
		if err != nil {
			t.Fatal(err)
		}
		var got []cluster
		for _, c := range all {
			o := c.Options
			one := cluster{o.Name, o.Namespace, o.BaseDomain, o.EtcdStorageSize, o.Labels, nil}
			for _, p := range o.NodePools {
				one.Pools = append(one.Pools, pool{p.Name, p.Memory, p.Cores, p.Replicas, p.NodeLabels["env"]})
			}
			got = append(got, one)
		}
		return got
	}
	dev := map[string]string{"team": "b", "env": "dev"}
	prod := map[string]string{"team": "a", "env": "production"}
	want := map[string][]cluster{
		"dev": {
			{"kv-0", "dev", "example.com", "4Gi", dev, []pool{{"", "8Gi", 4, 1, "dev"}}},
			{"kv-1", "dev", "example.com", "4Gi", dev, []pool{{"", "8Gi", 4, 1, "dev"}}},
			{"small", "dev", "example.com", "4Gi", dev, []pool{{"", "8Gi", 4, 1, "dev"}}},
		},
		"prod": {
			{"kv-0", "prod", "example.com", "8Gi", prod, []pool{{"", "16Gi", 4, 2, "production"}}},
			{"kv-1", "prod", "example.com", "8Gi", prod, []pool{{"", "16Gi", 4, 2, "production"}}},
			{"big", "prod", "example.com", "8Gi", prod, []pool{{"", "32Gi", 8, 2, "production"}, {"more", "16Gi", 4, 7, "production"}}},
		},
	}
	for env := range want {
		if diff := cmp.Diff(want[env], read(env)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", env, diff)
		}
	}
}

// An environment can list pools of its own, which replace the cluster's.
func TestAnEnvironmentReplacesThePools(t *testing.T) {
	all, err := ParseClusters("fleet.yaml", ".", []byte(fleetHeader+`
clusters: [{metadata: {name: kv}, spec: {nodePools: [{cores: 8}, {name: b}]}}]
environments:
  dev:
    spec: {nodePools: [{replicas: 0}]}
`), "dev")
	if err != nil {
		t.Fatal(err)
	}
	pools := all[0].Options.NodePools
	if len(pools) != 1 || pools[0].Replicas != 0 || pools[0].Cores != 2 {
		t.Errorf("the pools are %+v", pools)
	}
	if !all[0].Says("spec.nodePools[0].replicas") || all[0].Says("spec.nodePools[0].cores") {
		t.Error("what the document says of the pool is what the environment says")
	}
}

func TestErrorsOfEnvironmentsNameTheLine(t *testing.T) {
	const one = fleetHeader + "clusters: [{metadata: {name: kv}}]\n"
	const alone = "apiVersion: hcctl.dev/v1alpha1\nkind: Cluster\nmetadata: {name: kv}\n"
	for _, c := range []struct{ text, env, want string }{
		{one + "environments:\n  dev:\n  prod:\n", "",
			"f:5: environments are dev, prod: choose one with --env"},
		{one + "environments:\n  dev:\n", "test", `f:5: environments are dev: "test" is none of them`},
		{one, "dev", "f:1: has no environments, and --env dev wants one"},
		{alone, "dev", "f:1: has no environments, and --env dev wants one"},
		{one + "environments:\n  Dev_1:\n", "Dev_1", "f:5: environments.Dev_1 is not a name for an environment: use lower " +
			"case letters, digits and -, at most 63, such as dev"},
		{one + "environments: [dev]\n", "dev",
			`f:4: environments is a list, but has to hold fields, each a name and a value`},
		{one + "environments:\n  dev:\n  prod:\n    nodePool: {memori: 8Gi}\n", "dev",
			"f:7: environments.prod.nodePool.memori is not a field; did you mean memory?"},
		{one + "environments:\n  dev:\n    spec: {arch: arm}\n", "dev",
			`f:6: environments.dev.spec.arch "arm": use one of amd64, s390x`},
		{one + "environments:\n  dev:\n    memory: 8Gi\n", "dev",
			"f:6: environments.dev.memory is not a field; did you mean environments.*.spec.nodePools[].memory?"},
		{one + "environments:\n  dev:\n    metadata: {name: x}\n", "dev",
			"f:6: environments.dev.metadata.name is not a field; did you mean environments.*.spec.nodePools[].name?"},
		{one + "environments:\n  dev: {nodePool: {replicas: two}}\n", "dev",
			`f:5: environments.dev.nodePool.replicas is "two", but has to be a whole number`},
		{one + "environments:\n  dev: {spec: {nodePools: []}}\n", "dev",
			"f:5: environments.dev.spec.nodePools is an empty list: leave it out for a pool of the defaults, or write " +
				"[{replicas: 0}] for a cluster without workers"},
		{fleetHeader + "clusters:\n- metadata: {name: kv}\n  environments: [tets]\nenvironments:\n  test:\n", "test",
			`f:5: clusters[0].environments[0] "tets": use one of test`},
	} {
		_, err := ParseClusters("f", ".", []byte(c.text), c.env)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s\n got: %v\nwant: %s", c.text, err, c.want)
		}
	}
}

// A value that the environment gives and the rules of options refuse is named with the line of the environment.
func TestAWrongValueIsTheEnvironments(t *testing.T) {
	all, err := ParseClusters("f", ".", []byte(fleetHeader+`
clusters: [{metadata: {name: kv}, spec: {nodePools: [{memory: 8Gi}]}}]
environments:
  dev:
    nodePool: {memory: 1Mi}
`), "dev")
	if err != nil {
		t.Fatal(err)
	}
	_, err = all[0].Options.Validate()
	problem := &options.Error{}
	if !errors.As(err, &problem) {
		t.Fatalf("the options are taken: %v", err)
	}
	const want = "f:7: environments.dev.nodePool.memory "
	if got := all[0].Locate(problem); got == nil || !strings.HasPrefix(got.Error(), want) {
		t.Errorf("the error is %v, not at %s", got, want)
	}
}
