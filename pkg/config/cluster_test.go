package config

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hcctl/hcctl/internal/golden"
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

const clusterHeader = "apiVersion: hcctl.dev/v1alpha1\nkind: Cluster\n"

func parsed(t *testing.T, directory, text string) *Cluster {
	t.Helper()
	c, err := ParseCluster("kv.yaml", directory, []byte(clusterHeader+text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestClusterIsTheDefaultsAndWhatIsSaid(t *testing.T) {
	c := parsed(t, "labs", `
metadata: {name: kv-00, namespace: lab, labels: {team: a}, annotations: {example.com/x: "1,2"}}
spec:
  pullSecret: secrets/ps.json
  baseDomain: example.com
  nodePools:
  - replicas: 3
  - {name: big, memory: 32Gi}
`)
	want := options.Defaults()
	want.Name, want.Namespace, want.Labels, want.Annotations = "kv-00", "lab", map[string]string{"team": "a"}, options.Annotations{"example.com/x": "1,2"}
	want.PullSecret.Path, want.BaseDomain = "labs/secrets/ps.json", "example.com"
	first, second := options.DefaultNodePool(), options.DefaultNodePool()
	first.Replicas, second.Name, second.Memory = 3, "big", "32Gi"
	want.NodePools = []options.NodePool{first, second}
	if diff := cmp.Diff(want, c.Options, noDirectory); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	only := options.Defaults()
	only.Name = "kv-00"
	if diff := cmp.Diff(only, parsed(t, ".", "metadata: {name: kv-00}\n").Options); diff != "" {
		t.Errorf("with a name alone (-want +got):\n%s", diff)
	}
}

func TestClusterMistakesNameTheirLine(t *testing.T) {
	for name, tc := range map[string]struct{ text, want, hint string }{
		"a pool's field in spec": {"spec:\n  memory: 8Gi\n", "kv.yaml:4: spec.memory is not a field; did you mean " +
			"spec.nodePools[].memory?", "allowed here: "},
		"flag of hcp": {"spec:\n  node-pool-replicas: 3\n", "kv.yaml:4: spec.node-pool-replicas is not a field; did " +
			"you mean spec.nodePools[].replicas?", ""},
		"mistyped": {"spec:\n  nodePools:\n  - memry: 8Gi\n",
			"kv.yaml:5: spec.nodePools[0].memry is not a field; did you mean memory?", ""},
		"name in spec": {"spec: {namespace: x}\n", "kv.yaml:3: spec.namespace is not a field; did you mean " +
			"metadata.namespace?", ""},
		"text for a number": {"spec:\n  nodePools:\n  - replicas: two\n",
			`kv.yaml:5: spec.nodePools[0].replicas is "two", but has to be a whole number`, ""},
		"beyond int32": {"spec:\n  nodePools:\n  - replicas: 2147483648\n",
			"kv.yaml:5: spec.nodePools[0].replicas is the number 2147483648, but has to be a whole number", ""},
		"pools as fields": {"spec:\n  nodePools: {replicas: 2}\n", "kv.yaml:4: spec.nodePools is a set of fields, but " +
			"has to be a list", ""},
		"no pools": {"spec:\n  nodePools: []\n", "kv.yaml:4: spec.nodePools is an empty list: leave it out", ""},
		"a number for a path": {"spec:\n  pullSecret: 3\n",
			`kv.yaml:4: spec.pullSecret is the number 3, but has to be text: write "3" in quotes`, ""},
		"a label's value": {"metadata:\n  labels:\n    gpu: true\n",
			`kv.yaml:5: metadata.labels.gpu is the truth value true, but has to be text: write "true" in quotes`, ""},
		"twice": {"spec:\n  baseDomain: a\n  baseDomain: b\n", "kv.yaml:5: spec.baseDomain is given twice, first in " +
			"line 4", ""},
		"status of oc": {"status: {}\n", "kv.yaml:3: status is not a field",
			"allowed here: apiVersion, kind, metadata, spec"},
		"an object of HyperShift beside it": {"---\napiVersion: v1\nkind: List\nitems:\n- {apiVersion: hypershift.openshift.io/v1beta1, " +
			"kind: NodePool}\n", `kv.yaml:7: apiVersion "hypershift.openshift.io/v1beta1": this is an object of HyperShift, not ` +
			"a document of hcctl", "hcctl lint kv.yaml --convert DIR makes one of it"},
		"two documents": {"---\n" + clusterHeader, "kv.yaml:4: a second document begins here, and create cluster makes one " +
			"cluster", "hcctl apply -f kv.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseCluster("kv.yaml", ".", []byte(clusterHeader+tc.text))
			var e *Error
			if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), tc.want) || !strings.HasPrefix(e.Hint().String(),
				tc.hint) {
				t.Fatalf("got %v (hint %q)\nwant %s (hint %q)", err, hintOf(e), tc.want, tc.hint)
			}
		})
	}
	_, err := ParseCluster("hcctl.yaml", ".", []byte(header))
	var e *Error
	if !errors.As(err, &e) || err.Error() != `hcctl.yaml:2: kind "Bootstrap": here it has to be Cluster` ||
		!strings.Contains(e.Hint().String(), "hcctl bootstrap -f") {
		t.Errorf("got %v, hint %q", err, hintOf(e))
	}
}

