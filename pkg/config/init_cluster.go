package config

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// InitialCluster returns a Cluster document to start from: every option as a comment, with its meaning and its
// default or an example.
func InitialCluster() []byte { return initialCluster(options.Fields()) }

func initialCluster(known []options.Field) []byte {
	var b bytes.Buffer
	b.WriteString(`# A hosted cluster: hcctl create cluster -f FILE. Flags win over this file.
# Every line that begins with #name is an option with its default or an example value; without it, the default holds.
# hcctl config validate -f FILE checks this file, hcctl config schema cluster describes it to editors.
apiVersion: ` + APIVersion + `
kind: ` + KindCluster + `
metadata:
  name: kv-00
  # Namespace of the HostedCluster and all beside it. The control plane runs in clusters-kv-00.
  #namespace: clusters
  # Labels of the HostedCluster; hcctl delete clusters -l selects by them.
  #labels: {team: lab}
  #annotations: {example.com/owner: lab}
spec:
`)
	defaults := options.Defaults()
	heading := ""
	for _, f := range known {
		if strings.HasPrefix(clusterPath(f), "spec.") {
			heading = initialHeadings(&b, heading, f.Name)
			initialField(&b, strings.Repeat("  ", 1+strings.Count(f.Name, ".")), f, reflect.ValueOf(defaults))
		}
	}
	b.WriteString("  # The pools of workers; by default one that is called as the cluster.\n  nodePools:\n")
	pool := reflect.ValueOf(options.DefaultNodePool())
	for _, f := range options.NodePoolFields() {
		switch f.Name {
		case "replicas": // an item needs a field
			fmt.Fprintf(&b, "  # %s.\n  - %s: %v\n", upperFirst(f.Text), f.Name, option.At(pool, f.Name))
			b.WriteString("    # Name of the NodePool; by default the cluster's, which only one pool can have.\n" +
				"    #name: kv-00-gpu\n")
		case "name":
		default:
			initialField(&b, "    ", f, pool)
		}
	}
	return b.Bytes()
}

// initialHeadings writes the mappings that contain a field as comments, unless they contain the field before,
// too. It returns the innermost mapping.
func initialHeadings(b *bytes.Buffer, before, name string) string {
	parts := strings.Split(name, ".")
	within := strings.Join(parts[:len(parts)-1], ".")
	for _, f := range options.ServiceHeadings() {
		if f.Name != within && !strings.HasPrefix(within, f.Name+".") || before == f.Name ||
			strings.HasPrefix(before, f.Name+".") {
			continue
		}
		words := strings.Split(f.Name, ".")
		indent := strings.Repeat("  ", len(words))
		fmt.Fprintf(b, "%s# %s.\n%s#%s:\n", indent, upperFirst(f.Text), indent, words[len(words)-1])
	}
	return within
}

// initialField writes one option as a comment.
func initialField(b *bytes.Buffer, indent string, f options.Field, defaults reflect.Value) {
	text := upperFirst(f.Text)
	if len(f.Values) > 0 {
		text += ": " + strings.Join(f.Values, ", ")
	}
	fmt.Fprintf(b, "%s# %s.\n", indent, text)
	n := exampleOf(f, option.At(defaults, f.Name))
	n.Style = yaml.FlowStyle
	data, err := yaml.Marshal(n)
	if err != nil {
		return // a node of scalars can always be written
	}
	value := strings.ReplaceAll(strings.TrimSpace(string(data)), "\n", " ")
	fmt.Fprintf(b, "%s#%s: %s\n", indent, f.Name[strings.LastIndex(f.Name, ".")+1:], value)
}

// exampleOf returns the default of an option, else the example of its row, which has the form of the command
// line, else a value of its type.
func exampleOf(f options.Field, byDefault reflect.Value) *yaml.Node {
	none := byDefault.IsZero() || byDefault.Kind() == reflect.Slice && byDefault.Len() == 0
	if !none {
		return writer{}.node(byDefault)
	}
	given := f.Example
	if given == "" && len(f.Values) > 0 {
		given = f.Values[0]
	}
	return exampleIn(given, byDefault.Type())
}

func exampleIn(given string, of reflect.Type) *yaml.Node {
	switch of {
	case reflect.TypeFor[options.File]():
		return orText(given, "FILE")
	case reflect.TypeFor[options.Files]():
		return sequence(orText(given, "FILE"))
	case reflect.TypeFor[options.List]():
		out := sequence()
		for _, word := range strings.Split(given, ",") {
			out.Content = append(out.Content, orText(word, "VALUE"))
		}
		return out
	}
	switch of.Kind() {
	case reflect.Slice:
		return sequence(orText(given, "VALUE"))
	case reflect.Map:
		out := mapping()
		for _, pair := range strings.Split(given, ",") {
			key, value, _ := strings.Cut(pair, "=")
			if key == "" {
				key, value = "KEY", "VALUE"
			}
			add(out, key, text(value))
		}
		return out
	case reflect.Bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: cmp.Or(given, "true")}
	case reflect.Int32:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: cmp.Or(given, "1")}
	case reflect.Int64:
		return orText(given, "1h")
	}
	return orText(given, "VALUE")
}

func sequence(items ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Content: items}
}

func orText(s, otherwise string) *yaml.Node { return text(cmp.Or(s, otherwise)) }

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// InitialFleet returns a Fleet document to start from.
func InitialFleet() []byte {
	return []byte(`# Hosted clusters that are alike: hcctl apply -f FILE, hcctl delete clusters -f FILE.
# What can stand in spec and nodePool: hcctl config init --kind Cluster. hcctl config validate -f FILE checks this file.
apiVersion: ` + APIVersion + `
kind: ` + KindFleet + `

# What holds for every cluster that does not say otherwise. Labels and annotations are added up; all else a cluster says
# replaces what is said here.
defaults:
  metadata:
    labels: {fleet: lab}
  #spec:
    #baseDomain: example.com
  # What holds for every pool.
  nodePool:
    replicas: 2
    memory: 8Gi

clusters:
# Ten that differ in their names, kv-00 to kv-09.
- metadata: {name: "kv-%02d"}
  count: 10
  #first: 0
# One of its own.
- metadata:
    name: big
  spec:
    nodePools:
    - memory: 32Gi
    - {name: big-gpu, replicas: 1}

# What differs in each environment; hcctl apply -f FILE --env dev chooses one. It wins over clusters and defaults.
#environments:
  #dev:
    #metadata: {namespace: dev}
    #nodePool: {replicas: 1}
  #prod:
    #metadata: {namespace: prod}
`)
}
