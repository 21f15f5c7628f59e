package update

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
)

// crdModule has the CRDs of the HyperShift whose API hcctl is built with.
const crdModule = "github.com/openshift/hypershift/api"

// schema is what this test reads of an OpenAPI schema.
type schema struct {
	Properties map[string]*schema `json:"properties"`
	Items      *schema            `json:"items"`
	// Of lists and maps.
	MaxItems      int `json:"maxItems"`
	MaxProperties int `json:"maxProperties"`
	Rules         []struct {
		Rule string `json:"rule"`
	} `json:"x-kubernetes-validations"`
}

// crdOf is the schema of a CRD, such as that of "hostedclusters".
func crdOf(t *testing.T, plural string) *schema {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", crdModule).Output()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "hypershift", "v1beta1",
		"zz_generated.featuregated-crd-manifests", plural+".hypershift.openshift.io", "AAA_ungated.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var crd struct {
		Spec struct {
			Versions []struct {
				Name   string `json:"name"`
				Schema struct {
					OpenAPI *schema `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}
	asJSON, err := yaml.YAMLToJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(asJSON, &crd); err != nil {
		t.Fatal(err)
	}
	for _, v := range crd.Spec.Versions {
		if v.Name == "v1beta1" {
			return v.Schema.OpenAPI
		}
	}
	t.Fatalf("there is no v1beta1 of %s", plural)
	return nil
}

// transitionRules are the CRD's rules about a change of a HostedCluster, by the path of their field.
func transitionRules(t *testing.T) map[string][]string {
	t.Helper()
	rules := map[string][]string{}
	var walk func(*schema, string)
	walk = func(s *schema, path string) {
		if s == nil {
			return
		}
		for _, r := range s.Rules {
			if strings.Contains(r.Rule, "oldSelf") {
				rules[path] = append(rules[path], r.Rule)
			}
		}
		for name, inner := range s.Properties {
			walk(inner, strings.TrimPrefix(path+"."+name, "."))
		}
		walk(s.Items, path+"[]")
	}
	walk(crdOf(t, "hostedclusters"), "")
	if len(rules) < 20 {
		t.Fatalf("%d transition rules in the CRD", len(rules))
	}
	return rules
}

// fixedBy returns the rule that keeps a field from being changed; empty if there is none.
func fixedBy(rules map[string][]string, path string) string {
	for at, all := range rules {
		for _, rule := range all {
			inside := path == at || strings.HasPrefix(path, at+".") || strings.HasPrefix(at, path+".")
			switch {
			case inside && at != "spec" && strings.Contains(rule, "self == oldSelf"):
				return rule
			case at == "spec" && strings.HasPrefix(path, "spec.services") && strings.Contains(rule, "services == oldSelf"):
				return rule
			}
		}
	}
	return ""
}

// TestTheCRDSaysHowMany holds the number of values in a row to the bound of the field that it writes.
func TestTheCRDSaysHowMany(t *testing.T) {
	// These have bounds of their own: one network for each IP family, one service of each kind, entries of a file.
	parsed := []string{"clusterCIDR", "serviceCIDR", "machineCIDR", "publish", "externalDNSDomain",
		"servicePublishingStrategy", "apiServerAddress", "apiHostname", "imageContentSources", "oidc", "isolateControlPlane"}
	for kind, fields := range map[string][]options.Field{"HostedCluster": options.Fields(), "NodePool": options.NodePoolFields()} {
		root := crdOf(t, strings.ToLower(kind)+"s")
		for _, f := range fields {
			at := root
			for _, key := range f.Path(kind) {
				if at = at.Properties[key]; at == nil {
					break
				}
			}
			if at == nil || at == root || slices.Contains(parsed, f.Name) {
				continue
			}
			bound := max(at.MaxItems, at.MaxProperties)
			for _, r := range at.Rules {
				_, _ = fmt.Sscanf(r.Rule, "size(self) <= %d", &bound) // any other rule leaves it as it is
			}
			if bound != f.Max {
				t.Errorf("%s of a %s: at most %d, the CRD says %d", f.Name, kind, f.Max, bound)
			}
		}
	}
}

// TestAMadeUpOptionHasItsRule: its row says whether update changes it, and what does otherwise.
func TestAMadeUpOptionHasItsRule(t *testing.T) {
	wanted := []Wanted{{Field: "spec.channel", Value: "two"}}
	command := func(known []options.Field) string {
		return hint.Join(commands(wanted, hostedcluster.HostedClusterKind, known, hint.Run("update it"),
			func(t hint.Text) hint.Text { return t }), "; ").String()
	}
	known, row := optionstest.MadeUp(option.Fixed)
	if _, way, ok := refusal(known, nil, row.Flag); !ok ||
		way.String() != "hcctl create cluster --name ANOTHER --made-up makes another cluster with it" ||
		command(known) != "" ||
		slices.ContainsFunc(option.Updatable(known), func(f options.Field) bool { return f.Flag == row.Flag }) {
		t.Errorf("what cannot be changed: %v, %q, %q", ok, way, command(known))
	}
	known, row = optionstest.MadeUp(option.RestartsControlPlane)
	if _, _, ok := refusal(known, nil, row.Flag); ok || command(known) != "hcctl update it --made-up two" ||
		!slices.ContainsFunc(option.Updatable(known), func(f options.Field) bool { return f.Flag == row.Flag }) {
		t.Errorf("what can be changed: %v, %q", ok, command(known))
	}
}

// TestTheCRDSaysWhatIsFixed holds the tables to the transition rules of the CRD: what can be changed has none, what
// cannot has one.
func TestTheCRDSaysWhatIsFixed(t *testing.T) {
	rules := transitionRules(t)
	// The operator's Go code or a newer CRD has these.
	withoutRule := map[string]string{
		"networkType":       "HyperShift gives the plug-in to the cluster network operator when it creates the cluster",
		"allocateNodeCIDRs": "a rule of the CRD of v0.1.81",
		"ovnKubernetesMTU":  "a rule of the CRD of v0.1.81",
	}
	for _, f := range options.Fields() {
		if f.Flag == "" {
			continue
		}
		keys := f.Path(hostedcluster.HostedClusterKind)
		path := strings.Join(keys, ".")
		rule := fixedBy(rules, path)
		switch why, _ := f.Refusal(); {
		case why == "" && rule != "":
			t.Errorf("--%s can be changed, but the CRD has the rule %s", f.Flag, rule)
		case f.Effect == option.Fixed && rule == "" && path != "" && withoutRule[f.Name] == "":
			t.Errorf("--%s cannot be changed, but the CRD has no rule about %s", f.Flag, path)
		}
	}
}

// TestEveryOptionIsKnown: the row of each option says either what a change sets off, or what changes it instead.
func TestEveryOptionIsKnown(t *testing.T) {
	for _, f := range slices.Concat(options.Fields(), options.NodePoolFields()) {
		why, way := f.Refusal()
		if said := f.Effect == option.Fixed || f.Why != ""; (why == "") != way.IsZero() ||
			said != (f.Effect == option.Elsewhere || f.Effect == option.Fixed) {
			t.Errorf("%s: effect %v, why %q, way %q", f.Name, f.Effect, why, way)
		}
	}
	for _, f := range Fields() {
		if keys := f.Path(hostedcluster.HostedClusterKind); len(keys) < 2 {
			t.Errorf("%s is written to %q, of which no path can be made", f.Name, f.Writes)
		}
	}
	for flag, want := range map[string]string{"memory": "hcctl update nodepool POOL --memory",
		"node-pool-replicas": "hcctl scale POOL --replicas NUMBER", "replicas": "hcctl scale POOL",
		"config": "hcctl create nodepool POOL", "fips": "hcctl create cluster --name ANOTHER --fips"} {
		if why, way, ok := Refusal(flag); !ok || why == "" || !strings.Contains(way.String(), want) {
			t.Errorf("--%s: %q, %q", flag, why, way)
		}
	}
	// What hcctl brings beside the HostedCluster is changed by apply.
	for _, flag := range []string{"jump-host", "jump-host-address", "dex", "oidc-issuer", "identity", "groups", "cni",
		"guest-manifests", "guest-default-storage-class", "node-topology", "spread", "avoid"} {
		if why, way, ok := Refusal(flag); !ok || why == "" || !strings.Contains(way.String(), "hcctl apply -f FILE") {
			t.Errorf("--%s: %q, %q", flag, why, way)
		}
	}
	if _, _, ok := Refusal("nonsense"); ok {
		t.Error("--nonsense is none of create's flags")
	}
}