func TestProblemsOfOptionsAreFoundInTheirLine(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"no name":     {"spec: {}\n", "kv.yaml:1: metadata.name: a name is needed, such as kv-00"},
		"name":        {"metadata:\n  name: KV\n", `kv.yaml:4: metadata.name "KV": must consist of lower case letters`},
		"base domain": {"metadata: {name: a}\nspec:\n  baseDomain: -x\n", `kv.yaml:5: spec.baseDomain "-x": not a DNS name`},
		"second pool": {"metadata: {name: a}\nspec:\n  nodePools:\n  - memory: 8Gi\n  - name: b\n    memory: 1Gi\n",
			`kv.yaml:8: spec.nodePools[1].memory "1Gi": too little`},
		"negative": {"metadata: {name: a}\nspec: {nodePools: [{replicas: -1}]}\n",
			`kv.yaml:4: spec.nodePools[0].replicas "-1": the number of workers cannot be negative`},
		"a bad volume": {"metadata: {name: a}\nspec: {nodePools: [{rootVolumeSize: 3}]}\n",
			`kv.yaml:4: spec.nodePools[0].rootVolumeSize "3": `},
	} {
		t.Run(name, func(t *testing.T) {
			c := parsed(t, ".", tc.text)
			var p *options.Error
			if _, err := c.Options.Validate(); !errors.As(err, &p) {
				t.Fatalf("got %v", err)
			}
			if got := c.Locate(p); got == nil || !strings.HasPrefix(got.Error(), tc.want) {
				t.Errorf("got %v\nwant %s", got, tc.want)
			}
		})
	}
	c := parsed(t, ".", "metadata: {name: a}\n")
	if got := c.Locate(&options.Error{Field: "wait", Value: "x"}); got != nil {
		t.Errorf("a flag without a field: located as %v", got)
	}
	if got := c.Locate(&options.Error{Field: "baseDomain", Value: "x"}); got != nil {
		t.Errorf("a value the file does not have: located as %v", got)
	}
}

// anyValue is some value of an option's type.
func anyValue(r *rand.Rand, of reflect.Type, values []string) reflect.Value {
	word := func() string {
		if len(values) > 0 {
			return values[r.IntN(len(values))]
		}
		return []string{"", "a", "true", "8Gi", "4.20", "a=b,c", "x: y", "- z", "zwölf", "two\nlines", "#no",
			" padded "}[r.IntN(12)]
	}
	v := reflect.New(of).Elem()
	switch of {
	case reflect.TypeFor[time.Duration]():
		v.SetInt(int64(time.Duration(r.IntN(7200)) * time.Second))
		return v
	case reflect.TypeFor[options.File]():
		v.Set(
			reflect.ValueOf(options.File{Path: []string{"", "-", "/etc/x", "a.json", "sub/b.json", "../c.json"}[r.IntN(6)]}))
		return v
	}
	switch of.Kind() {
	case reflect.String:
		v.SetString(word())
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int32:
		v.SetInt(int64(r.IntN(40) - 2))
	case reflect.Slice:
		for range r.IntN(4) {
			v.Set(reflect.Append(v, anyValue(r, of.Elem(), values)))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(of))
		for range r.IntN(4) {
			v.SetMapIndex(reflect.ValueOf(fmt.Sprintf("example.com/k%d", r.IntN(9))), reflect.ValueOf(word()))
		}
	default:
		panic("no value for " + of.String())
	}
	return v
}

