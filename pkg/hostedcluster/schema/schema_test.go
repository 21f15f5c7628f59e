package schema_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/hcctl/hcctl/contracts"
	"github.com/hcctl/hcctl/contracts/crd"
	"github.com/hcctl/hcctl/internal/golden"
	"github.com/hcctl/hcctl/internal/openshift"
	"github.com/hcctl/hcctl/pkg/hostedcluster/schema"
	"github.com/hcctl/hcctl/pkg/kube/crdschema"
)

// TestFieldsAreThoseOfTheContracts: what is built in is what package contracts has. UPDATE=1 writes it.
func TestFieldsAreThoseOfTheContracts(t *testing.T) {
	want := schema.Fields{First: 100, Rows: map[string][]schema.Row{}}
	for _, kind := range []string{"HostedCluster", "NodePool"} {
		table, err := contracts.TableOf("hypershift.openshift.io", kind)
		if err != nil {
			t.Fatal(err)
		}
		releases, err := table.Releases.All()
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]*schema.Row{}
		for _, r := range releases {
			minor := openshift.MinorNumber(r.Major, r.Minor)
			want.First, want.Newest = min(want.First, minor), max(want.Newest, minor)
			schemas, err := crd.Schemas(table, r)
			if err != nil {
				t.Fatal(err)
			}
			spec := schemas[""].Properties["spec"]
			collect(t, found, []string{"spec"}, spec, false, minor)
		}
		for _, key := range slices.Sorted(maps.Keys(found)) {
			want.Rows[kind] = append(want.Rows[kind], *found[key])
		}
	}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if golden.Updating() {
		var zipped bytes.Buffer
		w, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("fields.json.gz", zipped.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	file, err := os.Open("fields.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	zipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	have, err := io.ReadAll(zipped)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, data) {
		t.Error("fields.json.gz is not what package contracts has: UPDATE=1 go test ./pkg/hostedcluster/schema")
	}
}

// collect adds a field of one release and all below it. 4.23 and 5.0 are one minor.
func collect(t *testing.T, found map[string]*schema.Row, path []string, s apiextensionsv1.JSONSchemaProps,
	required bool, minor int) {
	t.Helper()
	own := s
	own.Properties, own.Items, own.AdditionalProperties, own.Required = nil, nil, nil, nil
	own.XValidations = slices.DeleteFunc(slices.Clone(own.XValidations), func(r apiextensionsv1.ValidationRule) bool {
		return strings.Contains(r.Rule, "oldSelf")
	})
	data, err := json.Marshal(own)
	if err != nil {
		t.Fatal(err)
	}
	row := &schema.Row{Path: slices.Clone(path), Required: required}
	if err := json.Unmarshal(data, &row.Is); err != nil {
		t.Fatal(err)
	}
	key := strings.Join(path, "\x01") + "\x00" // parents first
	if required {
		key += "required"
	}
	key += string(data)
	if found[key] == nil {
		found[key] = row
	}
	row = found[key]
	if n := len(row.In); n > 0 && row.In[n-1][1] >= minor-1 {
		row.In[n-1][1] = minor
	} else {
		row.In = append(row.In, [2]int{minor, minor})
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		collect(t, found, append(path, name), s.Properties[name], slices.Contains(s.Required, name), minor)
	}
	if s.Items != nil && s.Items.Schema != nil {
		collect(t, found, append(path, "[]"), *s.Items.Schema, false, minor)
	}
	if more := s.AdditionalProperties; more != nil && more.Schema != nil {
		collect(t, found, append(path, "{}"), *more.Schema, false, minor)
	}
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
