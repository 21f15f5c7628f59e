package schema_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/hcctl/hcctl/contracts"
	"github.com/hcctl/hcctl/pkg/hostedcluster/schema"
	"github.com/hcctl/hcctl/pkg/kube/crdschema"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

// TestFieldsAreThoseOfTheContracts: what is built in is what package contracts has. UPDATE=1 writes it.
func TestFieldsAreThoseOfTheContracts(t *testing.T) {
	const hypershift = "hypershift.openshift.io"
	kubetest.GoldenFields(t, "fields.json.gz",
		kubetest.FieldsOf{Key: "HostedCluster", Group: hypershift, Kind: "HostedCluster"},
		kubetest.FieldsOf{Key: "NodePool", Group: hypershift, Kind: "NodePool"})
}

// TestEveryRuleIsRead: no rule of a release is left to the API server because of a word in it.
func TestEveryRuleIsRead(t *testing.T) {
	rules := map[string]bool{}
	for _, kind := range []string{"HostedCluster", "NodePool"} {
		table, err := contracts.TableOf("hypershift.openshift.io", kind)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range table.Fields {
			all := f.Facets.Rules
			if f.Facets.Items != nil {
				all = append(all, f.Facets.Items.Rules...)
			}
			for _, r := range all {
				rules[r] = !strings.Contains(r, "oldSelf")
			}
		}
	}
	if len(rules) < 100 {
		t.Fatalf("%d rules", len(rules))
	}
	for rule, alone := range rules {
		for _, value := range []any{"", map[string]any{}, []any{}, map[string]any{"services": []any{}}} {
			if _, known := crdschema.Rule(rule, value); known != alone {
				t.Errorf("%q of %v: known is %v", rule, value, known)
			}
		}
	}
}

// TestReleases: a field, a value or a rule is known from its release on.
func TestReleases(t *testing.T) {
	const mtu = `{"operatorConfiguration": {"clusterNetworkOperator": {"ovnKubernetesConfig": {"mtu": 1400}}}}`
	const rules = `{"configuration": {"authentication": {"oidcProviders": [{"userValidationRules": []}]}}}`
	for name, tc := range map[string]struct {
		kind  string
		minor int
		spec  string
		want  string
	}{
		"before its field":   {"HostedCluster", 17, `{"capabilities": {}}`, "capabilities"},
		"its first release":  {"HostedCluster", 18, `{"capabilities": {}}`, ""},
		"a field within":     {"HostedCluster", 21, mtu, "operatorConfiguration.clusterNetworkOperator.ovnKubernetesConfig.mtu"},
		"a field of 4.22":    {"HostedCluster", 22, mtu, ""},
		"monitoring in 4.21": {"HostedCluster", 21, `{"monitoring":{"metricsSet":"All"}}`, "monitoring"},
		"monitoring in 5.1":  {"HostedCluster", 24, `{"monitoring":{"metricsSet":"All"}}`, ""},
		"s390x in 4.20":      {"NodePool", 20, `{"arch":"s390x"}`, "arch"},
		"s390x in 4.21":      {"NodePool", 21, `{"arch":"s390x"}`, ""},
		"a list's element":   {"NodePool", 20, `{"taints":[{"key":"a","efect":"NoSchedule"}]}`, "taints[0].efect"},
		"5.0's field":        {"HostedCluster", 23, rules, ""},
		"5.0's field in 4.22": {"HostedCluster", 22, rules,
			"configuration.authentication.oidcProviders[0].userValidationRules"},
		"another platform's": {"HostedCluster", 20, `{"platform":{"type":"AWS","aws":{"anything":1}}}`, ""},
		"text for a number":  {"NodePool", 20, `{"replicas":"2"}`, "replicas"},
		"a number for text":  {"HostedCluster", 20, `{"dns":{"baseDomain":7}}`, "dns.baseDomain"},
		"an enum": {"HostedCluster", 20, `{"infrastructureAvailabilityPolicy":"Single"}`,
			"infrastructureAvailabilityPolicy"},
		"a map for a list":       {"NodePool", 20, `{"taints":{}}`, "taints"},
		"null where none may be": {"NodePool", 20, `{"replicas":null}`, "replicas"},
	} {
		var spec map[string]any
		if err := json.Unmarshal([]byte(tc.spec), &spec); err != nil {
			t.Fatal(err)
		}
		got := ""
		if found := schema.Of(tc.kind, tc.minor).Misfits(ints(spec)); len(found) > 0 {
			got = found[0].Path
		}
		if got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

// ints makes whole numbers int64, as an API server's decoder does.
func ints(v any) any {
	switch v := v.(type) {
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
	case map[string]any:
		for key := range v {
			v[key] = ints(v[key])
		}
	case []any:
		for i := range v {
			v[i] = ints(v[i])
		}
	}
	return v
}

func TestHas(t *testing.T) {
	for path, want := range map[string][3]any{
		"spec.taints[0].key":     {12, 24, true},
		"spec.nodeCount":         {0, 0, false},
		"spec.arch":              {14, 24, true},
		"spec.platform.kubevirt": {12, 24, true},
	} {
		first, last, ok := schema.Has("NodePool", path)
		if got := [3]any{first, last, ok}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
	if schema.Name(23) != "4.23 (5.0)" || schema.Name(24) != "5.1" || schema.Newest() != 24 || schema.Clamp(3) != 12 {
		t.Errorf("%s, %s, %d", schema.Name(23), schema.Name(24), schema.Newest())
	}
}