// fill gives every option of the table some value.
func fill(r *rand.Rand, fields []options.Field, options any) {
	v := reflect.ValueOf(options).Elem()
	for _, f := range fields {
		if at := option.At(v, f.Name); r.IntN(3) > 0 {
			at.Set(anyValue(r, at.Type(), f.Values))
		}
	}
}

// noDirectory leaves out where a file was named: what is written is read back from a document.
var noDirectory = cmpopts.IgnoreFields(options.File{}, "Directory")

// alike leaves out that what has services says so.
var alike = cmpopts.IgnoreFields(options.Services{}, "Listed")

func TestWhatIsWrittenReadsBackTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		o := options.Defaults()
		o.Name, o.Namespace = "kv-00", []string{"clusters", "lab"}[r.IntN(2)]
		o.Labels, _ = anyValue(r, reflect.TypeFor[map[string]string](), nil).Interface().(map[string]string)
		fill(r, options.Fields(), &o)
		for range r.IntN(3) {
			o.NodePools = append(o.NodePools, options.DefaultNodePool())
			o.NodePools[len(o.NodePools)-1].Name = fmt.Sprintf("p%d", len(o.NodePools))
		}
		for j := range o.NodePools {
			fill(r, options.NodePoolFields(), &o.NodePools[j])
		}
		for _, directory := range []string{".", "some/directory"} {
			data, err := WriteCluster(o, directory)
			if err != nil {
				t.Fatal(err)
			}
			c, err := ParseCluster("kv.yaml", directory, data)
			if err != nil {
				t.Fatalf("%d: %v\n%s", i, err, data)
			}
			if diff := cmp.Diff(o, c.Options, cmpopts.EquateEmpty(), alike, noDirectory); diff != "" {
				t.Fatalf("%d, in %s (-written +read):\n%s\n%s", i, directory, diff, data)
			}
		}
	}
}

func TestInitialClusterHasEveryOptionAndTheDefaults(t *testing.T) {
	c, err := ParseCluster("init", ".", InitialCluster())
	if err != nil {
		t.Fatal(err)
	}
	want := options.Defaults()
	want.Name = "kv-00"
	if diff := cmp.Diff(want, c.Options); diff != "" {
		t.Errorf("what is said is not the default (-want +got):\n%s", diff)
	}
	all, err := ParseCluster("init", ".", commented.ReplaceAll(InitialCluster(), []byte("$1$2")))
	if err != nil {
		t.Fatalf("with every comment that is an option: %v\n%s", err, InitialCluster())
	}
	for _, field := range clusterFields(options.Fields()) {
		said := slices.ContainsFunc(slices.Sorted(maps.Keys(all.at)), func(path string) bool { return matches(field.Name, general(path)) })
		if !said && field.Name != "spec" {
			t.Errorf("the initial document does not show %s", field.Name)
		}
	}
}

func TestEveryFieldOfADocumentIsDescribed(t *testing.T) {
	for kind, d := range describers() {
		for _, f := range d.fields {
			if f.Text == "" {
				t.Errorf("%s: %s has no description", kind, f.Name)
			}
		}
	}
}

// excluding are the options of the example of everything that another one excludes, or that need another value of one.
var excluding = regexp.MustCompile(`^ *#(version|releaseStream|generateSSH|adoptExisting|externalDNSDomain|` +
	`servicePublishingStrategy|apiServerAddress|metallbAddresses|cni|guestManifests|authorizedKeysSecret|oidc|issuer|` +
	`clientID|cliClientID|clientSecret|clientSecretName|ca|extraScopes|disableMultiNetwork|allocateNodeCIDRs|` +
	`identityProviders|infraKubeconfigFile|infraNamespace|storageDriver|avoid|nodeTopology|minReplicas|maxReplicas|` +
	`cpuPinning):`)

// TestTheExampleOfEverything holds examples/cluster-everything.yaml to the tables of options, and takes all it says.
func TestTheExampleOfEverything(t *testing.T) {
	_, body, _ := strings.Cut(string(InitialCluster()), "\napiVersion:")
	text := "# Every option of a hosted cluster, once. Those that exclude another stand as comments; the files it names are not " +
		"here.\n# make update writes it.\napiVersion:"
	for line := range strings.Lines(body) {
		if !excluding.MatchString(line) {
			line = commented.ReplaceAllString(line, "$1$2")
		}
		text += line
	}
	golden.File(t, filepath.Join("..", "..", "examples", "cluster-everything.yaml"), text)
	c, err := ParseCluster("cluster-everything.yaml", ".", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Options.Validate(); err != nil {
		t.Error(err)
	}
}
